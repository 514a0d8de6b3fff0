/// How a request in the queue of a machine stands, and what follows each end of its work (Q6).
///
/// A value without effects; `docs/machines/queue.md` has every end in every state. The wall clock
/// says when the work may begin again, and nothing else: whoever runs it keeps its time.
package struct RequestStanding: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// It is to begin when it may.
    case waiting
    /// It has begun; whoever holds its lock works on it.
    case running
    /// Its work is done, and it is not repeated.
    case done
    /// It is not begun again, because that would come to nothing; `why` says what happened.
    case setAside
    /// Somebody stopped it.
    case stopped
  }

  /// How one run of the work ended.
  package enum End: Hashable, Sendable {
    /// The work is done.
    case finished
    /// The work is saved and is to go on, as its exit status says.
    case unfinished
    /// Its time was over or it was told to end, and it did not say that it saved.
    case cut
    /// It failed. Certain: each other run would fail in the same way (E4).
    case failed(status: Int32, isCertain: Bool)
    /// Something was missing or could not be written.
    case hindered(status: Int32)
    /// A signal that nobody had sent it ended it.
    case crashed(signal: Int32)
    /// It was told to end by whoever runs the queue, which is no fault of its own.
    case interrupted
    /// Whoever ran it is gone without a word: a kill, or the machine went down.
    case vanished
    /// A slice of a chain, which decides itself what follows.
    case slice
    /// Somebody stopped it.
    case stopped
  }

  /// A wait until something is tried once more.
  package struct Retry: Hashable, Sendable {
    /// When the wait began.
    package var since: WallInstant
    package var wait: Duration

    package init(since: WallInstant, wait: Duration) {
      (self.since, self.wait) = (since, wait)
    }

    /// How long it lasts; nil if it is over.
    ///
    /// A clock that was set back ends it.
    package func left(_ now: WallInstant) -> Duration? {
      let passed = since.duration(to: now)
      return passed < .zero || passed >= wait ? nil : wait - passed
    }
  }

  /// How many runs in a row may crash, be hindered or be cut, with nothing new saved, before a
  /// request is set aside.
  package static let mostDeaths = 3
  /// The wait after the first of them; each further one doubles it.
  package static let firstWait = Duration.seconds(10)
  /// The longest wait.
  package static let longestWait = Duration.seconds(900)
  /// The least time between two begins of one request (Q9).
  package static let leastBetweenBegins = Duration.seconds(1)

  package var state = State.waiting
  /// How often the work has begun since it was submitted or repeated last.
  package var runs = 0
  /// How often the request was repeated.
  package var repetitions = 0
  /// How many runs in a row crashed, were hindered or were cut, and saved nothing new.
  package var deaths = 0
  /// How many runs in a row vanished.
  package var vanished = 0
  /// When the work began last.
  package var began: WallInstant?
  /// When it ended last.
  package var ended: WallInstant?
  /// From when the next repetition may begin; once the work has begun, when it was to begin.
  package var next: WallInstant?
  /// A wait after a run that did not go well.
  package var retry: Retry?
  /// Why it stands so, as a sentence; nil where nothing went wrong.
  package var why: String?

  package init() {}

  /// Whether nothing of it is begun any more.
  package var isOver: Bool {
    switch state {
    case .waiting, .running: false
    case .done, .setAside, .stopped: true
    }
  }

  /// The work begins.
  package mutating func workBegan(now: WallInstant) {
    guard state == .waiting else { return }
    state = .running
    runs += 1
    began = now
    retry = nil
  }

  /// A run of the work has ended.
  ///
  /// - Parameters:
  ///   - end: How.
  ///   - terms: What the request says of its work.
  ///   - madeProgress: Whether something new became durable in it.
  ///   - now: The time.
  package mutating func workEnded(
    _ end: End, _ terms: RequestTerms, madeProgress: Bool = false, now: WallInstant
  ) {
    guard state == .running else { return }
    (state, ended, why) = (.waiting, now, nil)
    // Repetitions are counted from the first run of the first one.
    if terms.every != nil { next = next ?? terms.earliestBegin ?? began }
    if madeProgress { deaths = 0 }
    if end != .vanished { vanished = 0 }
    switch end {
    case .finished: finish(terms, why: nil, now: now)
    case .slice:
      if runs >= terms.slices { state = .done } else { pace(now) }
    case .unfinished:
      deaths = 0
      pace(now)
    // What it saved before its end counts, whatever it said.
    case .cut where madeProgress: pace(now)
    case .interrupted: pace(now)
    case .stopped: (state, why) = (.stopped, "It was stopped.")
    // How a program of many tasks ends says nothing of the next time.
    case .failed(let status, _) where terms.work == .application:
      die("ended with status \(status)", madeProgress, now: now)
    case .failed(let status, isCertain: false) where terms.every != nil:
      finish(terms, why: "The run before ended with status \(status).", now: now)
    case .failed(let status, _):
      setAside("It ended with status \(status), which another run would repeat.")
    case .cut: die("was cut at the end of its time", madeProgress, now: now)
    case .hindered(let status): die("ended with status \(status)", madeProgress, now: now)
    case .crashed(let signal): die("crashed by signal \(signal)", madeProgress, now: now)
    case .vanished:
      vanished += 1
      why = "The run before ended without a word: it was killed, or the machine went down."
      retry = Retry(since: now, wait: Self.wait(Self.leastBetweenBegins, vanished - 1))
    }
  }

  /// Somebody stops it before it begins, or while nobody works on it.
  package mutating func stopAsked(now: WallInstant) {
    guard !isOver else { return }
    (state, why, ended) = (.stopped, "It was stopped.", now)
  }

  /// It is to begin once more, although it was stopped, set aside or waits for another try.
  package mutating func resumed() {
    guard state != .running, state != .done else { return }
    (state, deaths, vanished, retry, why) = (.waiting, 0, 0, nil, nil)
  }

  private mutating func finish(_ terms: RequestTerms, why: String?, now: WallInstant) {
    (deaths, self.why) = (0, why)
    // What its program asks for decides when it is launched again.
    if terms.work == .application {
      runs = 0
      return pace(now)
    }
    guard let every = terms.every else {
      state = .done
      return
    }
    (runs, repetitions) = (0, repetitions + 1)
    next = Self.next(after: next ?? now, every: every, now: now)
    pace(now)
  }

  /// The first of the instants of a repetition that is still to come; those that were missed are
  /// made up for by the run that has just ended.
  private static func next(
    after first: WallInstant, every: Duration, now: WallInstant
  ) -> WallInstant {
    let passed = first.duration(to: now)
    guard passed >= .zero else { return first.advanced(by: every) }
    let (step, span) = (max(1, every.nanoseconds), passed.nanoseconds)
    let (distance, overflow) = (span / step).multipliedReportingOverflow(by: step)
    return first.advanced(by: .nanoseconds(overflow ? Int64.max : distance)).advanced(by: every)
  }

  private mutating func die(_ what: String, _ madeProgress: Bool, now: WallInstant) {
    if !madeProgress { deaths += 1 }
    if deaths >= Self.mostDeaths {
      return setAside("\(deaths) runs in a row saved nothing new; the last one \(what).")
    }
    why = "The run before \(what)."
    retry = Retry(since: now, wait: Self.wait(Self.firstWait, deaths - 1))
  }

  private mutating func setAside(_ why: String) {
    (state, self.why) = (.setAside, why)
  }

  /// Nothing begins twice within a moment.
  private mutating func pace(_ now: WallInstant) {
    guard let began else { return }
    let passed = began.duration(to: now)
    if passed < Self.leastBetweenBegins {
      retry = Retry(since: now, wait: Self.leastBetweenBegins - max(.zero, passed))
    }
  }

  private static func wait(_ first: Duration, _ doublings: Int) -> Duration {
    min(longestWait, first * (1 << max(0, min(doublings, 20))))
  }
}

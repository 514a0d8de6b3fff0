/// Decides how the run of one process goes: its trips, the rests and pauses between them, the stops
/// of its terminal, the signals, and its end.
///
/// A value without effects, as ``SystemMachine`` is. The system machine decides about tasks and
/// deadlines, the worker machine about chunks and checkpoints; this one decides what the process
/// does when everything is saved. `docs/machines/run.md` has every event in every phase.
package struct RunMachine: Hashable, Sendable {
  /// Where the run stands.
  package enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Not begun.
    case idle
    /// There is work, and time for it.
    case working
    /// The work is being saved, because the process is to stop or to pause.
    case saving
    /// The process is stopped by its terminal, or about to be.
    case stopped
    /// Between two trips.
    case resting
    /// Suspended until somebody ends the pause.
    case paused
    /// A stop was asked for; the work saves and ends.
    case ending
    /// Nothing more is done but the last words.
    case ended
  }

  /// How much time a process has.
  package enum Time: Hashable, Sendable {
    /// No end.
    case unlimited
    /// A trip that began at an instant and ends at another, or has no end yet.
    case trip(start: Instant, end: Deadline?)
    /// Another process says when it ends.
    case authority
  }

  /// Why a run is over.
  package enum End: String, Hashable, Sendable {
    /// The budget is used up, and everything is saved.
    case timeIsUp
    /// The work has ended and says how.
    case workEnded
  }

  /// What a run may do.
  package struct Rules: Hashable, Sendable {
    /// How long it rests before another trip; nil if the first one is the last.
    package var rest: Duration?
    /// The least rest of a trip for which it is worth going back to it (A11).
    package var leastTime: Duration
    /// Whether work that is stopped with the process stays in its trip and has nothing to save.
    package var stopsWithWork: Bool

    package init(rest: Duration?, leastTime: Duration, stopsWithWork: Bool = false) {
      self.rest = rest
      self.leastTime = leastTime
      self.stopsWithWork = stopsWithWork
    }
  }

  /// What is to be done.
  package enum Action: Hashable, Sendable {
    /// Enter the background if the time has an end, and begin the work.
    case begin(Time)
    /// Come to the foreground, enter the background again if the time has an end, and resume.
    case goOn(Time)
    /// Let the work save, and be suspended.
    case save
    /// Stop the process, and report when it was continued.
    case stopProcess
    /// Wait for an instant, and look for stops and pauses meanwhile; the number tells waits apart.
    case rest(until: Instant, wait: Int)
    /// Wait until the pause is ended.
    case pause(wait: Int)
    /// Let the work end after its next checkpoint, at once if it rests.
    case endAfterCheckpoint
    /// Let the system and the work end within the stop grace, because of a signal.
    case requestStop(signal: Int32)
    /// Let the work end within the deadline that the authority has set.
    case endWork(ExpiryReason)
    /// Die of a signal at once.
    case die(signal: Int32)
    /// Write the last words and end the process.
    case leave(End)
  }

  /// Signals that are closer to each other than this count as one: who kills a group often sends
  /// two.
  package static let leastBetweenSignals = Duration.milliseconds(200)

  private enum TerminalStop: Hashable, Sendable {
    case none
    case asked
    /// Continued before it had stopped.
    case revoked
  }

  package let rules: Rules
  package private(set) var phase = Phase.idle
  /// The time that the work has, or had last.
  package private(set) var time = Time.unlimited
  /// Which wait is under way; every rest and every pause has its own.
  package private(set) var wait = 0
  /// Whether somebody has paused the job and not ended the pause.
  package private(set) var isPaused = false
  private var terminalStop = TerminalStop.none
  /// When the rest that is under way ends, also while the process is stopped.
  private var restEnd: Instant?
  /// The first signal that asked for an end; one that warns of it is kept apart.
  package private(set) var firstSignal: Int32?
  private var (warning, firstSignalAt): (Int32?, Instant?)
  private var isStopRequested = false

  /// Creates the machine of a run that has not begun.
  package init(rules: Rules) {
    self.rules = rules
  }

  /// Whether a wait of this number is still under way.
  package func isAwaited(_ wait: Int) -> Bool {
    (phase == .resting || phase == .paused) && wait == self.wait
  }

  // MARK: Trips

  /// The process has read what it works on.
  package mutating func begun(_ time: Time, now: Instant) -> [Action] {
    switch phase {
    case .idle:
      self.time = time
      // The deadline would overtake what follows, and kill a process that has nothing open.
      guard isWorthEntering(now: now) else { return leave(.timeIsUp) }
      phase = .working
      guard let signal = firstSignal ?? warning else { return [.begin(time)] + saveIfWanted() }
      // Denied its task, work that was begun and not stopped would wait for ever.
      phase = .ending
      return [.begin(time), .requestStop(signal: signal)]
    case .working, .saving, .stopped, .resting, .paused, .ending, .ended:
      preconditionFailure("A run begins once.")
    }
  }

  /// The trip ends at another instant by now (E1).
  package mutating func deadlineMoved(to end: Deadline?) -> [Action] {
    if case .trip(let start, _) = time { time = .trip(start: start, end: end) }
    return []
  }

  /// Everything is saved and nothing holds the application; or the work stands still.
  ///
  /// - Parameters:
  ///   - mayRest: Whether another trip would find something to do.
  ///   - now: The time.
  /// - Returns: What comes next.
  package mutating func suspended(mayRest: Bool = true, now: Instant) -> [Action] {
    switch phase {
    case .working:
      return tripIsOver(mayRest: mayRest, now: now)
    case .saving:
      let stop = terminalStop
      terminalStop = .none
      if stop == .asked {
        phase = .stopped
        return [.stopProcess]
      }
      return stop == .none && !isPaused
        ? tripIsOver(mayRest: mayRest, now: now) : comeBack(now: now)
    // Races: this arrives while the process is becoming active, or while the outcome of ended work
    // is on its way.
    case .idle, .stopped, .resting, .paused, .ending, .ended:
      return []
    }
  }

  /// The rest is over; there is time for another trip, or none.
  package mutating func restEnded(_ next: Time?, now: Instant) -> [Action] {
    switch phase {
    case .resting:
      restEnd = nil
      guard let next else { return leave(.timeIsUp) }
      time = next
      phase = .working
      return [.goOn(next)]
    // Race: a stop or a signal ended the rest.
    case .idle, .working, .saving, .stopped, .paused, .ending, .ended:
      return []
    }
  }

  // MARK: The end

  /// The work has ended for good.
  package mutating func workEnded() -> [Action] {
    leave(.workEnded)
  }

  /// Somebody asks for an end by `stint stop`: nothing is lost, and no stint begins after it (W11).
  package mutating func stopRequested() -> [Action] {
    switch phase {
    case .resting, .paused:
      phase = .ending
      return [.endAfterCheckpoint]
    case .working, .saving, .stopped:
      // It is seen at every tick.
      guard !isStopRequested else { return [] }
      isStopRequested = true
      return [.endAfterCheckpoint]
    // It is looked for again when there is work; what ends needs no second word.
    case .idle, .ending, .ended:
      return []
    }
  }

  /// A signal asks for an end (W11).
  package mutating func signalCame(_ number: Int32, now: Instant) -> [Action] {
    if let firstSignalAt {
      let isAnother = firstSignalAt.duration(to: now) >= Self.leastBetweenSignals
      return isAnother ? [.die(signal: number)] : []
    }
    firstSignal = number
    firstSignalAt = now
    return end(becauseOf: number)
  }

  /// A signal warns of an end; the kernel repeats SIGXCPU each second, so it counts once (W11).
  package mutating func warningCame(_ number: Int32) -> [Action] {
    guard warning == nil, firstSignal == nil else { return [] }
    warning = number
    return end(becauseOf: number)
  }

  private mutating func end(becauseOf number: Int32) -> [Action] {
    switch phase {
    case .working, .saving, .stopped, .resting, .paused, .ending: phase = .ending
    // What has not begun is stopped again when it has; last words must not wait for a reader.
    case .idle, .ended: break
    }
    return [.requestStop(signal: number)]
  }

  /// Whoever grants the time asks for an end.
  package mutating func authorityStops(_ reason: ExpiryReason) -> [Action] {
    switch phase {
    case .working, .saving, .stopped, .resting, .paused:
      phase = .ending
      return [.endWork(reason)]
    // Races: the work has been told of an end, or has ended.
    case .idle, .ending, .ended:
      return []
    }
  }

  /// The authority is gone, and nobody is left who could grant more time.
  package mutating func authorityVanished() -> [Action] {
    switch phase {
    case .stopped, .resting, .paused:
      return leave(.timeIsUp)
    // The system ends the trip, and its suspension is told.
    case .idle, .working, .saving, .ending, .ended:
      return []
    }
  }

  private mutating func leave(_ end: End) -> [Action] {
    guard phase != .ended else { return [] }
    phase = .ended
    return [.leave(end)]
  }

  // MARK: The terminal's stop

  /// SIGTSTP came: save, be suspended, stop.
  package mutating func terminalStopCame() -> [Action] {
    switch phase {
    // Nothing has begun that would have to save.
    case .idle:
      return firstSignal == nil && warning == nil ? [.stopProcess] : []
    // Obeyed when everything is saved, or when the process has come back from the stop before.
    case .saving, .stopped:
      terminalStop = .asked
      return []
    case .working, .resting, .paused:
      terminalStop = .asked
      return saveIfWanted()
    // A stop that was asked for is never revoked, and a stopped process would miss its deadline.
    case .ending, .ended:
      return []
    }
  }

  /// SIGCONT came; it counts against a stop that is under way, and means nothing else.
  package mutating func terminalContinueCame() -> [Action] {
    if terminalStop == .asked { terminalStop = .revoked }
    return []
  }

  /// The process was stopped, and goes on.
  package mutating func processContinued(now: Instant) -> [Action] {
    switch phase {
    case .stopped:
      return comeBack(now: now) + saveIfWanted()
    // Nothing had begun.
    case .idle:
      return []
    // Race: a signal that came with SIGCONT was faster.
    case .working, .saving, .resting, .paused, .ending, .ended:
      return []
    }
  }

  // MARK: The pause

  /// `stint pause` asks to save and to wait.
  package mutating func pauseRequested() -> [Action] {
    switch phase {
    case .working, .resting:
      isPaused = true
      return saveIfWanted()
    // It begins to wait as soon as it is suspended, or when it continues after a stop.
    case .idle, .saving, .stopped, .paused:
      isPaused = true
      return []
    // What ends does not begin to wait.
    case .ending, .ended:
      return []
    }
  }

  /// `stint resume` ended the pause.
  package mutating func pauseEnded(now: Instant) -> [Action] {
    switch phase {
    case .paused:
      isPaused = false
      return comeBack(now: now)
    // Race: a stop of the terminal ended the wait; it is looked for again after that.
    case .idle, .working, .saving, .stopped, .resting, .ending, .ended:
      return []
    }
  }

  // MARK: Deciding

  /// Obeys a request that came while it could not be obeyed.
  private mutating func saveIfWanted() -> [Action] {
    guard terminalStop == .asked || isPaused else { return [] }
    switch phase {
    case .working:
      phase = .saving
      return [.save]
    // Everything is saved.
    case .resting, .paused:
      guard terminalStop == .asked else { return phase == .paused ? [] : pause() }
      terminalStop = .none
      phase = .stopped
      return [.stopProcess]
    case .idle, .saving, .stopped, .ending, .ended:
      return []
    }
  }

  /// Suspended, and nothing keeps it from going on.
  private mutating func comeBack(now: Instant) -> [Action] {
    if isPaused { return pause() }
    if let restEnd { return rest(until: restEnd) }
    guard rules.stopsWithWork || isWorthEntering(now: now) else {
      return tripIsOver(mayRest: true, now: now)
    }
    phase = .working
    return [.goOn(time)]
  }

  private mutating func tripIsOver(mayRest: Bool, now: Instant) -> [Action] {
    if isStopRequested {
      // The work has been told and ends by itself.
      phase = .ending
      return []
    }
    guard let duration = rules.rest, mayRest, time != .authority else { return leave(.timeIsUp) }
    return rest(until: now.advanced(by: duration))
  }

  private mutating func rest(until end: Instant) -> [Action] {
    phase = .resting
    restEnd = end
    wait += 1
    return [.rest(until: end, wait: wait)]
  }

  private mutating func pause() -> [Action] {
    phase = .paused
    wait += 1
    return [.pause(wait: wait)]
  }

  private func isWorthEntering(now: Instant) -> Bool {
    guard case .trip(_, let end?) = time else { return true }
    return now.advanced(by: rules.leastTime) < end.instant
  }
}

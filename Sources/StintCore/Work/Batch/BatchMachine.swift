/// Decides which lines of a batch run when: never more than `places` at a time, and only while the
/// trip has time for them.
///
/// The lines are known by their positions. Those that were begun earlier come first, so that what
/// is begun is finished before something new is begun; those that failed earlier come last. A line
/// that asks to be run again waits for the next trip; otherwise one that always asks would take the
/// whole budget.
package struct BatchMachine: Hashable, Sendable {
  /// What an earlier process left of a line.
  package enum History: Int, Hashable, Sendable, CaseIterable {
    /// It was begun and is not finished.
    case begun
    /// It was never started.
    case fresh
    /// It ended without success.
    case failed
    /// It is done.
    case finished
  }

  /// When so many lines have failed that no more are started.
  package struct Halt: Hashable, Sendable {
    package enum Limit: Hashable, Sendable {
      /// So many lines.
      case count(Int)
      /// So much of the lines that have ended, from 0 to 100, and at least three lines.
      case percent(Double)
    }

    package var limit: Limit
    /// Whether the lines that run are ended, too.
    package var isNow: Bool

    package init(_ limit: Limit, isNow: Bool) {
      self.limit = limit
      self.isNow = isNow
    }

    /// Whether so many failures of so many ends are enough.
    func isReached(failed: Int, ended: Int) -> Bool {
      switch limit {
      case .count(let count): failed >= count
      case .percent(let share): failed >= 3 && Double(failed) * 100 >= share * Double(ended)
      }
    }
  }

  /// How lines are started.
  package struct Rules: Hashable, Sendable {
    /// How many may run at a time, at least 1.
    package var places: Int
    /// The least rest of a trip in which a line is started.
    package var leastRemaining: Duration
    /// How often a line that fails is run by one process, at least 1.
    package var runs: Int
    /// When failures end the batch; nil if they do not.
    package var halt: Halt?
    /// Whether it is asked before each start whether a line may be started now.
    package var asksBeforeStart: Bool

    package init(
      places: Int, leastRemaining: Duration, runs: Int = 1, halt: Halt? = nil,
      asksBeforeStart: Bool = false
    ) {
      precondition(places > 0 && runs > 0, "A batch needs a place, and each line a run.")
      self.places = places
      self.leastRemaining = leastRemaining
      self.runs = runs
      self.halt = halt
      self.asksBeforeStart = asksBeforeStart
    }
  }

  /// What is to be done.
  package enum Action: Hashable, Sendable {
    /// Start the process of a line.
    case start(Int)
    /// Say when a line that has failed may be run again, by ``retryIsDue(_:remaining:)``.
    case retry(Int)
    /// Say when the next line may be started, by ``mayStart(remaining:)``.
    case askForStart
    /// End the lines that run, because too many have failed.
    case endRunning
    /// Nothing runs any more and nothing more can be started in this trip.
    case tripOver
    /// Nothing runs any more and nothing more will be started by this process.
    case done
  }

  /// Where the batch as a whole stands.
  package enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Between two trips, or before the first.
    case resting
    /// Lines are started as places become free.
    case working
    /// No line is started; those that run save and end.
    case closing
    /// A stop was requested, or too many lines have failed: as closing, and no further trip comes.
    case stopping
    /// It is over.
    case done
  }

  package private(set) var phase = Phase.resting
  /// The state of each line.
  package private(set) var lines: [BatchLineState]
  /// Whether too many lines have failed.
  package private(set) var isHalted = false
  /// Whether nothing is started for now, because the whole batch is being stopped by its terminal.
  package private(set) var isHeld = false

  private let rules: Rules
  private let history: [History]
  /// How many lines are in each state.
  private var counts: [BatchLineState: Int]
  /// How many lines have ended for good in this process, and how many of them failed.
  private var ended = 0
  private var failed = 0
  /// How often lines have failed that are run again.
  private var runs: [Int: Int] = [:]
  /// What may still be started in this trip, the next one last.
  private var queue: [Int] = []
  /// Whether this process has started a line.
  private var started: [Bool]
  /// Whether it was asked when the next line may be started.
  private var isAsking = false

  /// How many lines run.
  package var running: Int { count(of: .running) }

  /// Creates the machine of a batch from what is known of each line.
  package init(history: [History], rules: Rules) {
    self.history = history
    self.rules = rules
    lines = history.map { $0 == .finished ? .finished : .waiting }
    started = Array(repeating: false, count: history.count)
    counts = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// How many lines are in a state.
  package func count(of state: BatchLineState) -> Int { counts[state, default: 0] }

  private mutating func set(_ index: Int, _ state: BatchLineState) {
    counts[lines[index], default: 0] -= 1
    counts[state, default: 0] += 1
    lines[index] = state
  }

  // MARK: Events

  /// A trip has begun.
  package mutating func tripBegan(remaining: RemainingTime) -> [Action] {
    switch phase {
    case .resting:
      return work(remaining: remaining)
    case .stopping, .done:
      // Race: a stop was requested while the batch rested.
      return []
    case .working, .closing:
      preconditionFailure("A trip began while another was under way.")
    }
  }

  /// The process of a line has ended, or could not be started.
  package mutating func lineEnded(
    _ index: Int, _ end: BatchLineEnd, remaining: RemainingTime
  ) -> [Action] {
    precondition(lines[index] == .running, "A line ended that did not run.")
    switch end {
    case .finished:
      set(index, .finished)
      runs[index] = nil
      ended += 1
    case .unfinished:
      set(index, .unfinished)
    case .failed where triesAgain(index):
      runs[index, default: 0] += 1
      set(index, .failing)
      return (phase == .working ? [.retry(index)] : []) + proceed(remaining: remaining)
    case .failed:
      set(index, .failed)
      runs[index] = nil
      ended += 1
      failed += 1
    }
    return halt() + proceed(remaining: remaining)
  }

  /// Whether this process runs a line again if its run fails that is under way.
  package func triesAgain(_ index: Int) -> Bool {
    phase != .stopping && run(of: index) < rules.runs
  }

  /// Which run of a line comes next, from 1.
  package func run(of index: Int) -> Int { runs[index, default: 0] + 1 }

  private mutating func halt() -> [Action] {
    guard let halt = rules.halt, !isHalted, halt.isReached(failed: failed, ended: ended) else {
      return []
    }
    isHalted = true
    switch phase {
    case .working, .closing: phase = .stopping
    case .resting, .stopping, .done: break
    }
    return halt.isNow && running > 0 ? [.endRunning] : []
  }

  /// A line that has failed may be run again.
  package mutating func retryIsDue(_ index: Int, remaining: RemainingTime) -> [Action] {
    // Race: the trip has ended since, or another has begun in which it runs already.
    guard lines[index] == .failing, phase == .working else { return [] }
    set(index, .waiting)
    queue.append(index)
    return proceed(remaining: remaining)
  }

  /// A line may be started now.
  package mutating func mayStart(remaining: RemainingTime) -> [Action] {
    guard isAsking else { return [] }
    isAsking = false
    guard phase == .working, !isHeld else { return [] }
    return start(atMost: 1, remaining: remaining) + proceed(remaining: remaining)
  }

  /// The trip's time is nearly gone.
  package mutating func tripCloses() -> [Action] {
    switch phase {
    case .working:
      phase = .closing
      return proceed(remaining: .limited(.zero))
    case .resting, .closing, .stopping, .done:
      // Race: the warning came when the last line had just ended, or with a stop.
      return []
    }
  }

  /// The trip ends later than was said: what its warning ended is begun again in it (E1).
  package mutating func tripExtended(remaining: RemainingTime) -> [Action] {
    switch phase {
    case .closing:
      return work(remaining: remaining)
    // Working: nothing was ended. Resting: the next trip takes it up. A stop is never revoked
    // (W11).
    case .resting, .working, .stopping, .done:
      return []
    }
  }

  /// Somebody wants the batch to stop; that is never revoked (W11).
  package mutating func stopRequested() -> [Action] {
    switch phase {
    case .resting, .working, .closing:
      phase = .stopping
      return proceed(remaining: .limited(.zero))
    case .stopping, .done:
      return []
    }
  }

  /// The terminal stops the whole batch: nothing is started until it is released.
  package mutating func held() {
    isHeld = true
  }

  /// The batch goes on after a stop of the terminal.
  package mutating func released(remaining: RemainingTime) -> [Action] {
    guard isHeld else { return [] }
    isHeld = false
    switch phase {
    case .working, .closing, .stopping: return proceed(remaining: remaining)
    case .resting, .done: return []
    }
  }

  // MARK: Deciding

  private mutating func work(remaining: RemainingTime) -> [Action] {
    phase = .working
    if count(of: .unfinished) + count(of: .failing) > 0 {
      for index in lines.indices where [.unfinished, .failing].contains(lines[index]) {
        set(index, .waiting)
      }
    }
    fillQueue()
    return proceed(remaining: remaining)
  }

  private mutating func proceed(remaining: RemainingTime) -> [Action] {
    guard !isHeld else { return [] }
    let starts = phase == .working ? startMore(remaining: remaining) : []
    guard running == 0 else { return starts }
    if phase == .stopping || isSettled {
      phase = .done
      return starts + [.done]
    }
    if phase == .working, !isTooLate(remaining), isAsking || count(of: .failing) > 0 {
      return starts
    }
    phase = .resting
    isAsking = false
    return starts + [.tripOver]
  }

  private var isSettled: Bool { count(of: .finished) + count(of: .failed) == lines.count }

  private func isTooLate(_ remaining: RemainingTime) -> Bool {
    remaining.duration.map { $0 < rules.leastRemaining } ?? false
  }

  private mutating func startMore(remaining: RemainingTime) -> [Action] {
    guard rules.asksBeforeStart else {
      return start(atMost: rules.places - running, remaining: remaining)
    }
    guard !isAsking, running < rules.places, !queue.isEmpty, !isTooLate(remaining) else {
      return []
    }
    isAsking = true
    return [.askForStart]
  }

  private mutating func start(atMost most: Int, remaining: RemainingTime) -> [Action] {
    if isTooLate(remaining) { return [] }
    var actions: [Action] = []
    while actions.count < most, let next = queue.popLast() {
      set(next, .running)
      started[next] = true
      actions.append(.start(next))
    }
    return actions
  }

  /// Lines that were begun come first, then the others, and last those that failed before; each
  /// group in the order of the file.
  private mutating func fillQueue() {
    queue = [History.failed, .fresh, .begun].flatMap { rank in
      lines.indices.reversed().filter { lines[$0] == .waiting && self.rank(of: $0) == rank }
    }
  }

  private func rank(of index: Int) -> History { started[index] ? .begun : history[index] }
}

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

  /// What is to be done.
  package enum Action: Hashable, Sendable {
    /// Start the process of a line.
    case start(Int)
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
    /// A stop was requested: as closing, and no further trip comes.
    case stopping
    /// It is over.
    case done
  }

  package private(set) var phase = Phase.resting
  /// The state of each line.
  package private(set) var lines: [BatchLineState]
  /// How many run.
  package private(set) var running = 0
  /// Whether nothing is started for now, because the whole batch is being stopped by its terminal.
  package private(set) var isHeld = false

  /// How many may run at a time.
  package let places: Int
  /// The least rest of a trip in which a line is started.
  package let leastRemaining: Duration
  private let history: [History]
  /// What may still be started in this trip, the next one last.
  private var queue: [Int] = []
  /// What this process has started.
  private var started: Set<Int> = []

  /// Creates the machine of a batch.
  ///
  /// - Parameters:
  ///   - history: What is known of each line.
  ///   - places: How many may run at a time, at least 1.
  ///   - leastRemaining: The least rest of a trip in which a line is started.
  package init(history: [History], places: Int, leastRemaining: Duration) {
    precondition(places > 0, "A batch needs at least one place.")
    self.history = history
    self.places = places
    self.leastRemaining = leastRemaining
    lines = history.map { $0 == .finished ? .finished : .waiting }
  }

  /// How many lines are in a state.
  package func count(of state: BatchLineState) -> Int {
    lines.count { $0 == state }
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
    case .finished: lines[index] = .finished
    case .unfinished: lines[index] = .unfinished
    case .failed: lines[index] = .failed
    }
    running -= 1
    return proceed(remaining: remaining)
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
    for index in lines.indices where lines[index] == .unfinished { lines[index] = .waiting }
    fillQueue()
    return proceed(remaining: remaining)
  }

  private mutating func proceed(remaining: RemainingTime) -> [Action] {
    guard !isHeld else { return [] }
    let starts = phase == .working ? start(remaining: remaining) : []
    guard running == 0 else { return starts }
    if phase == .stopping || lines.allSatisfy(\.isSettled) {
      phase = .done
      return [.done]
    }
    phase = .resting
    return [.tripOver]
  }

  private mutating func start(remaining: RemainingTime) -> [Action] {
    if let rest = remaining.duration, rest < leastRemaining { return [] }
    var actions: [Action] = []
    while running < places, let next = queue.popLast() {
      lines[next] = .running
      started.insert(next)
      running += 1
      actions.append(.start(next))
    }
    return actions
  }

  private mutating func fillQueue() {
    let waiting = lines.indices.filter { lines[$0] == .waiting }
    // In the order of the file within each of them; the sort is not stable by itself.
    queue = waiting.sorted { (rank(of: $0), $0) > (rank(of: $1), $1) }
  }

  private func rank(of index: Int) -> Int {
    started.contains(index) ? History.begun.rawValue : history[index].rawValue
  }
}

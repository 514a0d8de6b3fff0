import StintCore

/// Drives a worker machine in virtual time, one event a call, and keeps every action.
struct WorkerRig {
  typealias Action = WorkerMachine.Action

  var machine: WorkerMachine
  var now = Instant(nanoseconds: 1_000_000_000)
  var deadline: Instant?
  /// Everything that the machine asked for.
  var log: [Action] = []
  /// What the last event asked for.
  var last: [Action] = []

  /// The work: `chunks` pieces of cost 1 each, which cannot be split.
  var chunksLeft: Int
  let chunksInAll: Int

  static let task = BackgroundTaskIdentifier(rawValue: 1)

  init(
    chunks: Int = 100, budget: Duration? = nil, lead: Duration = .seconds(1),
    restored: Duration? = nil,
    fruitlessStints: Int = 0, hardest: Double? = nil, policy: WorkPolicy = WorkPolicy(),
    history: WorkHistory = WorkHistory(), stagger: Double = 1
  ) {
    chunksLeft = chunks
    chunksInAll = chunks
    machine = WorkerMachine(
      policy: policy, lead: lead,
      outlook: Self.outlook(left: chunks, of: chunks, hardest: hardest), restored: restored,
      budget: budget, fruitlessStints: fruitlessStints, history: history, stagger: stagger)
    self.hardest = hardest
    deadline = budget.map { now.advanced(by: $0) }
  }

  let hardest: Double?

  static func outlook(left: Int, of all: Int, hardest: Double? = nil) -> Outlook {
    Outlook(
      progress: WorkProgress(fraction: Double(all - left) / Double(all), phase: "counting"),
      next: left == 0 ? nil : Outlook.ChunkRange(smallest: 1, largest: 1),
      remainingCost: Double(left), checkpointBytes: 1_000, hardest: hardest)
  }

  var moment: Moment { Moment(now: now, deadline: deadline) }

  var isChunkRunning: Bool {
    for action in log.reversed() {
      if case .runChunk = action { return chunksRun > chunksDone }
    }
    return false
  }

  var chunksRun: Int {
    log.count {
      if case .runChunk = $0 { true } else { false }
    }
  }

  private(set) var chunksDone = 0

  /// Feeds one event.
  @discardableResult
  mutating func event(_ body: (inout WorkerMachine, Moment) -> [Action]) -> [Action] {
    last = body(&machine, moment)
    log += last
    return last
  }

  mutating func pass(_ duration: Duration) {
    now = now.advanced(by: duration)
  }

  /// Starts and gets the task.
  mutating func begin(inForeground: Bool = true) {
    event { $0.started(isInForeground: inForeground, at: $1) }
    event { $0.taskGranted(Self.task, at: $1) }
  }

  /// The same one after it has started and got the task.
  func begun(inForeground: Bool = true) -> WorkerRig {
    var rig = self
    rig.begin(inForeground: inForeground)
    return rig
  }

  /// An instant comes for which the machine may have asked.
  mutating func wake(at instant: Instant) {
    now = instant
    event { $0.timePassed(at: $1) }
  }

  /// Ends the running chunk after so long; it took as long, unless part of its time has passed
  /// already.
  @discardableResult
  mutating func finishChunk(
    after passed: Duration = .milliseconds(100), took: Duration? = nil
  ) -> [Action] {
    pass(passed)
    let took = took ?? passed
    chunksLeft -= 1
    chunksDone += 1
    let outlook = Self.outlook(left: chunksLeft, of: chunksInAll, hardest: hardest)
    return event { $0.chunkFinished(took: took, cost: 1, outlook: outlook, at: $1) }
  }

  /// Ends a chunk that only tried how fast the machine is.
  @discardableResult
  mutating func finishTrial(after took: Duration = .milliseconds(1)) -> [Action] {
    pass(took)
    let outlook = Self.outlook(left: chunksLeft, of: chunksInAll, hardest: hardest)
    return event {
      $0.chunkFinished(took: took, cost: 0.01, outlook: outlook, isTrial: true, at: $1)
    }
  }

  /// Makes the checkpoint that is being written durable after so long.
  @discardableResult
  mutating func finishSave(after took: Duration = .milliseconds(5)) -> [Action] {
    pass(took)
    return event { $0.saved(took: took, at: $1) }
  }
}

extension [WorkerMachine.Action] {
  /// The first summary of an ended stint.
  var summary: StintSummary? {
    for case .stintEnded(let summary) in self { return summary }
    return nil
  }

  var notices: [WorkerNotice] {
    compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
  }

  var outcome: WorkerOutcome? {
    for case .ended(let outcome) in self { return outcome }
    return nil
  }

  var runsChunk: Bool {
    contains { if case .runChunk = $0 { true } else { false } }
  }

  /// The position of the first action that satisfies a condition.
  func position(_ condition: (Element) -> Bool) -> Int? { firstIndex(where: condition) }
}

extension WorkerOutcome {
  var error: StintError? {
    if case .failed(let error) = self { error } else { nil }
  }
}

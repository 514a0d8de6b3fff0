@testable import StintCore

/// Everything around a worker machine: two lanes, a system that answers late, a clock; it notes
/// every broken promise.
struct WorkerWorld {
  typealias Action = WorkerMachine.Action

  var machine: WorkerMachine
  var random: SplitMix64
  var now = Instant(nanoseconds: 1_000_000_000)
  var deadline: Instant?
  var isInForeground = true
  /// Changes of state that the worker has not been told yet.
  var untold: [Bool] = []

  var chunk: (cost: Double, flagged: Bool)?
  /// Index and work of the state that is being saved.
  var save: (state: Int, work: Duration)?
  var isDelivering = false
  var isDelivered = false
  var hasFailedSaves = false
  /// When the worker was told of the background.
  var toldAt: Instant?
  var isAsked = false
  var isAskedTaskSpent = false
  var openTasks: Set<Int> = []
  var spentTasks: Set<Int> = []
  var nextTask = 1
  var wake: Instant?
  var isUnprotected = false
  var isPauseWanted = false
  var isStopWanted = false

  var left: Int
  let all: Int
  var current = 0
  var durable = 0
  var work = Duration.zero
  var durableWork = Duration.zero
  var workAtBegin = Duration.zero
  var outcome: WorkerOutcome?
  /// The deadline came while a lane was busy: the process is gone.
  var isKilled = false

  var history: [String] = []
  var faults: [String] = []

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    all = Int.random(in: 1...40, using: &random)
    left = all
    var policy = WorkPolicy()
    policy.waitsForGivenUpChunk = Bool.random(using: &random)
    policy.checkpointEvery = Bool.random(using: &random) ? .milliseconds(300) : nil
    policy.stintsWithoutProgress = 1_000
    // Half of the jobs know dear checkpoints that vary, so that the expectation rule decides.
    var history = WorkHistory()
    if Bool.random(using: &random) {
      for index in 0..<40 {
        history.add(.init(took: .milliseconds(index % 10 == 0 ? 300 : 20 + index), bytes: 1_000))
      }
    }
    machine = WorkerMachine(
      policy: policy, lead: .milliseconds(200), outlook: WorkerRig.outlook(left: all, of: all),
      restored: nil, budget: .seconds(1), history: history)
    self.random = random
  }

  var moment: Moment { Moment(now: now, deadline: deadline) }

  mutating func event(_ name: String, _ body: (inout WorkerMachine, Moment) -> [Action]) {
    let wasEnded = outcome != nil
    let actions = body(&machine, moment)
    history.append("\(name) -> \(machine.phase) \(actions)")
    if wasEnded {
      for action in actions {
        guard case .endTask = action else { note("\(action) after the end"); continue }
      }
    }
    for action in actions { perform(action) }
    checkLiveness()
  }

  /// A kill during a delivery must not cost more than the delivery.
  private mutating func checkLoss() {
    guard isDelivering, save == nil, durable != current, !hasFailedSaves, untold.isEmpty, let toldAt
    else { return }
    if toldAt.duration(to: now) > .milliseconds(200) { note("killed with \(work) not saved") }
  }

  mutating func note(_ fault: String) { faults.append(fault) }

  private mutating func perform(_ action: Action) {
    switch action {
    case .beginTask:
      if isAsked { note("asked for a task twice") }
      isAsked = true
      isAskedTaskSpent = false
    case .endTask(let task):
      if openTasks.remove(task.rawValue) == nil { note("ended task \(task.rawValue) twice") }
    case .stintBegan:
      workAtBegin = durableWork
    case .runChunk(let cost):
      if chunk != nil { note("two chunks at once") }
      if machine.phase != .working { note("a chunk in \(machine.phase)") }
      chunk = (cost, false)
    case .raiseStopFlag:
      chunk?.flagged = true
    case .save:
      if save != nil { note("two checkpoints at once") }
      save = (current, work)
    case .deliver:
      if isDelivering { note("delivered twice at once") }
      if isDelivered { note("delivered again") }
      if left > 0 { note("delivered too early") }
      isDelivering = true
    case .wake(let instant):
      wake = instant
    case .stintEnded(let summary):
      check(summary)
    case .notice(let notice):
      switch notice {
      case .unprotected, .denied: isUnprotected = true
      case .nearMiss, .slowCheckpoint, .neverSaved, .saveFailed, .chunkGivenUp, .stepTooLong,
        .chunkTooLargeForBudget:
        break
      }
    case .ended(let outcome):
      if self.outcome != nil { note("ended twice") }
      if chunk?.flagged == false { note("ended with a chunk that nobody stops") }
      self.outcome = outcome
    }
  }

  /// The accounts add up, and nothing is lost that could have been saved (W4, W10).
  private mutating func check(_ summary: StintSummary) {
    if summary.end == .finished {
      if summary.lost != .zero { note("finished, and lost \(summary.lost)") }
      return
    }
    if workAtBegin + summary.saved != durableWork { note("saved \(summary.saved) is wrong") }
    if durableWork + summary.lost != work { note("lost \(summary.lost) is wrong") }
    if summary.end == .failed || durable == current { return }
    guard let remaining = moment.remaining else {
      return note("ended a stint without a deadline and without a checkpoint")
    }
    if remaining > machine.closing, summary.end != .denied {
      note("no checkpoint was tried in the last \(remaining)")
    }
  }

  /// A worker with work left and an active application does something or waits for something (W5).
  private mutating func checkLiveness() {
    guard outcome == nil, untold.isEmpty, isInForeground, !isPauseWanted, !isStopWanted,
      machine.phase != .closing(.failed)
    else { return }
    if chunk == nil, save == nil, !isDelivering, !isAsked { note("stuck in \(machine.phase)") }
    if !isAsked, let spent = openTasks.first(where: { spentTasks.contains($0) }) {
      note("active with the spent task \(spent)")
    }
    if !isAsked, openTasks.isEmpty, !isUnprotected { note("active without a task") }
    if openTasks.count > 1 { note("holds two tasks") }
  }
}

extension WorkerWorld {
  // MARK: What the world can do

  mutating func answer(granting: Bool) {
    isAsked = false
    guard granting else {
      let reason: DenialReason = isInForeground ? .tooManyTasks(maximum: 1) : .suspended
      return event("denied") { $0.taskDenied(reason, at: $1) }
    }
    let task = BackgroundTaskIdentifier(rawValue: nextTask)
    openTasks.insert(nextTask)
    isUnprotected = false
    if isAskedTaskSpent { spentTasks.insert(nextTask) }
    nextTask += 1
    event("granted") { $0.taskGranted(task, at: $1) }
  }

  mutating func expire(_ reason: ExpiryReason) {
    if case .signal = reason { isStopWanted = true }
    spentTasks.formUnion(openTasks)
    isAskedTaskSpent = isAsked
    event("expired \(reason)") { $0.expired(reason, at: $1) }
  }

  mutating func finishChunk(took: Duration) {
    chunk = nil
    left -= 1
    current += 1
    work += took
    let outlook = WorkerRig.outlook(left: left, of: all)
    event("chunk finished") { $0.chunkFinished(took: took, cost: 1, outlook: outlook, at: $1) }
  }

  mutating func finishSave(_ error: StintError? = nil) {
    guard let done = save else { return }
    save = nil
    if let error {
      hasFailedSaves = true
      return event("save failed") { $0.saveFailed(error, at: $1) }
    }
    durable = done.state
    durableWork = done.work
    let took = Duration.milliseconds(Int.random(in: 1...60, using: &random))
    event("saved") { $0.saved(took: took, at: $1) }
  }

  mutating func finishDelivery(_ error: StintError? = nil) {
    isDelivering = false
    if let error { return event("delivery failed") { $0.deliveryFailed(error, at: $1) } }
    isDelivered = true
    event("delivered") { $0.delivered(at: $1) }
  }

  mutating func enterBackground() {
    isInForeground = false
    deadline = now.advanced(by: .milliseconds(Int.random(in: 20...1_500, using: &random)))
    untold.append(false)
  }

  mutating func becomeActive() {
    isInForeground = true
    deadline = nil
    untold.append(true)
  }

  mutating func tell() {
    toldAt = untold[0] ? nil : now
    if untold.removeFirst() {
      event("became active") { $0.becameActive(at: $1) }
    } else {
      event("entered background") { $0.enteredBackground(at: $1) }
    }
  }

  /// Lets time pass; what the machine asked to be woken for is not missed.
  mutating func pass(_ duration: Duration) {
    let end = now.advanced(by: duration)
    while !isKilled, let next = [wake, deadline].compactMap({ $0 }).min(), next <= end {
      now = max(now, next)
      if let wake, wake <= now {
        self.wake = nil
        event("woken") { $0.timePassed(at: $1) }
      }
      if let deadline, deadline <= now {
        if !openTasks.isEmpty, untold.isEmpty, outcome == nil {
          note("task open at its deadline in \(machine.phase)")
        }
        if outcome == nil, !openTasks.isEmpty {
          isKilled = true
          checkLoss()
        }
        self.deadline = openTasks.isEmpty ? nil : now
        if openTasks.isEmpty { break }
      }
    }
    now = max(now, end)
  }
}

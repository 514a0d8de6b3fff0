package import StintCore

/// Stint's own choice: the machines of production, `SystemMachine` and `WorkerMachine`, performed
/// in virtual time.
///
/// They learn everything from what they measure: nothing of the distributions is handed over but
/// the size of a checkpoint and how the costs of chunks grow, which a computation knows. The worker
/// lives on from trip to trip (its process rests in between) unless its process was killed; the
/// next one is told what is durable. Each trip has a system of its own, because leads differ from
/// trip to trip.
package struct StintWorker: ScenarioWorker {
  private let scenario: Scenario
  private let stagger: Double
  private var work: WorkPolicy
  private var system: SystemMachine
  var machine: WorkerMachine?
  /// What the journal would say.
  private var history = WorkHistory()
  private var wasWarned = false
  /// Whether the end was not told before, or came sooner.
  private var wasNews = false
  /// Whether a checkpoint became durable after the word of the end.
  private var isSavedAfterNews = false
  /// When the trip began, on the clock of the machines.
  private var base = Instant(nanoseconds: 1_000_000_000)
  private var systemActions = ActionQueue<SystemMachine.Action>()
  private var workerActions = ActionQueue<WorkerMachine.Action>()
  private var systemWake: Instant?
  private var workerWake: Instant?
  private var hardStop: Instant?
  package private(set) var ledger: [Sighting] = []
  /// The work of the job in the newest state that the machine says is durable.
  package private(set) var claimedWork: Nanoseconds = 0

  package init(_ scenario: Scenario, stagger: Double, work: WorkPolicy = WorkPolicy()) {
    self.scenario = scenario
    self.stagger = stagger
    self.work = work
    // Nothing is written beside a chunk in this world.
    self.work.longChunk = nil
    self.work.worksWhileSaving = false
    system = SystemMachine(policy: .unlimited)
  }

  private static let task = "run"
  private static let origin = TaskOrigin(function: "scenario", file: "StintScenarios", line: 0)

  // MARK: What happens

  package mutating func began(_ world: TripWorld) {
    system = SystemMachine(policy: SystemPolicy(world, scenario))
    systemWake = nil
    workerWake = nil
    hardStop = nil
    ledger.removeAll(keepingCapacity: true)
    wasWarned = false
    wasNews = false
    isSavedAfterNews = false
    let now = now(world)
    let isNew = machine == nil
    if isNew { machine = newMachine(world) }
    feed(system.launched(into: .foreground, now: now), world)
    if isNew { tell({ $0.started(isInForeground: true, at: $1) }, world) }
    feed(system.becameActive(now: now), world)
    // The budget's clock runs from the first instruction on.
    if !world.isOver { feed(system.resigned(now: now), world) }
    if !world.isOver { feed(system.backgroundEntered(now: now), world) }
    settle(world)
  }

  package mutating func wasDenied(_ world: TripWorld) {
    // One that rests is not even asked to go on.
    if machine == nil {
      machine = newMachine(world)
      tell({ $0.started(isInForeground: false, at: $1) }, world, denies: true)
    }
  }

  package mutating func chunkEnded(_ world: TripWorld) {
    let took = Duration.nanoseconds(world.lastChunk)
    let cost = world.work.workload.nominal(world.complete.position - 1)
    let outlook = outlook(world)
    tell({ $0.chunkFinished(took: took, cost: cost, outlook: outlook, at: $1) }, world)
    settle(world)
  }

  package mutating func checkpointEnded(_ world: TripWorld) {
    let took = Duration.nanoseconds(world.lastCheckpoint)
    history.add(WorkHistory.Checkpoint(took: took, bytes: outlook(world).checkpointBytes))
    if wasWarned || wasNews { isSavedAfterNews = true }
    tell({ $0.saved(took: took, at: $1) }, world)
    settle(world)
  }

  package mutating func warned(_ world: TripWorld) {
    // A planned end is known, and its own clock tells when it is near; one that was not told, or
    // comes sooner, is news.
    if world.isEndNews {
      wasNews = true
      feed(system.revoked(.revoked, now: now(world)), world)
    }
    settle(world)
  }

  package mutating func deadlineMoved(_ world: TripWorld) {
    if let told = world.toldDeadline {
      let end = base.advanced(by: .nanoseconds(told))
      feed(system.deadlineMoved(to: end, now: now(world)), world)
    }
    settle(world)
  }

  package mutating func woken(_ world: TripWorld) {
    let now = now(world)
    if let instant = hardStop, instant <= now {
      world.terminate()
      return
    }
    if let instant = systemWake, instant <= now {
      systemWake = nil
      feed(system.timePassed(now: now), world)
    }
    if !world.isOver, let instant = workerWake, instant <= now {
      workerWake = nil
      tell({ $0.timePassed(at: $1) }, world)
    }
    settle(world)
  }

  package mutating func wentOn(after length: Nanoseconds, _ world: TripWorld) {
    machine?.stoodStill(for: .nanoseconds(length))
    feed(system.continued(afterStop: .nanoseconds(length), now: now(world)), world)
    settle(world)
  }

  package mutating func ended(isKilled: Bool, _ world: TripWorld) {
    if let machine {
      // Its clock of work counts from its own beginning; both are sums of the same chunks.
      claimedWork = machine.savedWorkTime.nanoseconds
    }
    history.ran += .nanoseconds(world.now)
    if !isKilled, world.account.cutCheckpoint > 0 {
      history.addUnfinished(after: .nanoseconds(world.account.cutCheckpoint))
    }
    // As the journal's readers count it.
    let isUnprepared = !isSavedAfterNews && world.inHand > 0
    if isKilled ? !wasWarned || isUnprepared : wasNews && isUnprepared { history.suddenEnds += 1 }
    // A process that is gone, has failed, or rests with work in its hands that is not durable, is
    // not there in the next trip.
    if isKilled || world.durable != world.complete || machine?.isOver == true { machine = nil }
    base = base.advanced(by: .nanoseconds(world.now + StrategyTally.rest))
    systemActions.removeAll()
    workerActions.removeAll()
  }

  // MARK: The machines

  private func now(_ world: TripWorld) -> Instant {
    base.advanced(by: .nanoseconds(world.now))
  }

  private func newMachine(_ world: TripWorld) -> WorkerMachine {
    WorkerMachine(
      policy: work, lead: .nanoseconds(world.trip.lead), outlook: outlook(world),
      restored: world.durable.total > 0 ? .nanoseconds(world.durable.total) : nil,
      budget: world.remaining.map { .nanoseconds($0) }, history: history, stagger: stagger)
  }

  private func outlook(_ world: TripWorld) -> Outlook {
    let cost = world.nextNominal
    // A computation knows how large its state is.
    let workload = world.work.workload
    let checkpoint =
      workload.checkpoint.mean * workload.growth(holdingSeconds: world.complete.total.seconds)
    let bytes = checkpoint * work.expectedBytesPerSecond - work.checkpointBaseBytes
    return Outlook(
      progress: WorkProgress(fraction: 0, phase: ""),
      next: .init(smallest: cost, largest: cost), remainingCost: 1e9,
      checkpointBytes: max(1, Int(bytes)))
  }

  private func moment(_ world: TripWorld) -> Moment {
    Moment(now: now(world), deadline: system.usableUntil)
  }

  private mutating func tell(
    _ event: (inout WorkerMachine, Moment) -> [WorkerMachine.Action], _ world: TripWorld,
    denies: Bool = false
  ) {
    guard var changed = machine.take() else { return }
    let actions = event(&changed, moment(world))
    machine = changed
    workerActions.append(actions)
    if workerActions.claim() {
      while let action = workerActions.next() {
        if !world.isOver { perform(action, world, denies: denies) }
      }
    }
    guard workerActions.isIdle else { return }
    // As in a run, the trip is this worker's alone.
    if !world.isOver, machine?.phase.isBetweenStints ?? false {
      feed(system.idled(now: now(world)), world)
    }
  }

  private mutating func perform(
    _ action: WorkerMachine.Action, _ world: TripWorld, denies: Bool
  ) {
    switch action {
    case .beginTask:
      if denies {
        tell({ $0.taskDenied(.refused("no budget now"), at: $1) }, world)
      } else {
        requestTask(world)
      }
    case .endTask(let task):
      ledger.append(Sighting(at: world.now, .taskEnded(Self.task)))
      let end = system.taskEnded(task, by: Self.origin, quietly: true, now: now(world))
      feed(end.actions, world)
    case .runChunk:
      world.startChunk()
    case .raiseStopFlag:
      world.giveUpChunk()
      tell({ $0.chunkGaveUp(at: $1) }, world)
    case .save:
      world.startCheckpoint()
    case .wake(let instant):
      workerWake = instant
    case .ended:
      world.end()
    case .stintEnded(let summary):
      history.add(summary.measured)
    case .stintBegan, .notice, .deliver:
      break
    }
  }

  private mutating func requestTask(_ world: TripWorld) {
    let request = system.taskRequested(
      name: Self.task, origin: Self.origin, delivery: .direct, now: now(world))
    feed(request.actions, world)
    switch request.grant {
    case .granted(let task):
      ledger.append(Sighting(at: world.now, .taskBegan(Self.task)))
      tell({ $0.taskGranted(task, at: $1) }, world)
    case .denied(let reason): tell({ $0.taskDenied(reason, at: $1) }, world)
    }
  }

  private mutating func feed(_ actions: [SystemMachine.Action], _ world: TripWorld) {
    systemActions.append(actions)
    guard systemActions.claim() else { return }
    while let action = systemActions.next() {
      if !world.isOver { perform(action, world) }
    }
  }

  private mutating func perform(_ action: SystemMachine.Action, _ world: TripWorld) {
    switch action {
    case .wake(let instant): systemWake = instant
    case .armHardStop(let instant): hardStop = instant
    case .show(.background): tell({ $0.enteredBackground(at: $1) }, world)
    case .tell(.didBecomeActive, _): tell({ $0.becameActive(at: $1) }, world)
    case .tell(.didEnterBackground, let trip):
      feed(system.didEnterBackgroundReturned(trip: trip, now: now(world)), world)
    case .expireDirectly(_, let reason, _):
      wasWarned = true
      ledger.append(Sighting(at: world.now, .warned))
      tell({ $0.expired(reason, at: $1) }, world)
    case .deadlineMoved: tell({ $0.timePassed(at: $1) }, world)
    case .deadlineExtended: tell({ $0.deadlineExtended(at: $1) }, world)
    case .suspend:
      tell({ $0.suspended(at: $1) }, world)
      world.end()
    case .stopCompleted: world.end()
    case .terminate: world.terminate()
    case .show, .tell, .announceExpiry, .callHandlers, .ask, .answer, .resume, .diagnose: break
    }
  }

  /// One timer stands for all three.
  private func settle(_ world: TripWorld) {
    guard !world.isOver else { return }
    let first = [systemWake, workerWake, hardStop].compactMap { $0 }.min()
    world.wake(at: first.flatMap { $0 == .distantFuture ? nil : base.duration(to: $0).nanoseconds })
  }
}

extension SystemPolicy {
  /// What the system of a trip goes by.
  init(_ world: TripWorld, _ scenario: Scenario) {
    let trip = world.trip
    self.init(
      name: "scenario", grant: world.remaining.map { .nanoseconds($0) },
      lead: .nanoseconds(max(1, trip.noticeLead ?? trip.lead)))
    if case .policy(let preset) = scenario.trace.grant {
      terminationPoint = preset.terminationPoint
      maximumTasks = preset.maximumTasks
    }
    stoppedTime = scenario.trace.standstill?.counts == false ? .running : .elapsed
  }
}

extension WorkerMachine {
  /// Whether it has ended for good.
  fileprivate var isOver: Bool {
    if case .ended = phase { return true }
    return false
  }
}

import StintCore

/// A worker of the usual kind, with one fault planted in it; without one it does everything right.
///
/// It runs chunks, reports after each, and saves a few times in a budget. Warned, its handler
/// saves, ends the task and returns, in that order. Its system is the machine of production, whose
/// ledger it does not write itself.
package struct PlantedWorker: ScenarioWorker {
  /// So often a budget is divided by periodic saves.
  private static let savesPerBudget: Int64 = 4
  /// What a report that lies makes of a second of work.
  private static let exaggeration = 1.5
  private static let task = "work"
  private static let forgotten = "prefetch"

  private let scenario: Scenario
  private let fault: WorkerFault?
  private var system = LedgerSystem(policy: .unlimited)
  private var actions: [SystemMachine.Action] = []
  private var isPerforming = false
  /// Handlers that wait for the main queue, the one that runs first.
  private var handlers: [BackgroundTaskIdentifier] = []
  private var epoch = 0
  private var isHandling = false
  private var mustEnd = false
  private var nextSave: Nanoseconds = 0
  package private(set) var claimedWork: Nanoseconds = 0
  package private(set) var reportedWork: Nanoseconds?

  package init(_ scenario: Scenario, fault: WorkerFault? = nil) {
    self.scenario = scenario
    self.fault = fault
  }

  package var ledger: [Sighting] { system.ledger }

  // MARK: What happens

  package mutating func began(_ world: TripWorld) {
    system = LedgerSystem(policy: SystemPolicy(world, scenario))
    handlers = []
    isHandling = false
    mustEnd = false
    nextSave = world.trip.grant / Self.savesPerBudget
    claimedWork = world.durable.total
    reportedWork = world.durable.total
    perform(
      system.begin(
        tasks: fault == .leakedTask ? [Self.task, Self.forgotten] : [Self.task], at: world.now),
      world)
    advance(world)
  }

  package mutating func chunkEnded(_ world: TripWorld) {
    report(world)
    if world.now >= nextSave, world.inHand > 0, !hasBeenWarned {
      nextSave = world.now + world.trip.grant / Self.savesPerBudget
      save(world)
    }
    advance(world)
  }

  package mutating func checkpointEnded(_ world: TripWorld) {
    claimedWork = world.durable.total
    if mustEnd { finishHandling(world) }
    advance(world)
  }

  package mutating func warned(_ world: TripWorld) {
    // Its own clock tells of a planned end; one that was not told, or comes sooner, is news.
    if world.isEndNews { perform(system.revoked(at: world.now), world) }
    advance(world)
  }

  package mutating func deadlineMoved(_ world: TripWorld) {
    if let told = world.toldDeadline { perform(system.moved(to: told, at: world.now), world) }
    advance(world)
  }

  package mutating func woken(_ world: TripWorld) {
    perform(system.timePassed(at: world.now), world)
    advance(world)
  }

  package mutating func wentOn(after length: Nanoseconds, _ world: TripWorld) {
    perform(system.continued(after: length, at: world.now), world)
    advance(world)
  }

  package mutating func ended(isKilled: Bool, _ world: TripWorld) {
    actions.removeAll()
  }

  // MARK: What it does

  private var hasBeenWarned: Bool { isHandling || !handlers.isEmpty || mustEnd }

  private mutating func report(_ world: TripWorld) {
    let done = world.complete.total
    guard fault == .lyingProgress else {
      reportedWork = done
      return
    }
    let own = done - world.start.total
    reportedWork = world.start.total + Nanoseconds(Double(own) * Self.exaggeration)
  }

  /// Goes on with its work, and asks to be woken when its system has something to do.
  private mutating func advance(_ world: TripWorld) {
    guard !world.isOver else { return }
    if world.isIdle, !mustEnd { world.startChunk() }
    world.wake(at: system.wakeAt)
  }

  /// Makes the newest state durable, or says that it is.
  private mutating func save(_ world: TripWorld) {
    guard fault != .lyingCheckpoint else {
      claimedWork = world.complete.total
      return
    }
    if !world.isSaving { world.startCheckpoint() }
  }

  /// The handler of the task on whose behalf it works.
  private mutating func handle(_ world: TripWorld) {
    guard fault != .ignoredWarning else { return returnFromHandler(world) }
    mustEnd = true
    world.giveUpChunk()
    if world.inHand > 0, claimedWork < world.complete.total { save(world) }
    if fault == .earlyReturn || !world.isSaving { finishHandling(world) }
  }

  private mutating func finishHandling(_ world: TripWorld) {
    guard isHandling else { return }
    perform(system.end(Self.task, at: world.now), world)
    returnFromHandler(world)
  }

  private mutating func returnFromHandler(_ world: TripWorld) {
    guard isHandling, let task = handlers.first else { return }
    isHandling = false
    handlers.removeFirst()
    perform(system.returned(task, at: world.now), world)
    callNext(world)
  }

  /// The main queue comes to the next handler.
  private mutating func callNext(_ world: TripWorld) {
    while !isHandling, let task = handlers.first {
      let call = system.call(task, epoch: epoch, at: world.now)
      perform(call.actions, world)
      guard let name = call.name else {
        handlers.removeFirst()
        continue
      }
      isHandling = true
      if name == Self.task {
        handle(world)
      } else {
        // Nobody thought of this one.
        returnFromHandler(world)
      }
    }
  }

  // MARK: The system

  private mutating func perform(_ new: [SystemMachine.Action], _ world: TripWorld) {
    actions += new
    guard !isPerforming else { return }
    isPerforming = true
    while !actions.isEmpty {
      perform(actions.removeFirst(), world)
    }
    isPerforming = false
  }

  private mutating func perform(_ action: SystemMachine.Action, _ world: TripWorld) {
    switch action {
    case .callHandlers(let tasks, _, _, let epoch):
      handlers += tasks
      self.epoch = epoch
      callNext(world)
    case .suspend, .stopCompleted: world.end()
    case .terminate: world.terminate()
    case .show, .tell, .expireDirectly, .deadlineMoved, .deadlineExtended, .announceExpiry, .ask,
      .answer, .resume,
      .diagnose, .wake, .armHardStop:
      break
    }
  }
}

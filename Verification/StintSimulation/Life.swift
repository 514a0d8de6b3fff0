import StintCore

/// One life: a job from its first process to its result, with everything that can go wrong on the
/// way.
///
/// The machines are those of production. Around them stand a clock, two lanes, a main queue, a disk
/// and a user, all drawn from one seed; after every event the invariants are checked against what
/// the world itself has seen.
final class Life {
  /// What can be due.
  enum Slot: Int, CaseIterable {
    case hardStop, systemWake, workerWake, chunk, save, delivery, main, answer, tick, app, user,
      disturbance
    case scheduleWake, launch, runEnds, request
  }

  /// A turn of the main queue.
  enum Turn {
    case enterReturned(trip: Int)
    case handler(BackgroundTaskIdentifier, epoch: Int)
    case handlerEnds(BackgroundTaskIdentifier)
  }

  /// A task as the world knows it.
  struct KnownTask {
    var identifier: BackgroundTaskIdentifier
    var name: String
    var delivery: TaskDelivery
    var isWorkers: Bool
    var isPending: Bool
    var isDenied = false
    /// How often its owner was called.
    var calls = 0
    /// Whether the system has set the call in motion.
    var isWarned = false
    var endsAt = Instant.distantFuture
    var endsInHandler = true
    /// The run of the schedule that it was begun for.
    var run: Int?

    /// Whether it has had its one call, or will have none, and only waits to be ended (A4, A17).
    var isSpent: Bool { !isPending && (calls > 0 || (isDenied && delivery == .none)) }
    /// Whether the next trip ends it; one that the system began has an end of its own (A17, Q4).
    var endsWithTrip: Bool { isSpent && (run == nil || isDenied) }
  }

  let seed: UInt64
  let plan: Plan
  let plant: PlantedFault?
  let suppressed: Set<Int>
  let isRecording: Bool
  var history: [String] = []

  var costs: SplitMix64
  var user: SplitMix64
  var now = Instant(nanoseconds: 1_000_000_000_000)
  var due = [Instant](repeating: .distantFuture, count: Slot.allCases.count)

  // The process.
  var system: SystemMachine { didSet { usableUntil = system.usableUntil } }
  /// Kept beside the machine: it is asked for at every event, and asking a machine that a class
  /// holds copies all of it.
  var usableUntil: Instant?
  var worker: WorkerMachine
  var systemQueue = ActionQueue<SystemMachine.Action>()
  var workerQueue = ActionQueue<WorkerMachine.Action>()
  var isBecomingActive = false
  var isAlive = false
  var isSuspended = false
  /// What the process does when everything is saved, in lives that follow it.
  var runMachine = RunMachine(rules: .init(rest: nil, leastTime: .zero))
  var runQueue = ActionQueue<RunMachine.Action>()
  /// How the work ended.
  var outcome: WorkerOutcome?
  var turns: [Turn] = []
  var tasks: [KnownTask] = []
  var asked: [BackgroundTaskIdentifier] = []

  // The lanes.
  var current = SimulatedDisk.State()
  var chunk: (units: Int, took: Duration, isFlagged: Bool)?
  var save: (state: SimulatedDisk.State, step: Int, began: Instant, fails: Bool)?
  /// What one step of the running checkpoint takes.
  var saveStep = Duration.zero
  var isDelivering = false
  var disk = SimulatedDisk()

  // What is in store for it.
  /// The process is killed after this step of a checkpoint.
  var killsAt: SimulatedDisk.Step?
  /// Power is lost soon after the next start.
  var losesPowerSoon = false

  // What the world knows of the system's time.
  var tripDeadline = Instant.distantFuture
  var tripStart = Instant.distantFuture
  var enteredAt = Instant.distantFuture
  /// Whether the trip has an end that is not the policy's own.
  var isTripLimited = false
  /// Whether the program has said that it has nothing more to do in the trip.
  var isIdle = false
  var stopDeadline = Instant.distantFuture
  var quotaStart: Instant?
  var quotaUsed = Duration.zero
  var stoodStill = false
  /// Since when nothing ran, as far as that has not been counted yet.
  var suspendedAt: Instant?
  /// Time of the trip that does not count (A23).
  var uncounted = Duration.zero

  /// Whether the system took the rest of the trip back, which no task lifts.
  var isTripRevoked = false
  /// When the quota of the trip is used up.
  var quotaEnd = Instant.distantFuture
  /// Since when the application is suspended by the clock, and what did not count before.
  var suspendedSince: Instant?
  var uncountedBefore = Duration.zero

  // Requests, in lives that have some.
  var scheduler: ScheduleMachine
  var scheduleQueue = ActionQueue<ScheduleMachine.Action>()
  var requests = SimulatedRequests()
  var requestActions = 0
  /// The state that the schedule has heard of last.
  var heardState = LifeState.notRunning
  var conditions = MachineConditions()
  var clockError = Duration.zero

  // What the world knows of the worker.
  var registrations = 0
  var wasStintOver = false
  var isPauseWanted = false
  var isStopWanted = false
  var stintBegan: Instant?
  var savedAtBegin = Duration.zero
  var durable = SimulatedDisk.State()
  var totalRun = Duration.zero
  var cutOff = Duration.zero
  var resumesAt = Instant.distantFuture

  // The account.
  var events = 0
  var disturbances = 0
  var report = LifeReport()
  var violation: Violation?
  var isOver = false

  init(seed: UInt64, plant: PlantedFault?, suppressed: Set<Int> = [], isRecording: Bool = false) {
    self.seed = seed
    self.plant = plant
    self.suppressed = suppressed
    self.isRecording = isRecording
    plan = Plan(seed: seed)
    costs = SplitMix64(seed: seed, part: 2)
    user = SplitMix64(seed: seed, part: 3)
    system = SystemMachine(policy: plan.policy, authority: plan.authority)
    scheduler = ScheduleMachine(policy: plan.policy)
    worker = WorkerMachine(
      policy: plan.work, lead: plan.policy.lead, outlook: Self.outlook(current, plan),
      restored: nil, budget: plan.policy.grant)
  }

  /// Lives it to its end.
  func run() -> LifeReport {
    boot()
    followRun()
    schedule(.disturbance, in: nextDisturbance())
    while !isOver, violation == nil {
      guard let slot = takeDue() else {
        fail(.neverStuck, "nothing is due in \(worker.phase)")
        break
      }
      events += 1
      happen(slot)
      followRun()
      setScheduleWake()
      if isAlive { check() }
      if events >= Plan.mostEvents { isOver = true }
    }
    report.events = events
    report.violation = violation
    return report
  }

  // MARK: Time

  func schedule(_ slot: Slot, in duration: Duration) {
    due[slot.rawValue] = now.advanced(by: duration)
  }

  func schedule(_ slot: Slot, at instant: Instant?) {
    due[slot.rawValue] = instant ?? .distantFuture
  }

  func cancel(_ slot: Slot) {
    due[slot.rawValue] = .distantFuture
  }

  /// Moves the clock to the earliest thing that is due and takes it; what is due first in the list
  /// goes first.
  private func takeDue() -> Slot? {
    var best = 0
    var earliest = Instant.distantFuture
    due.withUnsafeBufferPointer { due in
      for index in due.indices where due[index] < earliest {
        earliest = due[index]
        best = index
      }
    }
    guard earliest < .distantFuture else { return nil }
    due[best] = .distantFuture
    now = max(now, earliest)
    return Slot(rawValue: best)
  }

  private func happen(_ slot: Slot) {
    if isRecording { history.append("\(now) \(slot) \(system.lifeState) \(worker.phase)") }
    switch slot {
    case .hardStop: hardStopFires()
    case .systemWake: feed(system.timePassed(now: now))
    case .workerWake: tell(worker.timePassed(at: moment))
    case .chunk: chunkEnds()
    case .save: saveStepEnds()
    case .delivery: deliveryEnds()
    case .main: mainTurn()
    case .answer: authorityAnswers()
    case .tick: tick()
    case .app: appTaskEnds()
    case .user: userActs()
    case .disturbance: disturb()
    case .scheduleWake: scheduleWakes()
    case .launch: launchTurn()
    case .runEnds: runsEnd()
    case .request: requestActs()
    }
  }

  var moment: Moment { Moment(now: now, deadline: usableUntil) }

  func record(_ text: @autoclosure () -> String) {
    if isRecording { history.append("\(now)   \(text())") }
  }

  func fail(_ invariant: Invariant, _ detail: @autoclosure () -> String) {
    guard violation == nil else { return }
    violation = Violation(invariant: invariant, detail: detail(), event: events)
    record("VIOLATION \(invariant): \(detail())")
  }
}

/// What came of a life.
package struct LifeReport: Sendable {
  package var events = 0
  package var trips = 0
  package var checkpoints = 0
  package var stints = 0
  package var processes = 0
  package var kills = 0
  package var isFinished = false
  package var violation: Violation?
}

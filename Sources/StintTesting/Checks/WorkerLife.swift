import Stint
import StintCore

/// The life of one job over processes and boots, in virtual time.
@MainActor
final class WorkerLife<Base: ChunkedComputation> {
  /// Something is wrong; the caller knows the seed.
  struct Violation: Error {
    var finding: String
  }

  private struct Process {
    let system: VirtualSystem
    let job: Job
    let worker: Worker<ObservedComputation<Base>>
    let outcome: Protected<WorkerOutcome?>

    @MainActor var end: WorkerOutcome? { outcome.withLock { $0 } }
    @MainActor var isOver: Bool { end != nil || !system.isAlive }
  }

  private let computation: ObservedComputation<Base>
  private let conditions: CheckConditions
  private let costs: VirtualCosts
  private let clock = VirtualClock()
  private var disk = FaultyFileSystem()
  private var process: Process?
  private var generator: SeededGenerator
  private var past = ""

  /// What happened in all processes so far.
  var history: String { past + (process?.system.history ?? "") }
  /// How long the life has lasted.
  let begin: Instant

  init(_ base: Base, _ conditions: CheckConditions, costs: VirtualCosts, seed: UInt64) {
    computation = ObservedComputation(base: base, log: .init())
    self.conditions = conditions
    self.costs = costs
    generator = SeededGenerator(seed: seed)
    begin = clock.now
  }

  /// Lives through the cuts and then without disturbance to the end.
  ///
  /// - Parameters:
  ///   - cuts: What disturbs it.
  ///   - output: What the owner of the computation says that was delivered.
  /// - Returns: What came of it.
  /// - Throws: ``Violation``, or what the job or the output throws.
  func live(through cuts: [Cut], output: () throws -> [UInt8]) throws -> RunProduct {
    try launch()
    for cut in cuts {
      current.system.advance(atMost: cut.after) { current.isOver }
      if current.end != nil { break }
      try apply(cut)
      if let finding = computation.log.finding { throw Violation(finding: finding) }
    }
    let limit = conditions.wholeTime * 20 + .seconds(600)
    let end = clock.now.advanced(by: limit)
    while current.end == nil, clock.now < end {
      if !current.system.isAlive { try launch() }
      current.system.advance(atMost: clock.now.duration(to: end)) { current.isOver }
    }
    if let finding = computation.log.finding { throw Violation(finding: finding) }
    switch current.end {
    case .finished?:
      return try product(output: output())
    case .failed(let error)?:
      throw Violation(finding: "The worker failed: \(error)")
    case .stopped(let reason)?:
      throw Violation(finding: "The worker stopped (\(reason)), and nobody asked it to.")
    case nil:
      throw Violation(
        finding: "Left alone for \(limit.compactText), the worker did not finish; "
          + "it is \(current.worker.phase).")
    }
  }

  private var current: Process {
    guard let process else { preconditionFailure("A life begins with a launch.") }
    return process
  }

  private func product(output: [UInt8]) throws -> RunProduct {
    guard let finalState = computation.log.finalState else {
      throw Violation(finding: "W9: the job counts as finished, and no result was delivered.")
    }
    try current.job.materialize()
    return RunProduct(
      finalState: finalState, files: disk.resultFiles(besides: current.job.path), output: output)
  }

  // MARK: Processes

  private func launch(intoBackground: Bool = false, denied: Bool = false) throws {
    endProcess()
    let system = VirtualSystem(policy: conditions.policy, clock: clock, termination: .terminate)
    system.share(processOf: disk)
    let outcome = Protected<WorkerOutcome?>(nil)
    var options = WorkerOptions()
    options.policy.checkpointEvery = conditions.checkpointEvery
    // If cut often enough, no stint makes progress; that is not tested here.
    options.policy.stintsWithoutProgress = .max
    options.onEnd = { end in outcome.withLock { $0 = end } }
    var costs = costs
    costs.seed = generator.next()
    let job = try Job(observing: computation, on: disk, clock: clock)
    let worker = Worker(computation, store: job, system: system, options: options, costs: costs)
    process = Process(system: system, job: job, worker: worker, outcome: outcome)
    if denied { system.deny("the check denies it") }
    if intoBackground { system.launchIntoBackground() } else { system.launch() }
    worker.start()
    system.run()
  }

  /// Ends what is left of a process; the next one finds the disk as it is.
  private func endProcess() {
    guard let old = process else { return }
    let isBooted = disk.disk.withLock { $0.hasPower }
    old.system.kill()
    past = String((past + old.system.history + "-- the next process --\n").suffix(20_000))
    process = nil
    if isBooted { disk = disk.anotherProcess() }
  }

  private func losePower(_ seed: UInt64) throws {
    disk.losePower()
    let next = disk.rebooted(.some(seed: seed))
    endProcess()
    disk = next
    try launch()
  }

  // MARK: Cuts

  private func apply(_ cut: Cut) throws {
    guard current.system.isAlive else { return try launch() }
    var details = SeededGenerator(seed: cut.seed)
    let system = current.system
    let grant = conditions.policy.grant ?? .seconds(60)
    switch cut.kind {
    case .interruption:
      system.interrupt(for: .seconds(1))
    case .suspension:
      system.standStill(for: .seconds(600))
    case .background:
      system.enterBackground()
      system.advance(by: details.duration(in: .zero...(grant / 2)))
      try comeBack()
    case .expiry:
      system.enterBackground()
      system.advance(by: grant + .seconds(1))
      try comeBack()
    case .revocation:
      system.enterBackground()
      system.advance(by: details.duration(in: .zero...(grant / 2)))
      system.revoke()
      system.advance(by: conditions.policy.lead + .seconds(1))
      try comeBack()
    case .denial:
      try launch(intoBackground: true, denied: true)
      current.system.advance(by: .seconds(1))
      current.system.deny(nil)
      try comeBack()
    case .kill:
      try launch()
    case .killInCall:
      try inCall(.kill, &details)
      if !disk.isAlive { try launch() }
    case .powerLoss:
      try losePower(cut.seed)
    case .powerLossInCall:
      try inCall(.powerLoss, &details)
      if !disk.isAlive { try losePower(cut.seed) }
    }
  }

  private func comeBack() throws {
    // Terminated for want of time is as good as killed.
    if current.system.isAlive { current.system.enterForeground() } else { try launch() }
  }

  /// Plants a fault at one of the next calls and waits for it.
  private func inCall(_ fault: FileFault, _ details: inout SeededGenerator) throws {
    disk.faults[disk.callCount + Int.random(in: 1...60, using: &details)] = fault
    current.system.advance(atMost: conditions.checkpointEvery * 10) { current.isOver }
    disk.faults = FaultPlan()
  }
}

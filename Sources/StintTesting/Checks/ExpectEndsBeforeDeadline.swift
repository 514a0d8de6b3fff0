public import Stint
import StintCore

/// Expects that a worker of this computation ends every trip before its deadline, with everything saved (W4).
///
/// The worker runs through trips of the policy's length, some of them revoked at a random time. At the end of each, the task must
/// have been ended in time, no complete chunk be lost, and no chunk be running. A computation that cannot be
/// split finely enough and looks at no stop flag fails here, and so does one whose checkpoints are larger than its outlook says.
///
/// - Parameters:
///   - computation: What to run, in a small size.
///   - conditions: How often, how long, from which seed.
/// - Throws: ``CheckFailure`` with the seed.
@MainActor
public func expectEndsBeforeDeadline<Computation: ChunkedComputation>(
  of computation: Computation, conditions: CheckConditions = CheckConditions()
) throws {
  var costs = try VirtualCosts(for: computation, conditions)
  if try ignoresStopFlag(computation) { costs.giveUp = nil }
  var seeds = SeededGenerator(seed: conditions.seed)
  for _ in 0..<conditions.histories {
    try Trips(computation, conditions, costs: costs, seed: seeds.next()).run()
  }
}

/// Whether a chunk runs to its end although its stop flag is up.
private func ignoresStopFlag<Computation: ChunkedComputation>(
  _ computation: Computation
) throws -> Bool {
  let job = try Job(of: computation, on: FaultyFileSystem())
  let state = try computation.start(in: job.workspace)
  guard let range = computation.outlook(of: state).next else { return false }
  let flag = StopFlag()
  flag.raise()
  let context = ChunkContext(stopFlag: flag, workspace: job.workspace)
  let chunk = try computation.run(from: state, atMost: range.largest, in: context)
  return (chunk?.cost ?? 0) > range.largest / 2
}

/// One process that goes from trip to trip until its work is finished.
@MainActor
private struct Trips<Base: ChunkedComputation> {
  private let computation: ObservedComputation<Base>
  private let conditions: CheckConditions
  private let system: VirtualSystem
  private let host: VirtualWorkerHost
  private let worker: Worker<ObservedComputation<Base>>
  private let seed: UInt64
  private let lost = Protected<Duration>(.zero)
  private let outcome = Protected<WorkerOutcome?>(nil)

  init(_ base: Base, _ conditions: CheckConditions, costs: VirtualCosts, seed: UInt64) throws {
    computation = ObservedComputation(base: base, log: .init())
    self.conditions = conditions
    self.seed = seed
    var costs = costs
    costs.seed = seed
    system = VirtualSystem(policy: conditions.policy)
    host = system.makeHost(costs: costs)
    let job = try Job(of: computation, on: FaultyFileSystem(), clock: system.clock)
    job.observeRecords { [lost] record in
      guard case .event(.stintEnded(_, _, let time)) = record.content else { return }
      lost.withLock { $0 += time }
    }
    var options = WorkerOptions()
    options.policy.checkpointEvery = conditions.checkpointEvery
    options.onEnd = { [outcome] end in outcome.withLock { $0 = end } }
    worker = Worker(computation, store: job, host: host, options: options)
  }

  func run() throws {
    defer { system.kill() }
    var generator = SeededGenerator(seed: seed)
    let grant = conditions.policy.grant ?? .seconds(3_600)
    system.launch()
    worker.start()
    // Each trip is worth at least something, so this ends; a worker without progress fails by itself (W13).
    while outcome.withLock({ $0 }) == nil {
      system.advance(by: generator.duration(in: .zero...(grant / 4)))
      system.enterBackground()
      if generator.chance(0.3) {
        system.advance(by: generator.duration(in: .zero...grant))
        system.revoke()
      }
      system.advance(atMost: grant + .seconds(1)) {
        system.lifeState == .suspended || !system.record.terminations.isEmpty
      }
      try expectTripEndedWell()
      system.enterForeground()
    }
    if case .failed(let error)? = outcome.withLock({ $0 }) {
      throw failure("W2: the worker failed: \(error.message)")
    }
  }

  private func expectTripEndedWell() throws {
    if let finding = computation.log.finding { throw failure(finding) }
    if let cause = system.record.terminations.first {
      throw failure("W4: the process would have been terminated at the deadline: \(cause).")
    }
    guard system.lifeState == .suspended else {
      throw failure("W4: the trip's time is over, and the application is \(system.lifeState).")
    }
    if host.runsChunk {
      throw failure(
        "W4: a chunk was still running when the time was gone. Chunks that can take long must be split, "
          + "or look at the stop flag.")
    }
    let lost = lost.withLock { $0 }
    if lost > .zero {
      throw failure("W4: \(lost.compactText) of complete chunks was not saved before the deadline.")
    }
  }

  private func failure(_ finding: String) -> CheckFailure {
    CheckFailure(finding, seed: conditions.seed, history: system.history)
  }
}

public import Stint
import StintCore

/// Expects that a worker of this computation ends every trip before its deadline, with everything
/// saved (W4).
///
/// The worker runs through trips of the policy's length, some of them revoked at a random time. At
/// the end of each, the task must have been ended in time, no complete chunk be lost, and no chunk
/// be running. A computation that cannot be split finely enough and looks at no stop flag fails
/// here, and so does one whose checkpoints are larger than its outlook says.
///
/// Before that, it runs in chunks of many sizes without a worker. It fails if a chunk costs more
/// than it was asked for, if the costs do not add up to what the outlook says, and if a chunk that
/// could be split goes on to its end although its stop flag is up.
///
/// - Parameters:
///   - computation: What to run, in a small size.
///   - conditions: How often, how long, from which seed.
/// - Throws: ``CheckFailure`` with the seed.
@MainActor
public func expectEndsBeforeDeadline<Computation: ChunkedComputation>(
  of computation: Computation, conditions: CheckConditions = CheckConditions()
) throws {
  try CheckFailure.catching(seed: conditions.seed) {
    try expectTripsToEnd(of: computation, conditions)
  }
}

@MainActor
private func expectTripsToEnd<Computation: ChunkedComputation>(
  of computation: Computation, _ conditions: CheckConditions
) throws {
  var costs = try VirtualCosts(for: computation, conditions)
  try expectHonestChunks(of: computation)
  if try ignoresStopFlag(computation) { costs.giveUp = nil }
  if conditions.givenWholeTime == nil {
    try costs.fitSteps(of: computation, into: conditions.policy)
  }
  // The fit test plans for the 99th percentile, so one trip in some hundred may lose its last
  // chunks to a slow disk. That says nothing of the computation, which is judged here: every cost
  // is what it is expected to be.
  costs.outlierProbability = 0
  costs.spread = 0
  try conditions.expectNoFailure(whose: "W4: the same trips fail") { generator in
    (0..<Trip.most).map { _ in Trip(conditions.policy, &generator) }
  } in: { trips, seed in
    do {
      try Traveller(computation, conditions, costs: costs, seed: seed).go(on: trips)
      return nil
    } catch let failure as CheckFailure {
      return failure
    }
  }
}

/// A stay in the foreground and one in the background.
private struct Trip: CustomStringConvertible {
  /// So many are made at most; most computations are finished long before.
  static let most = 60

  var stay: Duration
  /// When the budget is taken back, if it is.
  var revokedAfter: Duration?

  init(_ policy: SystemPolicy, _ generator: inout SeededGenerator) {
    let grant = policy.grant ?? .seconds(3_600)
    stay = generator.duration(in: .zero...(grant / 4))
    if generator.chance(0.3) { revokedAfter = generator.duration(in: .zero...grant) }
  }

  var description: String {
    "\(stay.secondsText(decimals: 9)) s in the foreground, then a trip"
      + (revokedAfter.map { ", revoked after \($0.secondsText(decimals: 9)) s" } ?? "")
  }
}

/// Finds fault with the chunks of a run without a worker, which may be of any size.
@MainActor
private func expectHonestChunks<Computation: ChunkedComputation>(
  of computation: Computation
) throws {
  var runs = DirectRun(computation) { [] }
  do {
    try runs.expectHonestChunks(.fine([.background]))
  } catch let violation as DirectRun<Computation>.Violation {
    throw CheckFailure(violation.finding, seed: nil)
  }
}

/// Whether some chunk that cannot be split runs to its end although its stop flag is up.
///
/// - Throws: ``CheckFailure`` if one that can be split does.
private func ignoresStopFlag<Computation: ChunkedComputation>(
  _ computation: Computation
) throws -> Bool {
  let computation = ObservedComputation(base: computation, log: .init())
  let job = try Job(observing: computation, on: FaultyFileSystem())
  let flag = StopFlag()
  var state = try computation.start(in: job.workspace)
  let part = computation.outlook(of: state).remainingCost / 8
  var ignores = false
  while let range = computation.outlook(of: state).next {
    flag.raise()
    let stopped = try computation.step(
      from: state, atMost: range.largest, in: job, stopFlag: flag)
    if let cost = stopped?.cost, cost > max(range.largest / 2, range.smallest) {
      throw CheckFailure(
        "W4: the stop flag of a chunk was up, and the chunk ran on at a cost of \(cost), where the "
          + "smallest one costs \(range.smallest). Look at the flag where the chunk loops, also "
          + "before its first piece: time can be taken back at any moment.", seed: nil)
    }
    ignores = ignores || stopped.map { $0.cost > range.largest / 2 } ?? false
    flag.lower()
    guard let next = try computation.step(from: state, atMost: part, in: job) else { break }
    state = next.state
  }
  return ignores
}

extension VirtualCosts {
  /// Makes the steps short enough where there are only a few that cannot be split.
  ///
  /// How long a step takes is the check's own choice, and no reason to find fault with the
  /// computation. One that is never split is.
  fileprivate mutating func fitSteps<Computation: ChunkedComputation>(
    of computation: Computation, into policy: SystemPolicy
  ) throws {
    guard let grant = policy.grant else { return }
    let job = try Job(observing: computation, on: FaultyFileSystem())
    let outlook = computation.outlook(of: try computation.start(in: job.workspace))
    guard let step = outlook.hardest ?? outlook.next?.smallest, step > 0,
      step <= outlook.remainingCost / 2
    else { return }
    let longest = min(WorkPolicy().chunkTarget, grant / 8)
    if step * secondsPerUnit > grant.inSeconds / 4 { secondsPerUnit = longest.inSeconds / step }
  }
}

/// One process that goes from trip to trip until its work is finished.
@MainActor
private struct Traveller<Base: ChunkedComputation> {
  private let computation: ObservedComputation<Base>
  private let conditions: CheckConditions
  private let system: VirtualSystem
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
    let job = try Job(observing: computation, on: FaultyFileSystem(), clock: system.clock)
    job.observeRecords { [lost] record in
      guard case .event(.stintEnded(_, _, let time, _, _)) = record.content else { return }
      lost.withLock { $0 += time }
    }
    var options = WorkerOptions()
    options.policy.checkpointEvery = conditions.checkpointEvery
    options.onEnd = { [outcome] end in outcome.withLock { $0 = end } }
    worker = Worker(computation, store: job, system: system, options: options, costs: costs)
  }

  func go(on trips: [Trip]) throws {
    defer { system.kill() }
    let grant = conditions.policy.grant ?? .seconds(3_600)
    system.launch()
    worker.start()
    for (number, trip) in trips.enumerated() {
      system.advance(by: trip.stay)
      system.enterBackground()
      if let after = trip.revokedAfter {
        system.advance(by: after)
        system.revoke()
      }
      system.advance(atMost: grant + .seconds(1)) {
        system.lifeState == .suspended || !system.record.terminations.isEmpty
      }
      let past = trips[...number].map(\.description)
      if let finding = findingAfterTrip() { throw failure(finding, past) }
      switch outcome.withLock({ $0 }) {
      case .finished?, .stopped?: return
      case .failed(let error)?:
        let hint = error.code == .noProgress ? lengthHint : ""
        throw failure("W2: the worker failed: \(error)\(hint)", past)
      case nil: system.enterForeground()
      }
    }
  }

  /// What is wrong at the end of a trip, or nil.
  private func findingAfterTrip() -> String? {
    if let finding = computation.log.finding { return finding }
    if let cause = system.record.terminations.first {
      return "W4: the process would have been terminated at the deadline: \(cause)."
    }
    guard system.lifeState == .suspended else {
      return "W4: the trip's time is over, and the application is \(system.lifeState)."
    }
    if system.environment.runsChunk {
      return
        "W4: a chunk was still running when the time was gone. Chunks that can take long must be split, "
        + "or look at the stop flag.\(lengthHint)"
    }
    let lost = lost.withLock { $0 }
    if lost > .zero {
      return "W4: \(lost.compactText) of complete chunks was not saved before the deadline."
    }
    return nil
  }

  /// How long a step takes is the check's own choice.
  private var lengthHint: String {
    " The check lets the whole run take \(conditions.wholeTime.compactText); if it takes less, set wholeTime in "
      + "the conditions."
  }

  private func failure(_ finding: String, _ steps: [String]) -> CheckFailure {
    CheckFailure(finding, seed: conditions.seed, steps: steps, history: system.history)
  }
}

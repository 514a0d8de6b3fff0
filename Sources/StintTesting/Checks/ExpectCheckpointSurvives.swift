import Glibc
public import Stint
import StintCore

/// Expects that whatever goes wrong at whichever call of a commit, the computation goes on from the
/// newest durable generation or the one before it, never from garbage, and comes to the same result
/// (C1, C2, C4).
///
/// Two checkpoints are made; during the third each fault happens at each call in turn. After it
/// another process opens the job, for a power loss on the next boot with different losses. What it
/// restores must be the third state or, if its commit was not acknowledged, the second, byte for
/// byte. From there the computation runs to its end, unless another fault has left the very same
/// checkpoint and partial files; the final state and the partial files but for scratch must be
/// those of a run without a fault.
///
/// - Parameters:
///   - computation: What to run, in a small size.
///   - faults: What happens.
///   - conditions: From which seed.
///   - fileSystem: Makes the disk.
/// - Throws: ``CheckFailure`` with the seed, the fault and the call.
@MainActor
public func expectCheckpointSurvives<Computation: ChunkedComputation>(
  of computation: Computation,
  faults: [FileFault] = [.diskFull, .ioError, .short, .interrupted, .corrupt, .kill, .powerLoss],
  conditions: CheckConditions = CheckConditions(),
  on fileSystem: () -> FaultyFileSystem = { FaultyFileSystem() }
) throws {
  try CheckFailure.catching(seed: conditions.seed) {
    var commit = try CommitTrial(computation, conditions, disk: fileSystem())
    let calls = try commit.run(nil, atCall: 0)
    for fault in faults {
      // One more than there are: a power loss right after the commit was acknowledged.
      for call in 1...calls + 1 { _ = try commit.run(fault, atCall: call) }
    }
  }
}

/// A job with two checkpoints, whose third is disturbed.
@MainActor
private struct CommitTrial<Base: ChunkedComputation> {
  private let computation: ObservedComputation<Base>
  private let conditions: CheckConditions
  /// The disk after two commits.
  private let disk: FaultyFileSystem
  /// The encoded states of the second and the third commit, and of the end.
  private let second: [UInt8]
  private let third: [UInt8]
  private let final: RunProduct
  /// What was gone on from so far, as it was found after a fault.
  private var tried: Set<RunProduct> = []
  /// The cost of a chunk: a small part of the whole, so that there are some left after the third.
  private let cost: Double

  init(_ base: Base, _ conditions: CheckConditions, disk: FaultyFileSystem) throws {
    computation = ObservedComputation(base: base, log: .init())
    self.conditions = conditions
    self.disk = disk
    let job = try Job(observing: computation, on: disk)
    var state = try computation.start(in: job.workspace)
    cost = computation.outlook(of: state).remainingCost / 8
    var encoded: [[UInt8]] = []
    for _ in 1...2 {
      state = try computation.step(from: state, atMost: cost, in: job)?.state ?? state
      encoded.append(try computation.encoded(state))
      try computation.commit(state, to: job)
    }
    second = encoded[1]
    // The rest is computed on a disk of its own.
    let copy = disk.rebooted(.everything)
    let other = try Job(observing: computation, on: copy)
    state = try computation.step(from: state, atMost: cost, in: other)?.state ?? state
    third = try computation.encoded(state)
    guard third != second, second != encoded[0] else {
      throw CheckFailure(
        "The computation is too small for this check: it has no three states.",
        seed: conditions.seed)
    }
    final = try Self.toTheEnd(computation, state, cost, other, copy, conditions)
  }

  /// Lets a fault happen at a call of the third commit and looks at what is left.
  ///
  /// - Returns: How many calls the commit made.
  mutating func run(_ fault: FileFault?, atCall call: Int) throws -> Int {
    let disk = disk.rebooted(.everything)
    disk.ignoredSynchronization = self.disk.ignoredSynchronization
    let step = fault.map { "\($0) at call \(call) of the commit" } ?? "no fault"
    var isAcknowledged = false
    var before = 0
    do {
      let job = try Job(observing: computation, on: disk)
      guard let restored = try restore(job), restored.bytes == second else {
        throw failure("C1: the second state is not found.", step, disk)
      }
      let next = try computation.step(from: restored.state, atMost: cost, in: job)
      let state = next?.state ?? restored.state
      before = disk.callCount
      if let fault { disk.faults[before + call] = fault }
      do {
        try computation.commit(state, to: job)
        isAcknowledged = true
      } catch let error as StintError {
        // A commit that fails says so; what is left is looked at below.
        if fault == nil { throw failure("C4: the commit fails: \(error)", step, disk) }
      }
    }
    let made = disk.callCount - before
    disk.faults = FaultPlan()
    for next in boots(after: disk, fault, call: call) {
      try expectWhole(on: next, isAcknowledged: isAcknowledged, step)
    }
    if let finding = computation.log.finding { throw failure(finding, step, disk) }
    return made
  }

  /// What the next process may find.
  private func boots(
    after disk: FaultyFileSystem, _ fault: FileFault?, call: Int
  ) -> [FaultyFileSystem] {
    guard fault == .powerLoss else {
      disk.killProcess()
      return [disk.anotherProcess()]
    }
    var seeds = SeededGenerator(seed: conditions.seed &+ UInt64(call))
    let losses = (0..<3).map { _ in FaultyFileSystem.Survival.some(seed: seeds.next()) }
    return ([.nothing, .everything] + losses).map { disk.rebooted($0) }
  }

  private mutating func expectWhole(
    on disk: FaultyFileSystem, isAcknowledged: Bool, _ step: String
  ) throws {
    do {
      let job = try Job(observing: computation, on: disk)
      guard let restored = try restore(job) else {
        throw failure("C1: no checkpoint is found any more.", step, disk)
      }
      guard restored.bytes == third || (restored.bytes == second && !isAcknowledged) else {
        throw failure(
          restored.bytes == second
            ? "C1: the commit was acknowledged, and the state before it is found."
            : "C2: what is restored is no state that was ever committed.", step, disk)
      }
      let files = disk.resultFiles(besides: job.path)
      guard
        tried.insert(RunProduct(finalState: restored.bytes, files: files, output: [])).inserted
      else { return }
      let end = try Self.toTheEnd(computation, restored.state, cost, job, disk, conditions)
      if let difference = end.difference(from: final, except: conditions.scratchFiles) {
        throw failure(
          "W8: restored, the computation comes to another result. \(difference)", step, disk)
      }
    } catch let failure as CheckFailure {
      throw failure
    } catch {
      throw failure("C2: the job cannot go on: \(error)", step, disk)
    }
  }

  private func restore(
    _ job: Job
  ) throws -> (state: Base.State, bytes: [UInt8])? {
    let restored = try job.restore { payload in
      (try computation.decode(payload, in: job.workspace), Array(payload))
    }
    return restored.map { ($0.state.0, $0.state.1) }
  }

  private func failure(_ finding: String, _ step: String, _ disk: FaultyFileSystem) -> CheckFailure
  {
    CheckFailure(
      finding, seed: conditions.seed, steps: [step],
      history: disk.calls.map { "\($0)\n" }.joined())
  }

  private static func toTheEnd(
    _ computation: ObservedComputation<Base>, _ start: Base.State, _ cost: Double, _ job: Job,
    _ disk: FaultyFileSystem, _ conditions: CheckConditions
  ) throws -> RunProduct {
    var state = start
    var left = computation.outlook(of: state).remainingCost
    var idleChunks = 0
    while let next = try computation.step(from: state, atMost: cost, in: job) {
      state = next.state
      let nowLeft = computation.outlook(of: state).remainingCost
      idleChunks = nowLeft < left ? 0 : idleChunks + 1
      left = nowLeft
      guard idleChunks <= DirectRun<Base>.mostIdleChunks else {
        throw CheckFailure(
          "The computation comes to no end: \(idleChunks) chunks in a row left its remaining cost as "
            + "it was.", seed: conditions.seed)
      }
    }
    try job.materialize()
    return RunProduct(
      finalState: try computation.encoded(state), files: disk.resultFiles(besides: job.path),
      output: [])
  }
}

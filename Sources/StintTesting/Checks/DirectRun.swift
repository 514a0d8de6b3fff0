import Stint
import StintCore

/// Runs of a computation without a worker: a plan decides where the chunks end, and what happens
/// after each.
///
/// A worker makes the chunks of a small computation so large that few are left. Here all sizes
/// occur, whatever the computation costs.
@MainActor
struct DirectRun<Base: ChunkedComputation> {
  /// Something is wrong; the caller knows the plan.
  struct Violation: Error {
    var finding: String
  }

  /// What the processes of a run have in common, and the newest of them.
  private struct Life {
    var disk: FaultyFileSystem
    var job: Job
    var state: Base.State
    var bytes: [UInt8]
  }

  /// So many chunks without any progress are no computation.
  static var mostIdleChunks: Int { 1_000 }

  private let computation: ObservedComputation<Base>
  private let output: () throws -> [UInt8]
  /// The encoded states at which chunks ended before the end, over all runs.
  private(set) var places: Set<[UInt8]> = []

  init(_ base: Base, output: @escaping () throws -> [UInt8]) {
    computation = ObservedComputation(base: base, log: .init())
    self.output = output
  }

  /// Runs to the end and looks at what is left.
  ///
  /// - Parameters:
  ///   - plan: Where to cut.
  ///   - faults: What ends the process at each call of finish.
  /// - Returns: The product.
  /// - Throws: ``Violation``, or what the computation or the output throws.
  mutating func run(_ plan: CutPlan, faults: [FileFault] = []) throws -> RunProduct {
    try finish(compute(plan), faults: faults)
  }

  /// The share of the whole cost that the smallest first chunk has.
  func smallestShare() throws -> Double {
    let outlook = computation.outlook(of: try begin(on: FaultyFileSystem()).state)
    guard let smallest = outlook.next?.smallest, outlook.remainingCost > 0 else { return 1 }
    return min(1, smallest / outlook.remainingCost)
  }

  /// Runs to the end, and finds fault with chunks, states and costs.
  ///
  /// - Throws: ``Violation``, or what the computation throws.
  mutating func expectHonestChunks(_ plan: CutPlan) throws {
    _ = try compute(plan)
  }

  private mutating func compute(_ plan: CutPlan) throws -> Life {
    var life = try begin(on: FaultyFileSystem())
    let whole = computation.outlook(of: life.state).remainingCost
    var account = CostAccount()
    for step in plan.steps where !computation.outlook(of: life.state).isComplete {
      let done = whole - computation.outlook(of: life.state).remainingCost
      // What is asked for may not fall short by a rounding error.
      let cost = (step.place * whole - done) * (1 + 1e-9)
      if step.givesUpFirst { try giveUp(life, atMost: cost) }
      try advance(&life, atMost: cost, &account, looksAtState: plan.looksAtStates)
      if plan.looksAtStates { places.insert(life.bytes) }
      try happen(step.after, to: &life)
    }
    while !computation.outlook(of: life.state).isComplete {
      try advance(&life, atMost: .infinity, &account, looksAtState: plan.looksAtStates)
    }
    life.bytes = try computation.encoded(life.state)
    places.remove(life.bytes)
    if let finding = account.finding { throw Violation(finding: finding) }
    return life
  }

  // MARK: Chunks

  /// Runs a chunk and looks at its state.
  private func advance(
    _ life: inout Life, atMost cost: Double, _ account: inout CostAccount,
    looksAtState: Bool
  ) throws {
    let before = computation.outlook(of: life.state)
    if before.isComplete { return }
    let chunk = try computation.step(from: life.state, atMost: cost, in: life.job)
    try expectNoFinding()
    guard let chunk else {
      throw Violation(finding: "W2: a chunk gave up, and its stop flag was not raised.")
    }
    guard try !looksAtState || computation.encoded(life.state) == life.bytes else {
      throw Violation(finding: "W14: a chunk changed the state that it started from.")
    }
    if !chunk.isTrial {
      account.add(chunk.cost, before, computation.outlook(of: chunk.state))
      if account.idleChunks > Self.mostIdleChunks {
        throw Violation(
          finding: "The computation comes to no end: \(account.idleChunks) chunks in a row changed "
            + "neither its progress nor its remaining cost.")
      }
    }
    life.state = chunk.state
    guard looksAtState else { return }
    life.bytes = try computation.encoded(chunk.state)
    try expectWholeEncoding(life)
  }

  /// Runs a chunk whose stop flag is up; whatever it gives is thrown away.
  private func giveUp(_ life: Life, atMost cost: Double) throws {
    let flag = StopFlag()
    flag.raise()
    _ = try computation.step(from: life.state, atMost: cost, in: life.job, stopFlag: flag)
    try expectNoFinding()
  }

  /// What is decoded must be what was encoded.
  private func expectWholeEncoding(_ life: Life) throws {
    let decoded = try life.bytes.withUnsafeBytes {
      try computation.decode($0, in: life.job.workspace)
    }
    if let isSame = isEqual(decoded, life.state) {
      guard isSame else {
        throw Violation(
          finding: "W8: the state that is decoded differs from the one that was encoded (==). "
            + "Encode every property that == compares.")
      }
    } else if try computation.encoded(decoded) != life.bytes {
      throw Violation(
        finding: "W8: the state that is decoded has another encoding than the one before.")
    }
  }

  private func expectNoFinding() throws {
    if let finding = computation.log.finding { throw Violation(finding: finding) }
  }

  // MARK: Processes

  private func begin(on disk: FaultyFileSystem) throws -> Life {
    disk.keepsCalls = false
    let job = try Job(observing: computation, on: disk)
    let restored = try job.restore { try computation.decode($0, in: job.workspace) }
    let state = try restored?.state ?? computation.start(in: job.workspace)
    return Life(disk: disk, job: job, state: state, bytes: try computation.encoded(state))
  }

  private func happen(_ event: CutPlan.After, to life: inout Life) throws {
    switch event {
    case .goOn:
      return
    case .restart:
      try commit(life)
      life.disk.killProcess()
      life = try begin(on: life.disk.anotherProcess())
    case .kill:
      life.disk.killProcess()
      life = try begin(on: life.disk.anotherProcess())
    case .powerLoss(let seed):
      life.disk.losePower()
      life = try begin(on: life.disk.rebooted(.some(seed: seed)))
    }
  }

  private func commit(_ life: Life) throws {
    try computation.commit(life.state, to: life.job)
    try expectNoFinding()
  }

  // MARK: The end

  /// Finishes, once more after a kill, and looks at what a power loss leaves.
  private func finish(_ life: Life, faults: [FileFault]) throws -> RunProduct {
    try commit(life)
    let unfinished = life.disk.rebooted(.everything)
    let before = life.disk.resultFiles(besides: life.job.path)
    try computation.finish(life.state, in: life.job.workspace)
    let product = try product(of: life)
    try finishAgain(on: life.disk.rebooted(.everything), expecting: product, "a kill")
    for fault in faults { try expectFinishSurvives(fault, on: unfinished, expecting: product) }
    life.job.recordFinish(workTime: .seconds(1))
    life.disk.losePower()
    let left = life.disk.rebooted(.nothing).resultFiles(besides: life.job.path)
    for (name, bytes) in product.files.sorted(by: { $0.key < $1.key })
    where before[name] != bytes && left[name] != bytes {
      throw Violation(
        finding: "W9: finish has returned, power fails, and the file \(name) that it wrote is "
          + (left[name] == nil ? "gone" : "not whole")
          + ". Publish it with publish(_:to:), or synchronize the workspace.")
    }
    return product
  }

  /// Lets a fault end the process at each call of finish in turn.
  private func expectFinishSurvives(
    _ fault: FileFault, on unfinished: FaultyFileSystem, expecting product: RunProduct
  ) throws {
    for call in 1... {
      let disk = unfinished.rebooted(.everything)
      let life = try begin(on: disk)
      disk.faults[disk.callCount + call] = fault
      // What it throws at a fault is its own affair: another process finishes.
      try? computation.finish(life.state, in: life.job.workspace)
      guard !disk.isAlive else { return }
      let next =
        fault == .powerLoss ? disk.rebooted(.some(seed: UInt64(call))) : disk.anotherProcess()
      try finishAgain(on: next, expecting: product, "\(fault) at its call \(call) of a file")
    }
  }

  /// Another process finishes; the job did not count as finished yet.
  private func finishAgain(
    on disk: FaultyFileSystem, expecting product: RunProduct, _ fault: String
  ) throws {
    do {
      let life = try begin(on: disk)
      guard life.bytes == product.finalState else {
        throw Violation(
          finding: "W8: the last checkpoint gives another state than it was made from.")
      }
      try computation.finish(life.state, in: life.job.workspace)
      if let difference = try self.product(of: life).difference(from: product, except: []) {
        throw Violation(
          finding: "W9: after \(fault), finish is called again, and the result is another one. "
            + difference)
      }
    } catch let violation as Violation {
      throw violation
    } catch {
      throw Violation(
        finding: "W9: after \(fault), finish is called again, and it fails: \(error)")
    }
  }

  private func product(of life: Life) throws -> RunProduct {
    RunProduct(
      finalState: try computation.encoded(life.state),
      files: life.disk.resultFiles(besides: life.job.path), output: try output())
  }
}

/// What the chunks of a run cost, and what the outlook says that they should.
private struct CostAccount {
  private var cost = 0.0
  private var expected = 0.0
  /// How many chunks in a row have changed nothing.
  private(set) var idleChunks = 0

  /// The sums may differ by this factor: how much is left is often an estimate.
  private static let tolerance = 5.0

  mutating func add(_ cost: Double, _ before: Outlook, _ after: Outlook) {
    self.cost += cost
    expected += before.remainingCost - after.remainingCost
    let isIdle =
      before.remainingCost == after.remainingCost
      && before.progress.fraction == after.progress.fraction && !after.isComplete
    idleChunks = isIdle ? idleChunks + 1 : 0
  }

  /// What is wrong with the sums, or nil.
  var finding: String? {
    guard cost > 0, expected > 0 else { return nil }
    let isNear = (1 / Self.tolerance...Self.tolerance).contains(cost / expected)
    return isNear
      ? nil
      : "W2: the chunks say that they cost \(cost) in all, and the outlook's remaining cost fell by "
        + "\(expected). Both must be in the same units, and a chunk must not do more than it was asked "
        + "for (atMost)."
  }
}

/// Whether two values are equal; nil if their type has no such relation, or the first one is not
/// even equal to itself, as a number that is none.
private func isEqual<Value>(_ left: Value, _ right: Value) -> Bool? {
  func compare<Known: Equatable>(_ left: Known) -> Bool? {
    guard left == left, let right = right as? Known else { return nil }
    return left == right
  }
  guard let left = left as? any Equatable else { return nil }
  return compare(left)
}

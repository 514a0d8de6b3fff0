import Stint
import Testing

@testable import StintTesting

@Suite("Checks for embedders")
@MainActor
struct CheckTests {
  private var conditions: CheckConditions {
    var conditions = CheckConditions()
    conditions.histories = 12
    return conditions
  }

  private func failure(_ check: () throws -> Void) throws -> CheckFailure {
    try #require(#expect(throws: CheckFailure.self) { try check() })
  }

  @Test("W8 a computation that keeps the law passes every cut")
  func sameResult() throws {
    let results = Protected<[UInt64]>([])
    var computation = Summing()
    computation.onFinish = { sum in results.withLock { $0.append(sum) } }
    try expectSameResult(of: computation, conditions: conditions) {
      results.withLock { "\($0.last ?? 0)".utf8.map { $0 } }
    }
    #expect(Set(results.withLock { $0 }) == [Summing.result(10_000)])
  }

  @Test("W8 each kind of cut happens, cuts, and changes no result", arguments: Cut.Kind.allCases)
  func eachKind(kind: Cut.Kind) throws {
    let traces: [Cut.Kind: String] = [
      .interruption: "the state is inactive", .suspension: "the process stands still",
      .background: "the state is background", .expiry: "system: suspended",
      .revocation: "expiry announced: \(ExpiryReason.revoked)",
      .denial: "tasks are denied: the check denies it", .kill: "-- the next process --",
      .killInCall: "-- the next process --", .powerLoss: "-- the next process --",
      .powerLossInCall: "-- the next process --",
    ]
    let trace = try #require(traces[kind])
    let costs = try VirtualCosts(for: Summing(), conditions)
    var traced = 0
    for seed: UInt64 in 0..<5 {
      var generator = SeededGenerator(seed: seed)
      let life = WorkerLife(Summing(), conditions, costs: costs, seed: seed)
      let cut = Cut([kind], within: .seconds(10), &generator)
      _ = try life.live(through: [cut]) { [] }
      traced += life.history.contains(trace) ? 1 : 0
    }
    // A revocation can come when the time was over anyhow.
    #expect(traced >= 4, "\(traced) of 5")
    var conditions = conditions
    conditions.histories = 4
    try expectSameResult(of: Summing(), underAnyCut: [kind], conditions: conditions)
  }

  @Test(
    "W8 a result that depends on the cuts is caught, with the seed and the shortest history",
    arguments: [Summing.Fault.countsChunks, .forgetsCarry, .appendsOutput])
  func sameResultCatches(fault: Summing.Fault) throws {
    let found = try failure {
      try expectSameResult(of: Summing(fault: fault), conditions: conditions)
    }
    #expect(found.seed == conditions.seed)
    #expect(found.finding.hasPrefix("W8"), "\(found)")
    // A state that is not all encoded shows at the first chunk; what is appended twice takes a
    // checkpoint and a chunk that is lost.
    let steps: [Summing.Fault: Int] = [.countsChunks: 1, .forgetsCarry: 0, .appendsOutput: 2]
    #expect(found.steps.count == steps[fault], "\(found)")
    #expect(!"\(found)".contains("stop flag up"), "a step says no more than it takes: \(found)")
    let again = try failure {
      try expectSameResult(of: Summing(fault: fault), conditions: conditions)
    }
    #expect(again == found, "the same seed gives the same history to the byte")
    #expect("\(found)".contains("seed: 2026"))
  }

  @Test("W14 a chunk that changes its state in place is caught")
  func changesState() throws {
    let found = try failure { try expectSameResult(of: Mutating(), conditions: conditions) }
    #expect(found.finding.hasPrefix("W14"), "\(found)")
  }

  @Test("R6 code that ends its tasks passes")
  func noLeak() throws {
    try expectNoLeakedTasks(tasksMayExpire: true) { application, _ in
      application.withTask(endsIt: true)
      let task = application.beginBackgroundTask(withName: "short")
      application.endBackgroundTask(task)
    }
    let disk = FaultyFileSystem()
    try expectNoLeakedTasks { _, system in
      let job = try Job(of: Summing(), on: disk, clock: system.clock)
      let worker = Worker(Summing(), store: job, system: system)
      worker.start()
      system.advance(by: .milliseconds(2))
      #expect(system.openTasks.map(\.name) == ["stint worker"])
    }
  }

  @Test(
    "R6 a task that is never ended is caught with its name and place, with a handler and without")
  func leak() throws {
    let warned = try failure {
      try expectNoLeakedTasks { application, _ in application.withTask(endsIt: false) }
    }
    #expect(warned.finding.contains("\"forgotten\""))
    #expect(warned.seed == nil && !"\(warned)".contains("seed"))
    #expect(warned.finding.contains("CheckTests.swift"), "\(warned)")
    let unwarned = try failure {
      try expectNoLeakedTasks { application, _ in
        _ = application.beginBackgroundTask(withName: "silent")
      }
    }
    #expect(unwarned.finding.contains("silent"), "\(unwarned)")
  }

  @Test("W4 a computation that can be cut ends every trip in time")
  func deadline() throws {
    let results = Protected<[UInt64]>([])
    var computation = Summing()
    computation.onFinish = { sum in results.withLock { $0.append(sum) } }
    try expectEndsBeforeDeadline(of: computation, conditions: conditions)
    #expect(
      results.withLock { $0 } == Array(repeating: Summing.result(10_000), count: 12),
      "every history comes to its end")
  }

  @Test(
    "W4 a chunk that cannot be split or stopped is caught, and so is a checkpoint of another size")
  func deadlineCatches() throws {
    let stuck = try failure {
      try expectEndsBeforeDeadline(of: Summing(fault: .neverStops), conditions: conditions)
    }
    #expect(stuck.finding.hasPrefix("W4: a chunk was still running"), "\(stuck)")
    #expect(stuck.steps.count == 1, "\(stuck)")
    let large = try failure {
      try expectEndsBeforeDeadline(of: Understating(), conditions: conditions)
    }
    #expect(large.finding.hasPrefix("W4: the outlook promises"), "\(large)")
  }

  @Test(
    "W2 a few steps that cannot be split fit the trips of the check, unless their time is given")
  func fewSteps() throws {
    for looks in [false, true] {
      try expectEndsBeforeDeadline(of: FewSteps(count: 3, looksAtFlag: looks))
      try expectEndsBeforeDeadline(of: FewSteps(count: 4, looksAtFlag: looks))
    }
    var conditions = CheckConditions()
    conditions.wholeTime = .seconds(20)
    let found = try failure {
      try expectEndsBeforeDeadline(
        of: FewSteps(count: 3, looksAtFlag: true), conditions: conditions)
    }
    #expect(found.finding.hasPrefix("W2: "), "\(found)")
    #expect(found.finding.contains("wholeTime"), "\(found)")
    let never = try failure {
      try expectEndsBeforeDeadline(of: FewSteps(count: 1, looksAtFlag: false))
    }
    #expect(never.finding.contains("wholeTime"), "\(never)")
  }

  @Test("C1 C2 C4 checkpoints survive every fault at every call of a commit")
  func survives() throws {
    let disks = Protected(0)
    try expectCheckpointSurvives(of: Summing(count: 400), conditions: conditions) {
      disks.withLock { $0 += 1 }
      return FaultyFileSystem()
    }
    #expect(disks.withLock { $0 } == 1)
  }

  @Test("C1 a disk that does not wait, and a state that is not all encoded, are caught")
  func survivesCatches() throws {
    let lie = try failure {
      try expectCheckpointSurvives(of: Summing(count: 400), faults: [.powerLoss]) {
        let disk = FaultyFileSystem()
        disk.ignoredSynchronization = .all
        return disk
      }
    }
    #expect(lie.finding.hasPrefix("C1"), "\(lie)")
    #expect(lie.steps.first?.contains("powerLoss at call") == true)
    let forgets = try failure {
      try expectCheckpointSurvives(of: Summing(count: 408, fault: .forgetsCarry))
    }
    #expect(forgets.finding.hasPrefix("W8"), "\(forgets)")
  }
}

extension Application {
  /// Begins a task that its handler ends or forgets.
  fileprivate func withTask(endsIt: Bool) {
    let task = Protected(BackgroundTaskIdentifier.invalid)
    let identifier = beginBackgroundTask(withName: "forgotten") { [weak self] in
      if endsIt { self?.endBackgroundTask(task.withLock { $0 }) }
    }
    task.withLock { $0 = identifier }
  }
}

/// Its state is an object that every chunk changes.
private struct Mutating: ChunkedComputation {
  final class State: Sendable {
    let value = Protected(0)
  }

  static let kind = "mutating"
  static let stateVersion: UInt32 = 1
  var parameters: JobParameters { [:] }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = 1_000 - Double(state.value.withLock { $0 })
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / 1_000, phase: "mutating"),
      next: left > 0 ? .init(smallest: 1, largest: left) : nil, remainingCost: left,
      checkpointBytes: 8)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
    let done = max(1, Int(cost))
    state.value.withLock { $0 += done }
    return Chunk(state: state, cost: Double(done))
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(state.value.withLock { Int64($0) })
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    let state = State()
    let value = payload.loadUnaligned(as: Int64.self)
    state.value.withLock { $0 = Int(value) }
    return state
  }

  func finish(_ state: State, in workspace: any Workspace) {}
}

/// Its checkpoints are a thousand times as large as it says.
private struct Understating: ChunkedComputation {
  static let kind = "understating"
  static let stateVersion: UInt32 = 1
  var parameters: JobParameters { [:] }

  func start(in workspace: any Workspace) -> Int { 0 }

  func outlook(of state: Int) -> Outlook {
    let left = Double(1_000 - state)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / 1_000, phase: "understating"),
      next: left > 0 ? .init(smallest: 1, largest: left) : nil, remainingCost: left,
      checkpointBytes: 16)
  }

  func run(from state: Int, atMost cost: Double, in context: ChunkContext) -> Chunk<Int>? {
    context.stopFlag.isRaised
      ? nil : Chunk(state: min(1_000, state + max(1, Int(cost))), cost: max(1, cost))
  }

  func encode(_ state: Int, into payload: inout CheckpointPayload) {
    payload.append(state)
    payload.append([UInt8](repeating: 1, count: 16_000))
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> Int {
    payload.loadUnaligned(as: Int.self)
  }

  func finish(_ state: Int, in workspace: any Workspace) {}
}

/// Some steps, none of which can be split.
private struct FewSteps: ChunkedComputation {
  static let kind = "few-steps"
  static let stateVersion: UInt32 = 1
  let count: Int
  let looksAtFlag: Bool

  var parameters: JobParameters { ["count": "\(count)"] }

  func start(in workspace: any Workspace) -> Int { 0 }

  func outlook(of state: Int) -> Outlook {
    Outlook(
      progress: WorkProgress(fraction: Double(state) / Double(count), phase: "stepping"),
      next: state < count ? .init(smallest: 1, largest: 1) : nil,
      remainingCost: Double(count - state), checkpointBytes: 64)
  }

  func run(from state: Int, atMost cost: Double, in context: ChunkContext) -> Chunk<Int>? {
    if looksAtFlag, context.stopFlag.isRaised { return nil }
    return Chunk(state: state + 1, cost: 1)
  }

  func finish(_ state: Int, in workspace: any Workspace) {}
}

import Stint
import StintTesting
import Testing

// The code of the documentation, compiled and run: every block of it stands here line by line.

@Suite("The code of the articles")
@MainActor
struct ArticleCode {
  private let computation = Summing(count: 2_000)

  @Test("A9 A12 time that the test moves")
  func time() {
    let system = VirtualSystem(policy: .iOS7)
    let application = Application(system: system)
    system.launch()
    let upload = Upload(application)
    upload.start()
    system.enterBackground()
    system.advance(by: .seconds(174))
    #expect(system.remainingTime == .limited(.seconds(6)))
    system.advance(by: .seconds(1))
    #expect(upload.wasWarned)
    #expect(system.openTasks.isEmpty)
  }

  @Test("W4 the real worker")
  func worker() throws {
    let system = VirtualSystem(policy: .iOS13)
    let computation = Summing(count: 100_000)
    system.launch()
    let disk = FaultyFileSystem()
    let job = try Job(of: computation, on: disk, clock: system.clock)
    var costs = VirtualCosts(seed: 7)
    costs.secondsPerUnit = 0.001
    let worker = Worker(computation, store: job, system: system, costs: costs)
    worker.start()
    system.advance(by: .seconds(3))
    system.enterBackground()
    system.advance(by: .seconds(60))
    #expect(system.lifeState == .suspended)
  }

  @Test("R4 a disk that fails")
  func disk() throws {
    let disk = FaultyFileSystem()
    disk.faults.add(.diskFull, at: .write, pathSuffix: ".tmp", skipping: 2)
    disk.faults.scatter([.ioError, .short, .interrupted], probability: 0.01, seed: 42)
    disk.faults[disk.callCount + 10] = .powerLoss
    let job = try? Job(of: computation, on: disk)
    for _ in 0..<20 { try? job?.materialize() }
    #expect(!disk.isAlive)
  }

  @Test("R4 a disk that is full at the first checkpoint")
  func fullDisk() throws {
    let disk = FaultyFileSystem()
    disk.faults.add(.diskFull, at: .write, pathSuffix: ".tmp")
    let job = try Job(of: computation, on: disk)
    #expect(throws: StintError.self) { try job.materialize() }
  }

  @Test("W8 W4 C1 R6 the checks")
  func checks() throws {
    try expectSameResult(of: computation)
    try expectEndsBeforeDeadline(of: computation)
    try expectCheckpointSurvives(of: computation)
    try expectNoLeakedTasks { application, system in
      let upload = Upload(application)
      upload.start()
      system.advance(by: .seconds(3))
      upload.finish()
    }
    #expect(computation.fault == nil)
  }

  @Test("W8 many histories from a seed of one's own")
  func seeds() throws {
    var conditions = CheckConditions()
    conditions.seed = 0x5EED
    conditions.histories = 100
    try expectSameResult(
      of: computation, underAnyCut: [.kill, .powerLossInCall], conditions: conditions)
    #expect(conditions.histories == 100)
  }

  @Test("W9 a result that is published")
  func publish() throws {
    #expect(throws: Never.self) { try expectSameResult(of: Sum(count: 1_000)) }
  }

  @Test("W12 costs that the test decides")
  func costs() {
    var costs = VirtualCosts(seed: 7)
    costs.secondsPerUnit = 0.001
    costs.custom = { work, _ in
      if case .save = work { .seconds(3) } else { nil }  // a slow disk
    }
    #expect(costs.seed == 7)
  }
}

/// A task as a program of its own would hold it.
@MainActor
private final class Upload {
  private let application: Application
  private var task = BackgroundTaskIdentifier.invalid
  private(set) var wasWarned = false

  init(_ application: Application) {
    self.application = application
  }

  func start() {
    task = application.beginBackgroundTask(withName: "upload") { [self] in
      wasWarned = true
      application.endBackgroundTask(task)
    }
  }

  func finish() { application.endBackgroundTask(task) }
}

/// A computation that publishes its result.
private struct Sum: ChunkedComputation {
  struct State: Codable, Hashable {
    var next = 1
    var sum = 0
  }

  static let kind = "sum"
  static let stateVersion: UInt32 = 1

  let count: Int

  var parameters: JobParameters { ["count": "\(count)"] }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = Double(count + 1 - state.next)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(count), phase: "adding"),
      next: left > 0 ? .init(smallest: 1, largest: left) : nil, remainingCost: left,
      checkpointBytes: 64)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
    if context.stopFlag.isRaised { return nil }
    let end = min(count + 1, state.next + Int(cost))
    let sum = (state.next..<end).reduce(state.sum, +)
    return Chunk(state: State(next: end, sum: sum), cost: Double(end - state.next))
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    try workspace.publish("\(state.sum)\n".utf8, to: "sum.txt")
  }
}

import Foundation
import Glibc
import Stint

/// Counts steps; a test says in which one the time is up, or what happens in it.
struct Steps: ChunkedComputation {
  struct State: Codable {
    var step = 0
  }

  static let kind = "steps"
  static let stateVersion: UInt32 = 1
  static let count = 12

  /// The directory with its jobs and its result.
  let path: String
  /// What another computation of the same folder differs in.
  var name = "f"
  /// Called in every step; true waits for the end of the time.
  var inStep: @Sendable (Int) throws -> Bool = { _ in false }
  /// What the next step costs at least.
  var cost: @Sendable () -> Double = { 1 }

  var parameters: JobParameters { ["name": name] }

  /// The job of this computation, on the real disk.
  func job(_ set: (inout Job.Options) -> Void = { _ in }) throws -> Job {
    var options = Job.Options()
    options.jobsDirectory = path + "/jobs"
    options.outputPath = path + "/" + name
    set(&options)
    return try Job(of: self, options: options)
  }

  /// A worker that never gives up, however often it is cut.
  func worker(
    _ store: any WorkStore, in application: Application, waitsForGivenUpChunk: Bool = true,
    doubtedShare: Double = WorkPolicy().doubtedShare
  ) -> Worker<Steps> {
    var options = WorkerOptions()
    options.policy.stintsWithoutProgress = .max
    options.policy.waitsForGivenUpChunk = waitsForGivenUpChunk
    options.policy.doubtedShare = doubtedShare
    return Worker(self, store: store, application: application, options: options)
  }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = Double(Self.count - state.step)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(Self.count), phase: "stepping"),
      next: left > 0 ? .init(smallest: cost(), largest: cost()) : nil, remainingCost: left,
      checkpointBytes: 16)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) throws -> Chunk<State>?
  {
    if try inStep(state.step) {
      while !context.stopFlag.isRaised { usleep(1_000) }
      return nil
    }
    return Chunk(state: State(step: state.step + 1), cost: 1)
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    try Data("\(state.step)\n".utf8).write(
      to: URL(fileURLWithPath: path + "/" + name), options: .atomic)
  }
}

/// A folder on the real disk that goes away with its owner.
final class WorkFolder: Sendable {
  let path: String

  init() {
    var bytes = Array((NSTemporaryDirectory() + "stint-work-XXXXXX").utf8CString)
    precondition(mkdtemp(&bytes) != nil, "no temporary directory")
    path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The text of a file; nil if it is not there.
  func text(_ name: String) -> String? {
    try? String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  /// The checkpoints of all jobs.
  var checkpoints: [String] {
    let files = FileManager.default.subpathsOfDirectory(path + "/jobs")
    return files.filter { $0.hasSuffix(".ckpt") }
  }
}

extension FileManager {
  /// What is below a folder; nothing if it is not there.
  fileprivate func subpathsOfDirectory(_ path: String) -> [String] {
    (try? subpathsOfDirectory(atPath: path)) ?? []
  }
}

/// An application with a minute for each trip that nothing ends but the test.
func makeApplication(lead: Duration = .milliseconds(400)) throws -> Application {
  let policy = SystemPolicy.commandLine.withBudget(.seconds(60), lead: lead)
  var hooks = InProcessSystem.Hooks()
  hooks.diagnose = { _ in }
  let application = Application(system: try InProcessSystem(policy: policy, hooks: hooks))
  application.launch()
  return application
}

/// Ends the time of a trip in a step, the first time that it is reached.
final class Cut: Sendable {
  private let isDone = Protected(false)
  let step: Int
  let application: Application

  init(at step: Int, of application: Application) {
    self.step = step
    self.application = application
  }

  func callAsFunction(_ step: Int) -> Bool {
    guard step == self.step, !isDone.withLock({ exchange(&$0, with: true) }) else { return false }
    application.driver.revoke()
    return true
  }
}

/// Waits for what other threads do.
func eventually(_ condition: () throws -> Bool) async rethrows {
  while try !condition() { try? await Task.sleep(for: .milliseconds(2)) }
}

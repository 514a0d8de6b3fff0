import Foundation
import Glibc
import Stint

/// Ten steps of ten milliseconds, mixed into one number; a test may put anything into a step or
/// into the restart.
struct SteppingComputation: ChunkedComputation {
  struct State: Sendable {
    var step: UInt64 = 0
    var hash: UInt64 = 1

    mutating func goOn() {
      hash = (hash &+ step) &* 0x9e37_79b9_7f4a_7c15
      step += 1
    }
  }

  static let kind = "stepping"
  static let stateVersion: UInt32 = 1
  static let steps: UInt64 = 10

  /// The state after so many steps.
  static func state(after steps: UInt64) -> State {
    var state = State()
    for _ in 0..<steps { state.goOn() }
    return state
  }

  /// What is written at the end.
  static var result: String { "\(state(after: steps).hash)\n" }

  /// The directory that it lives in, with its jobs and its result.
  let path: String
  /// Called in every step before it is done, with its number.
  var inStep: @Sendable (UInt64) -> Void = { _ in }
  /// Called before the first state is made.
  var inStart: @Sendable () -> Void = {}
  /// Called when a state is read, with its step.
  var inRestart: @Sendable (UInt64) -> Void = { _ in }

  var parameters: JobParameters { ["steps": "\(Self.steps)"] }

  /// The job of this computation, on the real disk.
  func job() throws -> Job { try Self.job(of: self, at: path) }

  /// The job of a computation whose result is the file `f` of a directory.
  static func job(of computation: some ChunkedComputation, at path: String) throws -> Job {
    var options = Job.Options()
    options.jobsDirectory = path + "/jobs"
    options.outputPath = path + "/f"
    return try Job(of: computation, options: options)
  }

  func start(in workspace: any Workspace) -> State {
    inStart()
    return State()
  }

  func outlook(of state: State) -> Outlook {
    let left = Double(Self.steps - state.step)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(Self.steps), phase: "stepping"),
      next: left > 0 ? .init(smallest: 1, largest: 1) : nil, remainingCost: left,
      checkpointBytes: 16)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
    inStep(state.step)
    usleep(10_000)
    var state = state
    state.goOn()
    return Chunk(state: state, cost: 1)
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(state.step)
    payload.append(state.hash)
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 16 else { throw StintError(.damaged, "Not a state of this test.") }
    let state = State(payload)
    inRestart(state.step)
    return state
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    try Data("\(state.hash)\n".utf8).write(to: URL(fileURLWithPath: path + "/f"), options: .atomic)
  }

  /// Runs it as a whole process would, under a budget: 0 when it is finished, 75 when it is
  /// suspended, 3 if it failed.
  func runProcess(
    budget: Duration, lead: Duration, grace: Duration? = nil, waitsForGivenUpChunk: Bool = false
  ) async throws -> Never {
    var policy = SystemPolicy.commandLine.withBudget(budget, lead: lead)
    if let grace { policy.enterBackgroundGrace = grace }
    let application = try Application(
      system: InProcessSystem(policy: policy, termination: .terminate))
    application.launch()
    var options = WorkerOptions()
    options.policy.waitsForGivenUpChunk = waitsForGivenUpChunk
    let worker = Worker(self, store: try job(), application: application, options: options)
    // Suspended because its worker has ended the last task for good, the process goes by the
    // outcome.
    let leaving = LeavingWhenSuspended { if case .ended = worker.phase { true } else { false } }
    application.driver.add(leaving)
    worker.start()
    application.enterBackground()
    let outcome = await worker.outcome()
    withExtendedLifetime(leaving) {}
    exit(outcome == .finished ? 0 : 3)
  }
}

extension SteppingComputation.State {
  /// The state at the beginning of a payload.
  init(_ payload: UnsafeRawBufferPointer) {
    step = UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self))
    hash = UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }
}

/// Exits with 75 when the application is suspended, as the command line does.
private final class LeavingWhenSuspended: SystemObserver {
  private let isOver: @Sendable () -> Bool

  init(unless isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }

  func systemDid(_ event: SystemEvent) {
    if event == .suspended, !isOver() { exit(75) }
  }
}

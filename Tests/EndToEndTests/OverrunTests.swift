import Foundation
import Glibc
import Stint
import Synchronization
import Testing

extension ByTheClock {
  @Suite("Chunks that overrun")
  struct OverrunTests {
    @Test(
      "W4 chunks ten times as long as predicted: the handler ends the stint, and the result is right"
    )
    func overrun() async throws {
      let scratch = try Scratch()
      let path = scratch.path
      await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
        let application = try Application(
          system: InProcessSystem(
            policy: .commandLine.withBudget(.milliseconds(500), lead: .milliseconds(150)),
            termination: .terminate))
        application.launch()
        let computation = OverrunningComputation(resultPath: path + "/f")
        let worker = Worker(
          computation, store: try SteppingComputation.job(of: computation, at: path),
          application: application)
        let returning = ComingBack(application)
        application.driver.add(returning)
        worker.start()
        application.enterBackground()
        let outcome = await worker.outcome()
        exit(outcome == .finished ? 0 : 3)
      }
      let journal = scratch.journal
      #expect(journal.ends("expired") >= 1)
      #expect(journal.ends("finished") == 1)
      #expect(scratch.text("f") == OverrunningComputation.result)
      // Ended means ended in time: before the deadline that had been announced.
      for (announced, next) in zip(journal.lines, journal.lines.dropFirst())
      where announced.event == "expiryAnnounced" {
        #expect(next.bootSeconds < announced.deadlineBootSeconds ?? 0)
      }
    }
  }
}

/// Starts another trip whenever the application is suspended.
final class ComingBack: SystemObserver {
  private let application: Application

  init(_ application: Application) { self.application = application }

  func systemDid(_ event: SystemEvent) {
    guard case .suspended = event else { return }
    application.enterForeground()
    application.enterBackground()
  }
}

/// A hundred steps of ten milliseconds, mixed into one number; two chunks in the middle take ten
/// times as long as any before them.
struct OverrunningComputation: ChunkedComputation {
  typealias State = SteppingComputation.State

  /// The chunks that have overrun in this process.
  private final class Overruns: Sendable {
    let count = Atomic<Int>(0)
  }

  static let kind = "overrunning"
  static let stateVersion: UInt32 = 1
  static let steps: UInt64 = 100
  static var result: String { "\(SteppingComputation.state(after: steps).hash)\n" }

  let resultPath: String
  private let overruns = Overruns()

  init(resultPath: String) { self.resultPath = resultPath }

  var parameters: JobParameters { ["steps": "\(Self.steps)"] }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = Double(Self.steps - state.step)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(Self.steps), phase: "mixing"),
      next: left > 0 ? .init(smallest: 1, largest: left) : nil, remainingCost: left,
      checkpointBytes: 16)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
    var state = state
    let steps = min(Self.steps - state.step, UInt64(max(1, cost)))
    let overruns = state.step >= 20 && self.overruns.count.add(1, ordering: .relaxed).newValue <= 2
    for _ in 0..<steps * (overruns ? 10 : 1) {
      usleep(10_000)
      if context.stopFlag.isRaised { return nil }
    }
    for _ in 0..<steps { state.goOn() }
    return Chunk(state: state, cost: Double(steps))
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(state.step)
    payload.append(state.hash)
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 16 else { throw StintError(.damaged, "Not a state of this test.") }
    return State(payload)
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    try Data("\(state.hash)\n".utf8).write(to: URL(fileURLWithPath: resultPath), options: .atomic)
  }
}

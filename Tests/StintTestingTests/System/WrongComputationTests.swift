import Stint
import Testing

@testable import StintTesting

@Suite("A computation that says what cannot be")
@MainActor
struct WrongComputationTests {
  enum Fault: CaseIterable {
    case none, smallestAboveLargest, startsAtNothing, costsNothing, costsNoNumber
    case costsTooMuch, goesBack
  }

  /// Counts to 100 by sevens, and may be wrong from 50 on.
  private struct Counting: ChunkedComputation {
    static let kind = "wrong-counting"
    static let stateVersion: UInt32 = 1

    let fault: Fault

    var parameters: JobParameters { [:] }

    func start(in workspace: any Workspace) -> UInt64 { 0 }

    func outlook(of state: UInt64) -> Outlook {
      let left = Double(100 - min(state, 100))
      let fraction = fault == .goesBack && state > 50 ? 0 : Double(state) / 100
      let next: Outlook.ChunkRange? =
        switch fault {
        case .smallestAboveLargest: left > 0 ? .init(smallest: 30, largest: left) : nil
        case .startsAtNothing: .init(smallest: 0, largest: left)
        case .none, .costsNothing, .costsNoNumber, .costsTooMuch, .goesBack:
          left > 0 ? .init(smallest: min(7, left), largest: left) : nil
        }
      return Outlook(
        progress: WorkProgress(fraction: fraction, phase: "counting"), next: next,
        remainingCost: left, checkpointBytes: 8)
    }

    func run(from state: UInt64, atMost cost: Double, in context: ChunkContext) -> Chunk<UInt64>? {
      let step = min(100 - state, UInt64(cost))
      let told: Double? =
        switch fault {
        case .costsNothing: 0
        case .costsNoNumber: .nan
        case .costsTooMuch: 1_000
        case .none, .smallestAboveLargest, .startsAtNothing, .goesBack: nil
        }
      return Chunk(state: state + step, cost: state >= 50 ? told ?? Double(step) : Double(step))
    }

    func encode(_ state: UInt64, into payload: inout CheckpointPayload) { payload.append(state) }

    func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) -> UInt64 {
      UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self))
    }

    func finish(_ state: UInt64, in workspace: any Workspace) {}
  }

  @Test(
    "W2 it ends the worker with a sentence, what came before is saved, and nothing traps",
    arguments: Fault.allCases)
  func ends(fault: Fault) throws {
    let system = VirtualSystem(policy: .iOS7)
    let (outcomes, disk) = (Protected<[WorkerOutcome]>([]), FaultyFileSystem())
    var options = WorkerOptions()
    options.policy.chunkTarget = .milliseconds(300)
    options.onEnd = { outcome in outcomes.withLock { $0.append(outcome) } }
    var costs = VirtualCosts()
    costs.secondsPerUnit = 0.02
    let worker = Worker(
      Counting(fault: fault),
      store: try Job(of: Counting(fault: fault), on: disk, clock: system.clock),
      system: system, options: options, costs: costs)
    system.launch()
    worker.start()
    system.advance(by: .seconds(20))
    let outcome = try #require(outcomes.withLock { $0.first })
    switch (fault, outcome) {
    case (.none, .finished), (.smallestAboveLargest, .finished): break
    case (_, .failed(let error)):
      #expect(error.code == .checkFailed)
      #expect(error.message.hasPrefix("The computation "))
      let saved = worker.statusReport()?.progress.fraction ?? 0
      #expect(fault == .startsAtNothing || saved > 0.4)
    default: Issue.record("\(fault): \(outcome)")
    }
  }
}

import Stint
import StintCore
import StintFibonacci

/// When each phase of a computation began and ended, as its operations were seen to run.
final class PhaseTimes: Sendable {
  private let spans = Protected<[String: (began: Instant, ended: Instant)]>([:])

  func ran(_ phase: String, from began: Instant, to ended: Instant) {
    spans.withLock { $0[phase, default: (began, ended)].ended = ended }
  }

  /// From the beginning of a phase to the end of its last operation, whatever was done in between;
  /// zero if it had none.
  func seconds(_ phases: [String]) -> Double {
    spans.withLock { spans in
      let those = phases.compactMap { spans[$0] }
      guard let began = those.map(\.began).min(), let ended = those.map(\.ended).max() else {
        return 0
      }
      return began.duration(to: ended).inSeconds
    }
  }

  /// The names of the phases that were there, in the order of their beginnings.
  var phases: [String] {
    spans.withLock { spans in spans.sorted { $0.value.began < $1.value.began }.map(\.key) }
  }
}

/// The computation of a number, with a clock at each operation.
struct TimedFibonacci: OperationComputation {
  static let kind = FibonacciComputation.kind
  static let stateVersion = FibonacciComputation.stateVersion

  let computation: FibonacciComputation
  let times: PhaseTimes

  var parameters: JobParameters { computation.parameters }

  func start(in workspace: any Workspace) throws -> FibonacciState {
    try computation.start(in: workspace)
  }

  func outlook(of state: FibonacciState) -> Outlook { computation.outlook(of: state) }

  func run(
    from state: FibonacciState, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<FibonacciState>? {
    // As the computation itself does.
    try operations(from: state, atMost: cost, in: context)
  }

  var threads: Int { computation.threads }

  func doublingOutlook(_ state: FibonacciState) -> (any DoublingOutlook)? {
    computation.doublingOutlook(state)
  }

  func smallestCost(_ state: FibonacciState) -> Double? { computation.smallestCost(state) }

  func remainingCost(_ state: FibonacciState) -> Double { computation.remainingCost(state) }

  var chunkBytes: Int { computation.chunkBytes }

  func outputBytes(_ state: FibonacciState) -> Int { computation.outputBytes(state) }

  func outputPerCost(_ state: FibonacciState) -> Double { computation.outputPerCost(state) }

  func advanced(
    _ state: FibonacciState, atMost cost: Double, in context: ChunkContext
  ) throws -> (state: FibonacciState, cost: Double) {
    let phase = computation.outlook(of: state).progress.phase
    let began = BootClock.now
    let step = try computation.advanced(state, atMost: cost, in: context)
    times.ran(phase, from: began, to: BootClock.now)
    return step
  }

  func encode(_ state: FibonacciState, into payload: inout CheckpointPayload) throws {
    try computation.encode(state, into: &payload)
  }

  func decode(
    _ payload: UnsafeRawBufferPointer, in workspace: any Workspace
  ) throws -> FibonacciState {
    try computation.decode(payload, in: workspace)
  }

  func finish(_ state: FibonacciState, in workspace: any Workspace) throws {
    try computation.finish(state, in: workspace)
  }
}

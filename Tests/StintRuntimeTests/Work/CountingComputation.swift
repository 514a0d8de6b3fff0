import StintRuntime

/// Adds the squares of 1 to `count`, so many a chunk as it is asked for; a chunk can be made to
/// overrun.
struct CountingComputation: ChunkedComputation {
  struct State: Hashable, Sendable {
    var next: UInt64 = 1
    var sum: UInt64 = 0
  }

  static let kind = "counting"
  static let stateVersion: UInt32 = 1
  /// More than any test can count, whatever else keeps the machine busy.
  static let endless: UInt64 = 1 << 60

  var count: UInt64
  /// Called in every chunk, with the state it starts from.
  var inChunk: @Sendable (State, ChunkContext) -> Void = { _, _ in }
  /// Called with the result.
  var onFinish: @Sendable (UInt64) -> Void = { _ in }

  var parameters: JobParameters { ["count": "\(count)"] }

  static func result(_ count: UInt64) -> UInt64 { (1...count).reduce(0) { $0 &+ $1 &* $1 } }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = Double(count + 1 - state.next)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(count), phase: "counting"),
      next: left > 0 ? .init(smallest: 1, largest: left) : nil,
      remainingCost: left, checkpointBytes: 16)
  }

  func run(from state: State, atMost cost: Double, in context: ChunkContext) -> Chunk<State>? {
    inChunk(state, context)
    var state = state
    var done = 0.0
    while done < max(1, cost.rounded(.down)), state.next <= count {
      if context.stopFlag.isRaised { return nil }
      state.sum &+= state.next &* state.next
      state.next += 1
      done += 1
    }
    return Chunk(state: state, cost: done)
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(state.next)
    payload.append(state.sum)
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 16 else { throw StintError(.damaged, "Not a counting state.") }
    return State(
      next: UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      sum: UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  func finish(_ state: State, in workspace: any Workspace) {
    onFinish(state.sum)
  }
}

import Stint

/// Adds a function of 1 to `count`; it can be given faults that the checks must catch.
struct Summing: ChunkedComputation {
  /// What is wrong with it.
  enum Fault: String, Hashable, Sendable, CaseIterable {
    /// The result depends on where the chunks end.
    case countsChunks
    /// A part of the state is not in its encoding.
    case forgetsCarry
    /// Partial output is appended to, so that work which is done again stands there twice.
    case appendsOutput
    /// Its chunks look at no stop flag and cannot be split.
    case neverStops
  }

  struct State: Hashable, Sendable {
    var next: UInt64 = 1
    var sum: UInt64 = 0
    /// The number that was added last.
    var carry: UInt64 = 0
  }

  static let kind = "summing"
  static let stateVersion: UInt32 = 1

  var count: UInt64 = 10_000
  var fault: Fault?
  /// Called with the result.
  var onFinish: @Sendable (UInt64) -> Void = { _ in }
  /// Called when memory is short.
  var onShortMemory: @Sendable () -> Void = {}

  var parameters: JobParameters { ["count": "\(count)"] }

  static func result(_ count: UInt64) -> UInt64 { (1...count).reduce(0) { $0 &* 3 &+ $1 } }

  func start(in workspace: any Workspace) -> State { State() }

  func outlook(of state: State) -> Outlook {
    let left = Double(count + 1 - state.next)
    return Outlook(
      progress: WorkProgress(fraction: 1 - left / Double(count), phase: "summing"),
      next: left > 0
        ? .init(smallest: fault == .neverStops ? left : min(left, 10), largest: left) : nil,
      remainingCost: left, checkpointBytes: 24)
  }

  func run(
    from state: State, atMost cost: Double, in context: ChunkContext
  ) throws -> Chunk<State>? {
    var state = state
    let first = state.next
    let last = min(count, first + UInt64(max(1, cost)) - 1)
    for number in first...last {
      if context.stopFlag.isRaised, fault != .neverStops { return nil }
      state.sum = state.sum &* 3 &+ number &+ (fault == .forgetsCarry ? state.carry & 1 : 0)
      state.carry = number
    }
    if fault == .countsChunks { state.sum &+= 1 }
    state.next = last + 1
    let file = try context.workspace.partialFile(named: "sums")
    let offset = fault == .appendsOutput ? try file.sizeBytes : Int(first - 1)
    let bytes = (first...last).map { UInt8(truncatingIfNeeded: $0) }
    try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    return Chunk(state: state, cost: Double(last - first + 1))
  }

  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(state.next)
    payload.append(state.sum)
    payload.append(fault == .forgetsCarry ? 0 : state.carry)
  }

  func decode(_ payload: UnsafeRawBufferPointer, in workspace: any Workspace) throws -> State {
    guard payload.count == 24 else { throw StintError(.damaged, "Not a summing state.") }
    func number(_ index: Int) -> UInt64 {
      UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    return State(next: number(0), sum: number(1), carry: number(2))
  }

  func finish(_ state: State, in workspace: any Workspace) throws {
    onFinish(state.sum)
  }

  func memoryIsShort() { onShortMemory() }
}

import StintCore
import StintRuntime
import StintTesting

@testable import StintFibonacci

extension FibonacciComputation {
  /// A computation for tests, with small pieces of text, that splits products from so many words
  /// on, in stages or not.
  static func small(
    _ n: Int, _ format: FibonacciFormat = .decimal, block: Int = 64, threads: Int = 1,
    splitFrom length: Int? = nil, staged: Bool = true, deliver: @escaping ResultSink = { _, _ in }
  ) throws -> FibonacciComputation {
    FibonacciComputation(
      try FibonacciIndex(n), format: format, threads: threads,
      pieceLimbs: max(block / DecimalNumber.limbDigits, 1),
      splitting: length.map { Splitting(leastLength: $0, staged: staged) } ?? Splitting(),
      deliver: deliver)
  }
}

extension ChunkedComputation {
  func bytes(of state: State) throws -> [UInt8] {
    var payload = CheckpointPayload()
    try encode(state, into: &payload)
    return payload.bytes
  }

  func state(from bytes: [UInt8], in workspace: any Workspace) throws -> State {
    try bytes.withUnsafeBytes { try decode($0, in: workspace) }
  }

  /// Runs to the end in chunks of a cost, and gives the output.
  func uninterrupted(
    _ workspace: MemoryWorkspace = MemoryWorkspace(), atMost cost: Double = 1e18, threads: Int = 1
  ) throws -> [UInt8] {
    var run = try ChunkRun(self, in: workspace, threads: threads)
    while let next = run.next { try run.advance(atMost: max(cost, next.smallest)) }
    try finish(run.state, in: workspace)
    return run.output
  }

  func text(threads: Int = 1) throws -> String {
    String(decoding: try uninterrupted(threads: threads), as: UTF8.self)
  }
}

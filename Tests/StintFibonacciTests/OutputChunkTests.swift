import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

@Suite("What chunks write, and what the fit test knows of it")
struct OutputChunkTests {
  /// Runs a computation in chunks that may cost anything.
  ///
  /// - Returns: How many bytes of output each chunk added, those that began with the writing first.
  private func outputs<Computation: OperationComputation>(
    of computation: Computation, threads: Int
  ) throws -> (writing: [Int], others: [Int]) {
    var run = try ChunkRun(computation, threads: threads)
    run.state.isUntried = false
    var (writing, others): ([Int], [Int]) = ([], [])
    while let next = run.next {
      let before = computation.outputBytes(run.state)
      try run.advance(atMost: 1e15)
      let count = computation.outputBytes(run.state) - before
      if next.outputPerCost > 0 { writing.append(count) } else { others.append(count) }
    }
    return (writing, others)
  }

  @Test("W2 a chunk writes no more than a checkpoint soon makes durable", arguments: [1, 2])
  func chunksOfOutput(threads: Int) throws {
    func expectEven(_ counts: (writing: [Int], others: [Int]), sum: Int, most: Int, piece: Int) {
      #expect(counts.writing.reduce(0, +) == sum)
      #expect(counts.writing.dropLast().allSatisfy { $0 >= most && $0 < most + piece })
      // The first chunk may keep back the digits of one limb, which a later one then writes.
      let largest = counts.writing.max() ?? 1
      #expect(counts.writing.count == (sum + largest - 1) / largest)
      #expect(counts.others.allSatisfy { $0 == 0 } && !counts.others.isEmpty)
    }
    let decimal = FibonacciComputation(
      try FibonacciIndex(300_000), format: .decimal, threads: threads, pieceLimbs: 50,
      splitting: Splitting(), chunkBytes: 10_000
    ) { _, _ in }
    expectEven(
      try outputs(of: decimal, threads: threads), sum: 62_697, most: 10_000,
      piece: 19 * 50 * threads)
    let hex = FibonacciComputation(
      try FibonacciIndex(30_000_000), format: .hex, threads: threads, pieceLimbs: 50,
      splitting: Splitting(), chunkBytes: 1 << 20
    ) { _, _ in }
    expectEven(
      try outputs(of: hex, threads: threads), sum: FibonacciFormat.hex.outputBytes(30_000_000),
      most: 1 << 20, piece: 1)
    let sequence = FibonacciSequence(
      try FibonacciRange(from: 5_000, to: 5_100), splitting: Splitting(), chunkBytes: 10_000
    ) { _, _ in }
    let lines = try outputs(of: sequence, threads: threads).writing
    let lengths = (5_000...5_100).map { 6 + FibonacciLength.digits($0) }
    #expect(lines.reduce(0, +) == lengths.reduce(0, +))
    #expect(lines.dropLast().allSatisfy { $0 >= 10_000 && $0 < 11_100 })
  }

  @Test("W2 what a chunk will write is known from what it costs")
  func outputPerCost() throws {
    for (format, threads) in [(FibonacciFormat.decimal, 1), (.decimal, 2), (.hex, 1), (.raw, 2)] {
      let computation = try FibonacciComputation(
        FibonacciIndex(4_000_000), format: format, threads: threads
      ) { _, _ in }
      var run = try ChunkRun(computation, threads: threads)
      while computation.outputBytes(run.state) == 0 {
        let expected = run.next?.outputPerCost
        let chunk = try run.advance(atMost: 1)
        let count = computation.outputBytes(run.state)
        // The operation that makes the state of the writing writes nothing yet.
        if count > 0 {
          let bytes = try #require(expected) * chunk.cost
          #expect(abs(bytes / Double(count) - 1) < 0.05, "\(format), \(threads) threads")
        }
      }
    }
    let sequence = FibonacciSequence(try FibonacciRange(from: 1, to: 1_000_000)) { _, _ in }
    for position in [1, 100, 10_000, 999_999] {
      let lines = LinesState(
        position: position, current: DecimalNumber(limbs: [1]),
        previous: DecimalNumber(limbs: [1]), written: 0, checksum: StreamChecksum())
      let next = sequence.outlook(of: SequenceState(phase: .lines(lines))).next
      let line = FibonacciSequence.estimatedBytes(position...position)
      let expected = try #require(next?.outputPerCost) * FibonacciSequence.lineCost(position)
      #expect(expected >= line && (position < 10_000 || expected < 1.1 * line))
    }
  }
}

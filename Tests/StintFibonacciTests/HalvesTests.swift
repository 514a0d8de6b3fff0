import Stint
import StintCore
import Testing

@testable import StintFibonacci

@Suite("Products in halves")
struct HalvesTests {
  private static func number(_ length: Int, seed: Int) -> DecimalNumber {
    var random = SplitMix64(seed: UInt64(seed))
    let limbs = (0..<length).map { _ in UInt64.random(in: 0..<DecimalNumber.base, using: &random) }
    return DecimalNumber(limbs: limbs.dropLast() + [7])
  }

  private static func bytes(_ half: KroneckerHalf) -> [UInt8] {
    var payload = CheckpointPayload()
    half.encode(into: &payload)
    var bytes: [UInt8] = []
    payload.forEachSegment { bytes += $0 }
    return bytes
  }

  private static func half(_ bytes: [UInt8], factorLength: Int) throws -> KroneckerHalf {
    try bytes.withUnsafeBytes {
      var reader = ByteReader($0)
      return try KroneckerHalf(&reader, factorLength: factorLength)
    }
  }

  @Test(
    "W8 the halves of a product make the product, through bytes",
    arguments: [(1, 1), (15, 16), (33, 17), (48, 48), (400, 1), (401, 399), (5000, 5000)])
  func sameProduct(lengths: (Int, Int)) throws {
    let left = Self.number(lengths.0, seed: 1)
    let right = Self.number(lengths.1, seed: 2)
    for (first, second) in [(left, right), (right, left), (left, left)] {
      for threads in [1, 2] {
        let bytes = Self.bytes(.begun(first, second, threads: threads))
        let half = try Self.half(bytes, factorLength: max(first.length, second.length))
        #expect(half.isRight(first, second))
        #expect(bytes.count == 8 + 8 * half.length)
        let product = try half.completed(first, second, threads: threads)
        #expect(product.limbs == DecimalNumber.product(first, second, threads: 1).limbs)
      }
    }
  }

  @Test("C2 half a product of other factors is none, nor is one with a limb that differs")
  func wrong() throws {
    let (left, right) = (Self.number(100, seed: 3), Self.number(90, seed: 4))
    let half = KroneckerHalf.begun(left, right, threads: 1)
    #expect(!half.isRight(left, left))
    #expect(!half.isRight(left, Self.number(90, seed: 5)))
    #expect(!half.isRight(left, Self.number(60, seed: 4)))
    let bytes = Self.bytes(half)
    for position in stride(from: 8, to: bytes.count, by: 8) {
      var damaged = bytes
      damaged[position] ^= 1
      #expect(try !Self.half(damaged, factorLength: 100).isRight(left, right), "\(position)")
    }
    #expect(throws: StintError.self) { try Self.half(bytes, factorLength: 40) }
    // One that nobody has checked is found when the other half comes.
    let other = KroneckerHalf.begun(left, Self.number(90, seed: 5), threads: 1)
    #expect(throws: StintError.self) { try other.completed(left, right, threads: 1) }
  }

  @Test("C2 the largest limbs that a half can have are reduced as others are")
  func largest() {
    // A square of limbs as large as they can be, and of numbers that leave ones and zeros side by side.
    for length in [16, 100, 1000] {
      for limb in [DecimalNumber.base - 1, 1, 0] {
        let limbs = [UInt64](repeating: limb, count: length - 1) + [DecimalNumber.base - 1]
        let number = DecimalNumber(limbs: limbs)
        #expect(KroneckerHalf.begun(number, number, threads: 1).isRight(number, number))
      }
    }
  }

  /// Runs in chunks of so much, with a reload after each: the output, and how many states held half a product.
  private func run(
    _ computation: FibonacciComputation, threads: Int,
    offered: (FibonacciState, Outlook.ChunkRange) -> Double
  ) throws -> (bytes: [UInt8], halves: Int, pieces: Int) {
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: threads)
    var state = try computation.start(in: workspace)
    var (halves, pieces, fraction) = (0, 0, 0.0)
    while let next = computation.outlook(of: state).next {
      let chunk = try #require(
        try computation.run(from: state, atMost: offered(state, next), in: context))
      let bytes = try computation.bytes(of: chunk.state)
      let outlook = computation.outlook(of: chunk.state)
      #expect(bytes.count <= outlook.checkpointBytes)
      #expect(bytes.count <= computation.largestCheckpointBytes)
      state = chunk.isTrial ? chunk.state : try computation.state(from: bytes, in: workspace)
      #expect(outlook.progress.fraction >= fraction - 1e-9)
      fraction = outlook.progress.fraction
      if Self.hasHalf(state) { halves += 1 }
      if computation.isSplit(state) { pieces += 1 }
    }
    return (workspace.file().bytes, halves, pieces)
  }

  private static func hasHalf(_ state: FibonacciState) -> Bool {
    guard case .decimalDoubling(let pair) = state.phase else { return false }
    return pair.half != nil
  }

  @Test("W8 cut between the halves of every product, the bytes are the same", arguments: [1, 2])
  func everyHalf(threads: Int) throws {
    for n in [400_000, 600_001] {
      let whole = try FibonacciComputation.small(n).uninterrupted()
      let computation = try FibonacciComputation.small(n, threads: threads, splitFrom: 100)
      let result = try run(computation, threads: threads) { max($1.ways.last ?? 0, $1.smallest) }
      #expect(result.bytes == whole)
      #expect(result.halves > 5)
      #expect(result.pieces == 0)
    }
  }

  @Test("W2 where the other half does not fit, the product is done in pieces, and progress stays")
  func givenUp() throws {
    let n = 600_001
    let computation = try FibonacciComputation.small(n, splitFrom: 1000)
    let result = try run(computation, threads: 1) { state, next in
      Self.hasHalf(state) ? next.smallest : max(next.ways.last ?? 0, next.smallest)
    }
    #expect(result.bytes == (try FibonacciComputation.small(n).uninterrupted()))
    #expect(result.halves > 3)
    #expect(result.pieces > 20)
  }

  @Test("W14 a chunk with room for both halves does both")
  func bothHalves() throws {
    let computation = try FibonacciComputation.small(600_001, splitFrom: 1000)
    let result = try run(computation, threads: 1) { 3 * max($1.ways.last ?? 0, $1.smallest) }
    #expect(result.halves == 0)
    #expect(result.bytes == (try FibonacciComputation.small(600_001).uninterrupted()))
  }
}

import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

@Suite("Products in pieces")
struct SplittingTests {
  /// Two factors as a last step has them, about so many words long.
  private func factors<Number: DoublingNumber>(
    _ type: Number.Type, words: Int
  ) -> (Number, Number) {
    let bits = words * (Number.self == BigInteger.self ? 64 : 63)
    let doubling = Doubling<Number>(n: bits * 36 / 25, wantsPair: true)
    var state = doubling.start()
    while state.remainingBits > 0 {
      guard let next = try? doubling.advanced(state, atMost: .infinity, threads: 1) else { break }
      state = next.state
    }
    return (
      state.current, .combination(3, state.current, 1, state.previous, plus: 0, threads: 1)
    )
  }

  /// Runs a product to its end, through bytes after every operation.
  private func product<Number: DoublingNumber>(
    _ left: Number, _ right: Number, parts: Int, threads: Int
  ) throws -> Number {
    let length = max(left.length, right.length)
    var split = SplitProduct<Number>(parts: parts, factorLength: length)
    let expected = Number.modular.multiply(left.residue(), right.residue())
    for _ in 0..<10 * Splitting.most {
      switch split.advanced({ (left, right) }, threads: threads) {
      case .complete(let product): return product
      case .more(let next): split = next
      }
      var payload = CheckpointPayload()
      split.encode(into: &payload)
      let bytes = payload.bytes
      #expect(bytes.count <= split.checkpointBytes)
      split = try bytes.withUnsafeBytes {
        var reader = ByteReader($0)
        return try SplitProduct(&reader, factorLength: length)
      }
      if split.needsFactors {
        #expect(split.areValues(of: left, right))
      } else {
        #expect(split.residueOfProduct() == expected, "\(split.passes) passes")
      }
    }
    throw StintError(.noProgress, "A product in pieces did not come to its end.")
  }

  private func check<Number: DoublingNumber>(
    _ type: Number.Type, parts: Int, same: (Number, Number) -> Bool
  ) throws {
    for (words, threads) in [(1, 1), (5, 2), (16, 1), (33, 3), (200, 1), (1000, 2), (4321, 2)] {
      let (left, right) = factors(type, words: words)
      let square = try product(left, left, parts: parts, threads: threads)
      #expect(same(square, .product(left, left, threads: 1)), "\(words) words squared")
      let both = try product(left, right, parts: parts, threads: threads)
      #expect(same(both, .product(left, right, threads: 1)), "\(words) words")
    }
  }

  @Test("W8 a product in pieces is the product, whatever the pieces", arguments: Splitting.ladder)
  func sameProduct(parts: Int) throws {
    try check(BigInteger.self, parts: parts) { $0 == $1 }
    try check(DecimalNumber.self, parts: parts) { $0.limbs == $1.limbs }
  }

  @Test("W8 the largest values that a part can have", arguments: Splitting.ladder)
  func largest(parts: Int) throws {
    let words = 40
    let decimal = DecimalNumber(
      limbs: [UInt64](repeating: DecimalNumber.base - 1, count: words))
    let binary = BigInteger.powerOfTwo(64 * words) - BigInteger(1)
    let square = try product(decimal, decimal, parts: parts, threads: 1)
    #expect(square.limbs == DecimalNumber.product(decimal, decimal, threads: 1).limbs)
    #expect(try product(binary, binary, parts: parts, threads: 1) == binary.squared())
    // A number of few parts, and none.
    let one = DecimalNumber(1)
    #expect(try product(decimal, one, parts: parts, threads: 1).limbs == decimal.limbs)
    let zero = BigInteger(0)
    #expect(try product(zero, zero, parts: parts, threads: 1).isZero)
  }

  @Test(
    "W8 W14 split wherever it can be, with a reload after every piece, the bytes are the same",
    arguments: [FibonacciFormat.decimal, .hex, .raw], [1, 2])
  func everyPiece(format: FibonacciFormat, threads: Int) throws {
    for n in [187, 1000, 5001, 20_000, 300_001] {
      let whole = try FibonacciComputation.small(n, format).uninterrupted()
      let computation = try FibonacciComputation.small(
        n, format, threads: threads, splitFrom: 1)
      let split = try computation.reloaded(threads: threads) { $1.smallest }
      #expect(split.output == whole, "n = \(n)")
      if n > 100_000 { #expect(split.pieces > 50) }
    }
  }

  @Test(
    "W2 nothing is split where the chunk has room, and else the pieces are small",
    arguments: [FibonacciFormat.decimal, .raw], [1, 2])
  func onlyWhereNeeded(format: FibonacciFormat, threads: Int) throws {
    let n = 600_000
    let computation = try FibonacciComputation.small(
      n, format, threads: threads, splitFrom: 1000)
    let whole = try computation.reloaded(threads: threads) { max($1.efficient, $1.smallest) }
    #expect(whole.pieces == 0)
    // A share of what is offered, where that is a good deal less than a product costs.
    var run = try ChunkRun(computation, threads: threads)
    var began = 0
    while let next = run.next {
      let before = computation.isSplit(run.state)
      let offered = max(next.efficient / 2, next.smallest)
      let chunk = try run.advance(atMost: offered)
      if !before, computation.isSplit(run.state) {
        began += 1
        if offered > 1.1 * next.smallest {
          #expect(chunk.cost <= Splitting.share * offered || offered < 4 * next.smallest)
        }
      }
    }
    #expect(began > 2)
    #expect(run.output == whole.output)
  }

  @Test(
    "W2 W8 after a reload a part of the next product is tried first, once, and the state stays",
    arguments: [FibonacciFormat.decimal, .raw], [1, 2])
  func trialFirst(format: FibonacciFormat, threads: Int) throws {
    let computation = try FibonacciComputation.small(
      600_000, format, threads: threads, splitFrom: 100)
    var run = try ChunkRun(computation, threads: threads)
    var tried: [Int] = []
    while let next = run.next {
      if let way = next.ways.last?.cost {
        var loaded = run
        try loaded.reload()
        let offered = try #require(loaded.next).smallest
        // A stage that is shorter than a trial needs none.
        #expect(offered <= way)
        let trial = try loaded.advance(atMost: offered)
        if trial.isTrial {
          #expect(
            trial.cost == computation.doublingOutlook(run.state)?.trial.cost(threads: threads))
          #expect(try loaded.bytes() == run.bytes())
          tried.append(try #require(computation.doublingOutlook(run.state)).trial.length)
          #expect(try !loaded.advance(atMost: next.smallest).isTrial)
        }
      }
      try run.advance(atMost: max(next.efficient, next.smallest))
    }
    // The least that is split, and a sixteenth where that is more: the last step's factor has 3300
    // or 3255 words.
    #expect(tried.min() == 100)
    #expect(203...206 ~= (tried.max() ?? 0), "\(tried)")
  }

  @Test("W2 W8 a sequence tries a part of its next product first, too, and its stages stay")
  func trialOfSequence() throws {
    let first = 600_000
    let range = try FibonacciRange(from: first, to: first + 1)
    let sequence = FibonacciSequence(range, splitting: Splitting(leastLength: 1000)) { _, _ in }
    var run = try ChunkRun(sequence)
    var trials = 0
    while let next = run.next {
      // A process that begins with the smallest chunk, and then knows enough for a stage.
      let bytes = try run.bytes()
      try run.reload()
      var first = run
      if try first.advance().isTrial {
        trials += 1
        #expect(try first.bytes() == bytes)
        run = first
      }
      try run.advance(atMost: max(next.ways.last?.cost ?? 0, next.smallest))
      #expect(!sequence.isSplit(run.state))
    }
    #expect(trials > 10)
    let whole = try FibonacciSequence(range) { _, _ in }.uninterrupted()
    #expect(run.output == whole)
  }

  /// The largest of all states of a run in the smallest chunks, in bytes; with squares, a last step
  /// is squarings, of which the first is done as a whole.
  private func largestState(_ computation: FibonacciComputation, squares: Bool) throws -> Int {
    var run = try ChunkRun(computation)
    var largest = 0
    while let next = run.next {
      largest = max(largest, try run.bytes().count)
      try run.advance(
        atMost: squares && next.ways.count > 1 ? next.ways[1].cost : next.smallest)
    }
    return largest
  }

  @Test(
    "C4 W4 no state of a split run is larger than the estimate, which is hardly more than the largest",
    arguments: [FibonacciFormat.decimal, .hex, .raw])
  func estimateHoldsSplitStates(format: FibonacciFormat) throws {
    for n in [40_000, 300_001] {
      let computation = try FibonacciComputation.small(n, format, splitFrom: 100)
      let estimate = computation.largestCheckpointBytes
      #expect(try largestState(computation, squares: false) <= estimate, "n = \(n)")
      let largest = try largestState(computation, squares: true)
      #expect(largest <= estimate && estimate <= largest * 5 / 4, "n = \(n): \(largest)")
    }
  }

  @Test("C4 W4 the estimate holds the states of a number that is split in earnest")
  func estimateInFullSize() throws {
    let index = try FibonacciIndex(13_000_000)
    let estimate = FibonacciEstimate(index, format: .raw)
    let computation = FibonacciComputation(index, format: .raw) { _, _ in }
    let largest = try largestState(computation, squares: true)
    #expect(largest <= estimate.checkpointBytes)
    #expect(estimate.checkpointBytes <= largest * 5 / 4)
    // Three numbers and a bit.
    #expect(largest > 3 * FibonacciLength.bits(index.value) / 8)
  }
}

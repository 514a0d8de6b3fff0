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
      var bytes: [UInt8] = []
      payload.forEachSegment { bytes += $0 }
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

  /// Runs in the smallest chunks; how many of them were pieces.
  private func smallest(
    _ computation: FibonacciComputation, threads: Int, offered: (Outlook.ChunkRange) -> Double
  ) throws -> (bytes: [UInt8], pieces: Int) {
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: threads)
    var state = try computation.start(in: workspace)
    var pieces = 0
    var fraction = 0.0
    while let next = computation.outlook(of: state).next {
      let chunk = try #require(
        try computation.run(from: state, atMost: offered(next), in: context))
      let bytes = try computation.bytes(of: chunk.state)
      #expect(bytes.count <= computation.outlook(of: chunk.state).checkpointBytes)
      // A trial after a reload is followed by a chunk.
      state = chunk.isTrial ? chunk.state : try computation.state(from: bytes, in: workspace)
      let progress = computation.outlook(of: state).progress.fraction
      #expect(progress >= fraction - 1e-9)
      fraction = progress
      if computation.isSplit(state) { pieces += 1 }
    }
    return (workspace.file().bytes, pieces)
  }

  @Test(
    "W8 W14 split wherever it can be, with a reload after every piece, the bytes are the same",
    arguments: [FibonacciFormat.decimal, .hex, .raw], [1, 2])
  func everyPiece(format: FibonacciFormat, threads: Int) throws {
    for n in [187, 1000, 5001, 20_000, 300_001] {
      let whole = try FibonacciComputation.small(n, format).uninterrupted()
      let computation = try FibonacciComputation.small(
        n, format, threads: threads, splitFrom: 1)
      let split = try smallest(computation, threads: threads) { $0.smallest }
      #expect(split.bytes == whole, "n = \(n)")
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
    let (whole, pieces) = try smallest(computation, threads: threads) {
      max($0.efficient, $0.smallest)
    }
    #expect(pieces == 0)
    // A share of what is offered, where that is a good deal less than a product costs.
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: threads)
    var state = try computation.start(in: workspace)
    var began = 0
    while let next = computation.outlook(of: state).next {
      let before = computation.isSplit(state)
      let offered = max(next.efficient / 2, next.smallest)
      let chunk = try #require(
        try computation.run(from: state, atMost: offered, in: context))
      state = chunk.state
      if !before, computation.isSplit(state) {
        began += 1
        if offered > 1.1 * next.smallest {
          #expect(chunk.cost <= Splitting.share * offered || offered < 4 * next.smallest)
        }
      }
    }
    #expect(began > 2)
    #expect(workspace.file().bytes == whole)
  }

  @Test(
    "W2 W8 after a reload a part of the next product is tried first, once, and the state stays",
    arguments: [FibonacciFormat.decimal, .raw], [1, 2])
  func trialFirst(format: FibonacciFormat, threads: Int) throws {
    let computation = try FibonacciComputation.small(
      600_000, format, threads: threads, splitFrom: 100)
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: threads)
    var state = try computation.start(in: workspace)
    var tried: [Int] = []
    while let next = computation.outlook(of: state).next {
      if let way = next.ways.last?.cost {
        let bytes = try computation.bytes(of: state)
        let loaded = try computation.state(from: bytes, in: workspace)
        let offered = try #require(computation.outlook(of: loaded).next).smallest
        // A stage that is shorter than a trial needs none.
        #expect(offered <= way)
        let trial = try #require(try computation.run(from: loaded, atMost: offered, in: context))
        if trial.isTrial {
          #expect(trial.cost == computation.trial(state).cost(threads: threads))
          #expect(try computation.bytes(of: trial.state) == bytes)
          tried.append(computation.trial(state).length)
          let then = try #require(
            try computation.run(from: trial.state, atMost: next.smallest, in: context))
          #expect(!then.isTrial)
        }
      }
      let whole = max(next.efficient, next.smallest)
      state = try #require(try computation.run(from: state, atMost: whole, in: context)).state
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
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace)
    var state = try sequence.start(in: workspace)
    var trials = 0
    while let next = sequence.outlook(of: state).next {
      // A process that begins with the smallest chunk, and then knows enough for a stage.
      let bytes = try sequence.bytes(of: state)
      let loaded = try sequence.state(from: bytes, in: workspace)
      let smallest = try #require(sequence.outlook(of: loaded).next).smallest
      let chunk = try #require(try sequence.run(from: loaded, atMost: smallest, in: context))
      if chunk.isTrial {
        trials += 1
        #expect(try sequence.bytes(of: chunk.state) == bytes)
      }
      let known = chunk.isTrial ? chunk.state : loaded
      let offered = max(next.ways.last?.cost ?? 0, next.smallest)
      state = try #require(try sequence.run(from: known, atMost: offered, in: context)).state
      #expect(!sequence.isSplit(state))
    }
    #expect(trials > 10)
    let whole = try FibonacciSequence(range) { _, _ in }.uninterrupted()
    #expect(workspace.file().bytes == whole)
  }

  /// The largest of all states of a run in the smallest chunks, in bytes; with squares, a last step
  /// is squarings, of which the first is done as a whole.
  private func largestState(_ computation: FibonacciComputation, squares: Bool) throws -> Int {
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace)
    var state = try computation.start(in: workspace)
    var largest = 0
    while let next = computation.outlook(of: state).next {
      largest = max(largest, try computation.bytes(of: state).count)
      let offered = squares && next.ways.count > 1 ? next.ways[1].cost : next.smallest
      state = try #require(try computation.run(from: state, atMost: offered, in: context)).state
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

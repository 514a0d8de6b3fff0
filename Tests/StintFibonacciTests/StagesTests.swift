import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

@Suite("Products in stages")
struct StagesTests {
  private static func number(_ length: Int, seed: Int) -> DecimalNumber {
    var random = SplitMix64(seed: UInt64(seed))
    let limbs = (0..<length).map { _ in UInt64.random(in: 0..<DecimalNumber.base, using: &random) }
    return DecimalNumber(limbs: limbs.dropLast() + [7])
  }

  private static func bytes(_ product: KroneckerProduct) -> [UInt8] {
    var payload = CheckpointPayload()
    product.encode(into: &payload)
    return payload.bytes
  }

  private static func product(_ bytes: [UInt8], factorLength: Int) throws -> KroneckerProduct {
    try bytes.withUnsafeBytes {
      var reader = ByteReader($0)
      return try KroneckerProduct(&reader, factorLength: factorLength)
    }
  }

  /// All stages of a product, from the one after which one is done on, and what they make.
  private static func stages(
    of left: DecimalNumber, _ right: DecimalNumber, threads: Int
  ) throws -> (stages: [KroneckerProduct], product: DecimalNumber) {
    var stages = [KroneckerProduct.begun(left, right, threads: threads)]
    while true {
      switch try stages[stages.count - 1].advanced({ (left, right) }, threads: threads) {
      case .more(let next): stages.append(next)
      case .complete(let product): return (stages, product)
      }
    }
  }

  /// What the check of a product leaves, or nil.
  private static func verified(
    _ product: KroneckerProduct, _ left: DecimalNumber, _ right: DecimalNumber
  ) -> KroneckerProduct? {
    if product.needsFactors { return product.verified(left, right) }
    let modular = DecimalNumber.modular
    let expected = modular.multiply(left.residue(), right.residue())
    return product.residueOfProduct() == expected ? product : nil
  }

  @Test(
    "W8 the stages of a product make the product, through bytes",
    arguments: [(1, 1), (15, 16), (33, 17), (48, 48), (400, 1), (401, 399), (5000, 5000)])
  func sameProduct(lengths: (Int, Int)) throws {
    let left = Self.number(lengths.0, seed: 1)
    let right = Self.number(lengths.1, seed: 2)
    let most = KroneckerProduct.lengths(factorLength: max(lengths.0, lengths.1))
    for (first, second) in [(left, right), (right, left), (left, left)] {
      let expected = DecimalNumber.product(first, second, threads: 1).limbs
      for threads in [1, 2] {
        let (stages, product) = try Self.stages(of: first, second, threads: threads)
        #expect(product.limbs == expected)
        #expect(stages.map(\.done) == [1, 2, 3, 4])
        // From each of them on, as read again, with what the check leaves and without.
        for stage in stages {
          let bytes = Self.bytes(stage)
          #expect(bytes.count <= 8 + 8 * stage.length)
          #expect(stage.length <= (stage.needsFactors ? most.withFactors : most.alone))
          #expect(stage.needsFactors == (stage.done < 4))
          let read = try Self.product(bytes, factorLength: max(first.length, second.length))
          #expect(read.done == stage.done)
          let checked = try #require(Self.verified(read, first, second))
          for start in [read, checked] {
            var rest = start
            var made: DecimalNumber?
            while made == nil {
              switch try rest.advanced({ (first, second) }, threads: threads) {
              case .more(let next): rest = next
              case .complete(let product): made = product
              }
            }
            #expect(made?.limbs == expected)
          }
        }
      }
    }
  }

  @Test("C2 a stage of other factors is none, nor is one with a limb that differs")
  func wrong() throws {
    let (left, right) = (Self.number(100, seed: 3), Self.number(90, seed: 4))
    let (stages, _) = try Self.stages(of: left, right, threads: 1)
    for stage in stages {
      #expect(Self.verified(stage, left, left) == nil)
      #expect(Self.verified(stage, left, Self.number(90, seed: 5)) == nil)
      #expect(Self.verified(stage, left, Self.number(20, seed: 4)) == nil)
      let bytes = Self.bytes(stage)
      // Behind the number of stages and one or two lengths.
      for position in stride(from: stage.done == 3 ? 17 : 9, to: bytes.count, by: 8) {
        var damaged = bytes
        damaged[position] ^= 1
        let read = try Self.product(damaged, factorLength: 100)
        #expect(Self.verified(read, left, right) == nil, "\(stage.done) stages, byte \(position)")
      }
      #expect(throws: StintError.self) { try Self.product(bytes, factorLength: 30) }
      #expect(throws: StintError.self) {
        try Self.product(Array(bytes.dropLast()), factorLength: 100)
      }
      for other in [0, 5, 255] as [UInt8] {
        #expect(throws: StintError.self) {
          try Self.product([other] + bytes.dropFirst(), factorLength: 100)
        }
      }
    }
    // W is never of so many limbs.
    var odd = Self.bytes(stages[0])
    odd[1] += 8
    #expect(throws: StintError.self) {
      try Self.product(odd + [UInt8](repeating: 0, count: 128), factorLength: 100)
    }
  }

  @Test("C2 stages that nobody has checked are found to contradict the factors, or each other")
  func unchecked() throws {
    let (left, right) = (Self.number(100, seed: 3), Self.number(90, seed: 4))
    let other = Self.number(90, seed: 5)
    let (stages, _) = try Self.stages(of: left, other, threads: 1)
    for stage in stages.dropLast() {
      // Without the factors that it was made of.
      var rest = try Self.product(Self.bytes(stage), factorLength: 100)
      let error = #expect(throws: StintError.self) {
        while case .more(let next) = try rest.advanced({ (left, right) }, threads: 1) {
          rest = next
        }
      }
      #expect(error?.code == .checkFailed, "\(stage.done) stages")
    }
  }

  @Test("C2 the largest limbs that a stage can have are reduced as others are")
  func largest() throws {
    // A square of limbs as large as they can be, and of numbers that leave ones and zeros side by
    // side.
    for length in [16, 100, 1000] {
      for limb in [DecimalNumber.base - 1, 1, 0] {
        let limbs = [UInt64](repeating: limb, count: length - 1) + [DecimalNumber.base - 1]
        let number = DecimalNumber(limbs: limbs)
        let (stages, product) = try Self.stages(of: number, number, threads: 1)
        for stage in stages { #expect(Self.verified(stage, number, number) != nil) }
        #expect(product.limbs == DecimalNumber.product(number, number, threads: 1).limbs)
      }
    }
  }

  @Test("the costs of the stages are those of the product, none is half of it", arguments: [1, 2])
  func costs(threads: Int) {
    for length in [70_000, 600_000, 6_000_000] {
      for isSquare in [false, true] {
        let costs = KroneckerProduct.costs(length: length, isSquare: isSquare, threads: threads)
        let whole =
          isSquare
          ? DecimalNumber.squaringCost(length: length, threads: threads)
          : DecimalNumber.productCost(length: length, threads: threads)
        #expect(costs.count == 5)
        #expect(abs(costs.reduce(0, +) / whole - 1) < 1e-9)
        #expect(costs.allSatisfy { $0 > 0 && $0 < 0.35 * whole })
      }
    }
  }

  private func run(
    _ computation: FibonacciComputation, threads: Int = 1,
    offered: (FibonacciState, Outlook.ChunkRange) -> Double
  ) throws -> FibonacciComputation.Reloaded {
    let result = try computation.reloaded(threads: threads, offered: offered)
    #expect(result.largestState <= computation.largestCheckpointBytes)
    return result
  }

  @Test("W8 cut between the stages of every product, the bytes are the same", arguments: [1, 2])
  func everyStage(threads: Int) throws {
    for n in [400_000, 600_001] {
      let whole = try FibonacciComputation.small(n).uninterrupted()
      let computation = try FibonacciComputation.small(n, threads: threads, splitFrom: 100)
      let result = try run(computation, threads: threads) {
        max($1.ways.last?.cost ?? 0, $1.smallest)
      }
      #expect(result.output == whole)
      #expect(result.stages > 20)
      #expect(result.pieces == 0)
    }
  }

  @Test(
    "W2 where the next stage does not fit, the product is done in pieces, and progress stays",
    arguments: 1...3)
  func givenUp(after stages: Int) throws {
    let n = 600_001
    let computation = try FibonacciComputation.small(n, splitFrom: 1000)
    let result = try run(computation) { state, next in
      state.stagesDone >= stages
        ? next.smallest : max(next.ways.last?.cost ?? 0, next.smallest)
    }
    #expect(result.output == (try FibonacciComputation.small(n).uninterrupted()))
    #expect(result.stages >= 3 * stages)
    #expect(result.pieces > 20)
  }

  @Test("W14 a chunk with room for all stages does them all")
  func allStages() throws {
    let computation = try FibonacciComputation.small(600_001, splitFrom: 1000)
    let result = try run(computation) { 6 * max($1.ways.last?.cost ?? 0, $1.smallest) }
    #expect(result.stages == 0)
    #expect(result.output == (try FibonacciComputation.small(600_001).uninterrupted()))
  }
}

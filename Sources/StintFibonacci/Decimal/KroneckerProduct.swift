import CGMP
import StintCore
import StintRuntime

/// A decimal product of which some stages are done.
///
/// After each number of stages it holds:
///
/// - 0: the factors. Next come h(y) and h(−y) modulo W − 1.
/// - 1: those values. Next come the same values modulo W + 1, and from both the sums of the even
///   and of the odd powers.
/// - 2: the sums. Next come the values of the reversed polynomial modulo W − 1.
/// - 3: the sums and those values. Next come the same values modulo W + 1, their sums, and from all
///   four sums the coefficients of h.
/// - 4: the coefficients; the factors are not needed. Next come the digits, by carrying.
///
/// The first four take about as long as each other, the last less than half of that.
struct KroneckerProduct: Sendable {
  enum Stage: Sendable {
    case values(WrappedValues)
    case sums(KroneckerHalves)
    case reversedValues(KroneckerHalves, WrappedValues)
    case coefficients(KroneckerHalves)
  }

  let stage: Stage
  /// The factors in binary, where they are at hand: no part of what is saved.
  private let factors: Kronecker.Factors?

  private init(_ stage: Stage, _ factors: Kronecker.Factors?) {
    self.stage = stage
    self.factors = factors
  }
}

/// The values of h, or its reverse, at y and −y, without their signs, modulo W − 1.
struct WrappedValues: Sendable {
  let values: [LimbBuffer]

  /// The limbs of W.
  var limbs: Int { values[0].count }
}

/// What belongs to even powers, and what belongs to odd ones.
///
/// As sums they are of the terms of h, or its reverse: h(y) = even + odd, h(−y) = even − odd. As
/// coefficients they are those of h, each in 2048 bits, side by side.
struct KroneckerHalves: Sendable {
  let even: LimbBuffer
  let odd: LimbBuffer

  var buffers: [LimbBuffer] { [even, odd] }

  /// The limbs of each.
  var limbs: Int { even.count }

  /// How many coefficients there are of each.
  var pairs: Int { limbs / (2 * Kronecker.group) }
}

extension KroneckerProduct: StagedProduct {
  static var exists: Bool { WrappedProduct.exists }

  /// What is done beside GMP's products, of which each of the first four stages has a fourth, is
  /// mostly carrying.
  private static let shares = [0.13, 0.13, 0.03, 0.24, 0.47]

  static func costs(length: Int, isSquare: Bool, threads: Int) -> [Double] {
    let whole =
      isSquare
      ? DecimalNumber.squaringCost(length: length, threads: threads)
      : DecimalNumber.productCost(length: length, threads: threads)
    let other = Kronecker.cost(0, length: length, threads: threads)
    return shares.enumerated().map { index, share in
      share * other + (index < 4 ? (whole - other) / 4 : 0)
    }
  }

  static func begun(
    _ left: DecimalNumber, _ right: DecimalNumber, threads: Int
  ) -> KroneckerProduct {
    let factors = Kronecker.Factors(left, right, threads: threads)
    return KroneckerProduct(.values(Kronecker.wrapped(factors, isReversed: false)), factors)
  }

  var done: Int {
    switch stage {
    case .values: 1
    case .sums: 2
    case .reversedValues: 3
    case .coefficients: 4
    }
  }

  var needsFactors: Bool { done < 4 }

  /// The product is compared with what it should be by whoever asked for it: what is done may have
  /// come from a file.
  func advanced(
    _ factors: () -> (DecimalNumber, DecimalNumber), threads: Int
  ) throws -> StageAdvance<KroneckerProduct> {
    func binary() -> Kronecker.Factors {
      if var known = self.factors {
        known.threads = threads
        return known
      }
      let (left, right) = factors()
      return Kronecker.Factors(left, right, threads: threads)
    }
    switch stage {
    case .values(let values):
      let binary = binary()
      guard let sums = Kronecker.sums(binary, isReversed: false, after: values) else { break }
      return .more(KroneckerProduct(.sums(sums), binary))
    case .sums(let sums):
      let binary = binary()
      let values = Kronecker.wrapped(binary, isReversed: true)
      return .more(KroneckerProduct(.reversedValues(sums, values), binary))
    case .reversedValues(let sums, let values):
      let binary = binary()
      guard let reversed = Kronecker.sums(binary, isReversed: true, after: values),
        let coefficients = Kronecker.coefficients(sums, reversed: reversed, binary)
      else { break }
      return .more(KroneckerProduct(.coefficients(coefficients), nil))
    case .coefficients(let coefficients):
      guard let product = Kronecker.carried(coefficients, threads: threads) else { break }
      return .complete(product)
    }
    throw Self.contradiction
  }

  private static var contradiction: StintError {
    StintError(
      .checkFailed,
      "The stages of a product contradict each other or its factors.", remedies: [.startOver])
  }

  private var buffers: [LimbBuffer] {
    switch stage {
    case .values(let values): values.values
    case .sums(let halves), .coefficients(let halves): halves.buffers
    case .reversedValues(let sums, let values): sums.buffers + values.values
    }
  }

  var length: Int { 2 + buffers.reduce(0) { $0 + $1.count } }

  static func lengths(factorLength: Int) -> (withFactors: Int, alone: Int) {
    let layout = KroneckerLayout(factorLength, factorLength)
    let values = WrappedProduct.modulusLimbs(layout.longValue, layout.shortValue)
    return (2 + 2 * (layout.sum + values), 2 + 2 * layout.coefficients)
  }

  // MARK: Whether it is right

  /// A prime that divides 2^128 + 1, and so W − 1 where W has a multiple of four limbs.
  ///
  /// It was found by Morrison and Brillhart (Bulletin of the AMS 77, 1971).
  static let wrappedPrime: UInt64 = 59_649_589_127_497_217

  func verified(_ left: DecimalNumber, _ right: DecimalNumber) -> KroneckerProduct? {
    let layout = KroneckerLayout(left.length, right.length)
    // They are needed for the next stage, whoever needs them first.
    let factors = Kronecker.Factors(left, right, threads: 2)
    func isRight(_ values: WrappedValues, isReversed: Bool) -> Bool {
      Self.isRight(values, factors, isReversed: isReversed, layout)
    }
    let isRight =
      switch stage {
      case .values(let values): isRight(values, isReversed: false)
      case .sums(let sums): Self.isRight(sums, factors, layout)
      case .reversedValues(let sums, let values):
        Self.isRight(sums, factors, layout) && isRight(values, isReversed: true)
      case .coefficients: preconditionFailure("the factors are not needed")
      }
    return isRight ? KroneckerProduct(stage, factors) : nil
  }

  private static func isRight(
    _ wrapped: WrappedValues, _ factors: Kronecker.Factors, isReversed: Bool,
    _ layout: KroneckerLayout
  ) -> Bool {
    let least = WrappedProduct.leastModulusLimbs(layout.longValue, layout.shortValue)
    guard least...2 * least ~= wrapped.limbs else { return false }
    let expected = Kronecker.residues(
      factors, isReversed: isReversed, ModularArithmetic(modulus: wrappedPrime))
    return zip(wrapped.values, expected).allSatisfy {
      gmpn_rest($0.limbs, $0.count, UInt(wrappedPrime)) == UInt($1.value)
    }
  }

  private static func isRight(
    _ sums: KroneckerHalves, _ factors: Kronecker.Factors, _ layout: KroneckerLayout
  ) -> Bool {
    guard sums.limbs == layout.sum else { return false }
    let modular = ModularArithmetic.mersenne
    let expected = Kronecker.residues(factors, isReversed: false, modular)
    let (even, odd) = (residue(of: sums.even), residue(of: sums.odd))
    let (plus, minus) = (modular.add(even, odd), modular.subtract(even, odd))
    return plus == expected[0].value
      && (expected[1].isNegative ? modular.subtract(0, minus) : minus) == expected[1].value
  }

  /// The value of binary limbs modulo 2^61 − 1.
  private static func residue(of buffer: LimbBuffer) -> UInt64 {
    UInt64(gmpn_rest(buffer.limbs, buffer.count, UInt(ModularArithmetic.mersenne.modulus)))
  }

  func residueOfProduct() -> UInt64 {
    guard case .coefficients(let coefficients) = stage else {
      preconditionFailure("the factors are needed")
    }
    let modular = DecimalNumber.modular
    let radix = modular.power(DecimalNumber.radixResidue, Kronecker.group)
    let square = modular.multiply(radix, radix)
    let width = 2 * Kronecker.group
    let sums = Parallel.each(count: 2, threads: 2) { parity in
      let buffer = parity == 0 ? coefficients.even : coefficients.odd
      return (0..<coefficients.pairs).reversed().reduce(UInt64(0)) { sum, index in
        let coefficient = gmpn_rest(
          buffer.limbs + index * width, width, UInt(modular.modulus))
        return modular.add(modular.multiply(sum, square), UInt64(coefficient))
      }
    }
    return modular.add(sums[0], modular.multiply(sums[1], radix))
  }

  // MARK: In a checkpoint

  func encode(into payload: inout CheckpointPayload) {
    payload.append(UInt8(done))
    switch stage {
    case .values(let values): payload.append(count: values.limbs)
    case .sums(let sums): payload.append(count: sums.limbs)
    case .reversedValues(let sums, let values):
      payload.append(count: sums.limbs)
      payload.append(count: values.limbs)
    case .coefficients(let coefficients): payload.append(count: coefficients.pairs)
    }
    for buffer in buffers { payload.lend(buffer.bytes, owner: buffer) }
  }

  init(_ reader: inout ByteReader, factorLength: Int) throws {
    let layout = KroneckerLayout(factorLength, factorLength)
    let done = try reader.readByte()
    func readSums() throws -> Int { try reader.readCount(atMost: layout.sum, "length of a sum") }
    func readModulus() throws -> Int {
      // Another GMP may choose another length that suits it.
      let least = WrappedProduct.leastModulusLimbs(layout.longValue, layout.shortValue)
      let limbs = try reader.readCount(atMost: 2 * least, "length of a value")
      guard limbs > 0, limbs % WrappedProduct.unit == 0 else {
        throw StintError(.damaged, "The checkpoint's values of \(limbs) words are not valid.")
      }
      return limbs
    }
    func buffers(of limbs: Int) throws -> [LimbBuffer] {
      try (0..<2).map { _ in
        let source = try reader.take(8 * limbs, "stage of a product")
        let buffer = LimbBuffer(count: limbs)
        Parallel.copy(
          source, to: UnsafeMutableRawBufferPointer(start: buffer.limbs, count: source.count))
        return buffer
      }
    }
    func halves(_ limbs: Int) throws -> KroneckerHalves {
      let read = try buffers(of: limbs)
      return KroneckerHalves(even: read[0], odd: read[1])
    }
    switch done {
    case 1:
      stage = .values(WrappedValues(values: try buffers(of: try readModulus())))
    case 2:
      stage = .sums(try halves(try readSums()))
    case 3:
      let (sumLimbs, modulusLimbs) = (try readSums(), try readModulus())
      stage = .reversedValues(
        try halves(sumLimbs), WrappedValues(values: try buffers(of: modulusLimbs)))
    case 4:
      let pairs = try reader.readCount(atMost: layout.pairs, "number of coefficients")
      guard pairs > 0 else { throw StintError(.damaged, "The checkpoint's product is not valid.") }
      stage = .coefficients(try halves(2 * Kronecker.group * pairs))
    default:
      throw StintError(.damaged, "The checkpoint's product has \(done) stages done.")
    }
    factors = nil
  }
}

/// The lengths of what a product of two numbers of that many limbs consists of.
struct KroneckerLayout {
  private let left: Int
  private let right: Int

  init(_ left: Int, _ right: Int) {
    func pairs(_ length: Int) -> Int {
      let groups = (length + Kronecker.group - 1) / Kronecker.group
      return (groups + 1) / 2
    }
    self.left = max(pairs(left), pairs(right))
    self.right = min(pairs(left), pairs(right))
  }

  /// The coefficients of h, by two.
  var pairs: Int { left + right }
  /// The limbs of a value of the longer factor, and of the shorter one.
  var longValue: Int { left * Kronecker.group + Kronecker.shift }
  var shortValue: Int { right * Kronecker.group + Kronecker.shift }
  /// The limbs of a sum of h.
  var sum: Int { (pairs + 1) * Kronecker.group }
  /// The limbs of all coefficients of even powers, or of odd ones.
  var coefficients: Int { 2 * Kronecker.group * pairs }
}

import CGMP
import Stint
import StintCore

/// A decimal product whose values at y and −y are known: the even and the odd coefficients' sums.
///
/// With h(y) and h(−y) it is h(y) = even + odd and h(−y) = even − odd. It takes as much room as the product, and its other half, the same
/// of the reversed polynomials, takes as long as it took.
struct KroneckerHalf: Sendable {
  let even: LimbBuffer
  let odd: LimbBuffer

  /// The limbs of each.
  var limbCount: Int { even.count }
}

extension KroneckerHalf: ProductHalf {
  static let exists = true

  /// The first half packs the factors as the other one does; that one takes the coefficients out and carries besides.
  static let share = 0.46

  static func begun(
    _ left: DecimalNumber, _ right: DecimalNumber, threads: Int
  ) -> KroneckerHalf {
    Kronecker.begun(left, right, threads: threads)
  }

  /// The product is compared with its factors modulo a prime: the half may have come from a file.
  func completed(
    _ left: DecimalNumber, _ right: DecimalNumber, threads: Int
  ) throws -> DecimalNumber {
    let modular = DecimalNumber.modular
    let expected = modular.multiply(left.residue(), right.residue())
    let product = Kronecker.product(left, right, after: self, threads: threads)
    guard let product, product.residue() == expected else {
      throw StintError(
        .checkFailed,
        "Half a product and the other half do not make up the product; start over with --fresh.")
    }
    return product
  }

  var length: Int { 2 * limbCount }

  static func length(factorLengths left: Int, _ right: Int) -> Int {
    2 * Kronecker.group * (pairs(left) + pairs(right) + 1)
  }

  /// The pairs of coefficients of a number of so many limbs.
  private static func pairs(_ length: Int) -> Int {
    let groups = (length + Kronecker.group - 1) / Kronecker.group
    return (groups + 1) / 2
  }

  /// Whether both sums are those of two factors, modulo 2^61 − 1.
  func isRight(_ left: DecimalNumber, _ right: DecimalNumber) -> Bool {
    guard length == Self.length(factorLengths: left.length, right.length) else { return false }
    let modular = ModularArithmetic.mersenne
    let numbers = left === right ? [left] : [left, right]
    let factors = Parallel.each(count: numbers.count, threads: numbers.count) {
      Self.residues(of: numbers[$0])
    }
    let (first, second) = (factors[0], factors[factors.count - 1])
    let (even, odd) = (Self.residue(of: even), Self.residue(of: odd))
    return modular.add(even, odd) == modular.multiply(first.plus, second.plus)
      && modular.subtract(even, odd) == modular.multiply(first.minus, second.minus)
  }

  /// The values of a number's polynomial at y and −y modulo the prime.
  private static func residues(of number: DecimalNumber) -> (plus: UInt64, minus: UInt64) {
    let modular = ModularArithmetic.mersenne
    let limbs = number.limbBuffer
    let point = modular.power(2, 64 * Kronecker.shift)
    let groups = (limbs.count + Kronecker.group - 1) / Kronecker.group
    // Horner's rule with the square of y, for the even and the odd coefficients.
    let square = modular.multiply(point, point)
    var sums: [UInt64] = [0, 0]
    for index in (0..<groups).reversed() {
      let end = min((index + 1) * Kronecker.group, limbs.count)
      var coefficient = DigitResidue()
      for limb in limbs[index * Kronecker.group..<end].reversed() {
        coefficient.append(limb: limb)
      }
      let parity = index & 1
      sums[parity] = modular.add(modular.multiply(sums[parity], square), coefficient.value)
    }
    let odd = modular.multiply(sums[1], point)
    return (modular.add(sums[0], odd), modular.subtract(sums[0], odd))
  }

  /// The value of binary limbs modulo the prime.
  private static func residue(of buffer: LimbBuffer) -> UInt64 {
    UInt64(gmpn_rest(buffer.limbs, buffer.count, UInt(ModularArithmetic.mersenne.modulus)))
  }

  // MARK: In a checkpoint

  func encode(into payload: inout CheckpointPayload) {
    payload.append(count: limbCount)
    for sum in [even, odd] { payload.lend(sum.bytes, owner: sum) }
  }

  init(_ reader: inout ByteReader, factorLength: Int) throws {
    let most = Self.length(factorLengths: factorLength, factorLength) / 2
    let count = try reader.readCount(atMost: most, "length of half a product")
    func sum() throws -> LimbBuffer {
      let source = try reader.take(8 * count, "half a product")
      let buffer = LimbBuffer(count: count)
      UnsafeMutableRawBufferPointer(start: buffer.limbs, count: source.count)
        .copyMemory(from: source)
      return buffer
    }
    even = try sum()
    odd = try sum()
  }
}

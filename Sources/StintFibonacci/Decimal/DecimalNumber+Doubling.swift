import StintCore
import StintRuntime

extension DecimalNumber: DoublingNumber {
  typealias Staged = KroneckerProduct

  static let productIsParallel = true

  static let modular = ModularArithmetic.mersenne

  var length: Int { limbCount }

  static func product(
    _ left: DecimalNumber, _ right: DecimalNumber, threads: Int
  ) -> DecimalNumber {
    Kronecker.product(left, right, threads: threads)
  }

  static func length(ofFibonacci n: Int) -> Int {
    (FibonacciLength.digits(n) + limbDigits - 1) / limbDigits
  }

  static func squaringCost(length: Int, threads: Int) -> Double {
    Kronecker.cost(GMPCost.squaring(bits: 32 * length), length: length, threads: threads)
  }

  static func productCost(length: Int, threads: Int) -> Double {
    Kronecker.cost(
      GMPCost.product(bits: 32 * length, bits: 32 * length), length: length, threads: threads)
  }

  static func combinationCost(length: Int, threads: Int) -> Double {
    GMPCost.overhead + 4 * Double(length) / (threads > 1 ? 2 : 1)
  }

  static func divisionCost(length: Int) -> Double {
    GMPCost.overhead + 12 * Double(length)
  }

  static let radixResidue = base % modular.modulus

  func residue() -> UInt64 {
    residue(ofLowest: limbCount)
  }

  static func append(_ number: DecimalNumber, to payload: inout CheckpointPayload) {
    payload.append(count: 8 * number.limbCount)
    payload.lend(number.bytes, owner: number)
  }

  static func read(
    _ reader: inout ByteReader, lengthAtMost limit: Int, _ what: String
  ) throws -> DecimalNumber {
    let size = try reader.readCount(atMost: 8 * limit, "length of \(what)")
    guard size % 8 == 0 else {
      throw StintError(.damaged, "The checkpoint's \(what) does not consist of whole limbs.")
    }
    let source = try reader.take(size, what)
    let number = DecimalNumber(limbCount: size / 8) {
      Parallel.copy(source, to: UnsafeMutableRawBufferPointer($0))
    }
    guard number.limbCount == size / 8, number.limbBuffer.allSatisfy({ $0 < base }) else {
      throw StintError(.damaged, "The checkpoint's \(what) has a limb of 10^19 or more.")
    }
    return number
  }
}

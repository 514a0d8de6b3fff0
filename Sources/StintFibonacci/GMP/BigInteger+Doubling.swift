import CGMP
import StintCore
import StintRuntime

extension BigInteger: DoublingNumber {
  typealias Staged = NoStages<BigInteger>

  static let productIsParallel = false

  static let modular = ModularArithmetic.word

  var length: Int { limbBytes / 8 }

  static func product(_ left: BigInteger, _ right: BigInteger, threads: Int) -> BigInteger {
    left === right ? left.squared() : left * right
  }

  static func combination(
    _ alpha: Int, _ a: BigInteger, _ beta: Int, _ b: BigInteger, plus constant: Int, threads: Int
  ) -> BigInteger {
    BigInteger {
      gmpz_multiply_small($0, a.value, alpha)
      switch beta.signum() {
      case 1: gmpz_add_multiple($0, b.value, UInt(beta))
      case -1: gmpz_sub_multiple($0, b.value, beta.magnitude)
      default: break
      }
      if constant < 0 {
        gmpz_sub_ui($0, $0, constant.magnitude)
      } else {
        gmpz_add_ui($0, $0, UInt(constant))
      }
    }
  }

  func words(_ range: Range<Int>) -> BigInteger {
    let bytes = 8 * range.lowerBound..<8 * range.upperBound
    return BigInteger(limbs: UnsafeRawBufferPointer(rebasing: limbBuffer[bytes]))
  }

  func divided(by divisor: UInt64) -> BigInteger {
    BigInteger { gmpz_divide_exact_small($0, value, UInt(divisor)) }
  }

  static func sum(_ numbers: [BigInteger], spacing: Int) -> BigInteger {
    let ends = numbers.indices.map { $0 * spacing + numbers[$0].length }
    let count = (ends.max() ?? 0) + 1
    return BigInteger { result in
      guard let limbs = gmpz_limbs_write(result, count) else { return }
      limbs.update(repeating: 0, count: count)
      for (index, number) in numbers.enumerated() where !number.isZero {
        let start = index * spacing
        // What is above the end of the number takes its carry.
        let carry = gmpn_add(
          limbs + start, limbs + start, count - start, gmpz_limbs_read(number.value), number.length)
        precondition(carry == 0, "the sum has room")
      }
      gmpz_limbs_finish(result, count)
    }
  }

  static func length(ofFibonacci n: Int) -> Int {
    (FibonacciLength.bits(n) + 63) / 64
  }

  static func squaringCost(length: Int, threads: Int) -> Double {
    GMPCost.squaring(bits: 64 * length)
  }

  static func productCost(length: Int, threads: Int) -> Double {
    GMPCost.product(bits: 64 * length, bits: 64 * length)
  }

  static func combinationCost(length: Int, threads: Int) -> Double {
    GMPCost.linear(bits: 48 * length)
  }

  static func divisionCost(length: Int) -> Double {
    GMPCost.overhead + 3 * Double(length)
  }

  /// 2^64 is 59 above the prime.
  static let radixResidue: UInt64 = 59

  func residue() -> UInt64 {
    residue(modulo: Self.modular.modulus)
  }

  static func append(_ number: BigInteger, to payload: inout CheckpointPayload) {
    payload.append(number)
  }

  static func read(
    _ reader: inout ByteReader, lengthAtMost limit: Int, _ what: String
  ) throws -> BigInteger {
    try reader.readInteger(bitsAtMost: 64 * limit, what)
  }
}

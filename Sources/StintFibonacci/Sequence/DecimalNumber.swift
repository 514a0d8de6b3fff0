/// A whole number in base 10^19, least significant limb first: additions carry, and printing needs no division of
/// big numbers.
///
/// It never changes after it is made; a checkpoint borrows its limbs.
final class DecimalNumber: @unchecked Sendable {
  // Unchecked: the limbs are written only by the initialiser.

  /// The base of a limb.
  static let base: UInt64 = 10_000_000_000_000_000_000
  /// The digits of a limb.
  static let limbDigits = 19

  private let storage: UnsafeMutableBufferPointer<UInt64>

  /// Copies limbs; the most significant is not zero, and zero has no limb.
  init(limbs: [UInt64]) {
    storage = .allocate(capacity: limbs.count)
    _ = storage.initialize(fromContentsOf: limbs)
  }

  deinit {
    storage.deallocate()
  }

  var limbs: [UInt64] { Array(storage) }

  var limbCount: Int { storage.count }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage) }

  /// The value modulo a prime.
  func residue(_ modular: ModularArithmetic) -> UInt64 {
    let base = Self.base % modular.modulus
    return storage.reversed().reduce(UInt64(0)) { sum, limb in
      modular.add(modular.multiply(sum, base), limb % modular.modulus)
    }
  }
}

/// Arithmetic on the limbs of decimal numbers.
enum DecimalLimbs {
  /// Appends the digits of a number to a text.
  static func appendText(of limbs: [UInt64], to text: inout [UInt8]) {
    guard let top = limbs.last else {
      text.append(UInt8(ascii: "0"))
      return
    }
    text.append(contentsOf: String(top).utf8)
    let start = text.count
    text += repeatElement(0, count: (limbs.count - 1) * DecimalNumber.limbDigits)
    text.withUnsafeMutableBufferPointer { text in
      var end = start
      for index in stride(from: limbs.count - 2, through: 0, by: -1) {
        end += DecimalNumber.limbDigits
        var rest = limbs[index]
        for position in 1...DecimalNumber.limbDigits {
          text[end - position] = UInt8(truncatingIfNeeded: rest % 10) + 48
          rest /= 10
        }
      }
    }
  }

  /// The limbs of a binary number.
  static func limbs(of number: BigInteger) -> [UInt64] {
    guard !number.isZero else { return [] }
    return Array(number.decimalText.utf8).withUnsafeBytes { limbs(ofText: $0) }
  }

  /// The limbs of a number above zero that is written in digits.
  static func limbs(ofText digits: UnsafeRawBufferPointer) -> [UInt64] {
    stride(from: digits.count, to: 0, by: -DecimalNumber.limbDigits).map { end in
      digits[max(end - DecimalNumber.limbDigits, 0)..<end].reduce(UInt64(0)) {
        $0 * 10 + UInt64($1 - 48)
      }
    }
  }
}

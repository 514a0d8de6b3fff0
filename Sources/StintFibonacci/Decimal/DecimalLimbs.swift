/// Arithmetic on the limbs of decimal numbers.
enum DecimalLimbs {
  /// Writes the nineteen digits of a limb, with zeros in front.
  @inline(__always)
  static func write(_ limb: UInt64, to text: UnsafeMutablePointer<UInt8>) {
    let (upper, lower) = limb.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (top, middle) = upper.quotientAndRemainder(dividingBy: 1_000_000_000)
    text[0] = UInt8(truncatingIfNeeded: top) + 48
    writeNine(UInt32(truncatingIfNeeded: middle), to: text + 1)
    writeNine(UInt32(truncatingIfNeeded: lower), to: text + 10)
  }

  @inline(__always)
  private static func writeNine(_ value: UInt32, to text: UnsafeMutablePointer<UInt8>) {
    var rest = value
    for position in stride(from: 8, through: 0, by: -1) {
      text[position] = UInt8(truncatingIfNeeded: rest % 10) + 48
      rest /= 10
    }
  }

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
      for (place, limb) in limbs.dropLast().reversed().enumerated() {
        write(limb, to: text.baseAddress! + start + place * DecimalNumber.limbDigits)
      }
    }
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

/// Arithmetic on the limbs of decimal numbers.
enum DecimalLimbs {
  /// Adds the second number to the first.
  static func add(_ addend: [UInt64], to sum: inout [UInt64]) {
    if sum.count < addend.count {
      sum += repeatElement(0, count: addend.count - sum.count)
    }
    var carry: UInt64 = 0
    for index in sum.indices {
      if index >= addend.count && carry == 0 { break }
      // Both limbs and the carry are below 10^19, so their sum may wrap a word once.
      let other = (index < addend.count ? addend[index] : 0) + carry
      let (value, overflow) = sum[index].addingReportingOverflow(other)
      let exceeds = overflow || value >= DecimalNumber.base
      sum[index] = exceeds ? value &- DecimalNumber.base : value
      carry = exceeds ? 1 : 0
    }
    if carry > 0 { sum.append(carry) }
  }

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
}

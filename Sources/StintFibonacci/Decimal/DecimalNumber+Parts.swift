extension DecimalNumber {
  func words(_ range: Range<Int>) -> DecimalNumber {
    let source = UnsafeBufferPointer(rebasing: limbBuffer[range])
    return DecimalNumber(limbCount: range.count) { _ = $0.initialize(fromContentsOf: source) }
  }

  func divided(by divisor: UInt64) -> DecimalNumber {
    let source = limbBuffer
    return DecimalNumber(limbCount: source.count) { quotient in
      var rest: UInt64 = 0
      for index in source.indices.reversed() {
        var dividend = rest.multipliedFullWidth(by: Self.base)
        let (low, carry) = dividend.low.addingReportingOverflow(source[index])
        dividend = (dividend.high + (carry ? 1 : 0), low)
        // The rest is below the divisor, so the quotient is below the base.
        (quotient[index], rest) = divisor.dividingFullWidth(dividend)
      }
      precondition(rest == 0, "the quotient is exact")
    }
  }

  static func sum(_ numbers: [DecimalNumber], spacing: Int) -> DecimalNumber {
    let ends = numbers.indices.map { $0 * spacing + numbers[$0].limbCount }
    let count = (ends.max() ?? 0) + 1
    return DecimalNumber(limbCount: count) { sum in
      sum.initialize(repeating: 0)
      for (index, number) in numbers.enumerated() {
        add(number.limbBuffer, to: sum, from: index * spacing)
      }
    }
  }

  private static func add(
    _ limbs: UnsafeBufferPointer<UInt64>, to sum: UnsafeMutableBufferPointer<UInt64>,
    from start: Int
  ) {
    guard let source = limbs.baseAddress, let target = sum.baseAddress else { return }
    precondition(start + limbs.count < sum.count, "the sum has room")
    let base = base
    var carry: UInt64 = 0
    var position = 0
    let count = limbs.count
    while position < count {
      // Two limbs and a carry may wrap a word once.
      let (value, overflow) = target[start + position].addingReportingOverflow(
        source[position] &+ carry)
      let exceeds = overflow || value >= base
      target[start + position] = exceeds ? value &- base : value
      carry = exceeds ? 1 : 0
      position += 1
    }
    var index = start + limbs.count
    while carry > 0 {
      precondition(index < sum.count, "the sum has room")
      let value = sum[index] + carry
      carry = value >= base ? 1 : 0
      sum[index] = carry > 0 ? value - base : value
      index += 1
    }
  }
}

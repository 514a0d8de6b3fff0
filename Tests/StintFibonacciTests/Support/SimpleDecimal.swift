/// A whole number as a list of decimal digits, least significant first: slow and plain, and shares
/// no code with what it checks.
struct SimpleDecimal: Equatable {
  private var digits: [UInt8]

  init(_ text: String) {
    digits = text.utf8.reversed().map { $0 - 48 }
  }

  func adding(_ other: SimpleDecimal) -> SimpleDecimal {
    var sum = self
    var carry: UInt8 = 0
    for index in 0..<max(digits.count, other.digits.count) {
      let left = index < digits.count ? digits[index] : 0
      let right = index < other.digits.count ? other.digits[index] : 0
      let digit = left + right + carry
      carry = digit / 10
      if index < sum.digits.count {
        sum.digits[index] = digit % 10
      } else {
        sum.digits.append(digit % 10)
      }
    }
    if carry > 0 { sum.digits.append(carry) }
    return sum
  }

  var text: String {
    String(decoding: digits.reversed().map { $0 + 48 }, as: UTF8.self)
  }

  /// The digits in another base up to 256, least significant first, by long division.
  private func digits(base: Int) -> [UInt8] {
    var rest = digits.reversed().map(Int.init)
    var result: [UInt8] = []
    repeat {
      var remainder = 0
      for index in rest.indices {
        let value = remainder * 10 + rest[index]
        rest[index] = value / base
        remainder = value % base
      }
      result.append(UInt8(remainder))
      rest = Array(rest.drop { $0 == 0 })
    } while !rest.isEmpty
    return result
  }

  func text(base: Int) -> String {
    digits(base: base).reversed().map { String($0, radix: base) }.joined()
  }

  /// Little-endian bytes.
  var bytes: [UInt8] { digits(base: 256) }
}

/// F(n) modulo a prime below 2^63 by powers of the matrix (1 1; 1 0).
enum MatrixFibonacci {
  static func value(_ n: Int, modulo prime: UInt64) -> UInt64 {
    var result: [UInt64] = [1, 0, 0, 1]
    var base: [UInt64] = [1, 1, 1, 0]
    var exponent = n
    while exponent > 0 {
      if exponent % 2 == 1 { result = product(result, base, prime) }
      base = product(base, base, prime)
      exponent /= 2
    }
    return result[1]
  }

  private static func product(_ a: [UInt64], _ b: [UInt64], _ prime: UInt64) -> [UInt64] {
    func entry(_ row: Int, _ column: Int) -> UInt64 {
      let (first, second) = (UInt128(a[2 * row]), UInt128(a[2 * row + 1]))
      let sum = first * UInt128(b[column]) + second * UInt128(b[2 + column])
      return UInt64(sum % UInt128(prime))
    }
    return [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)]
  }
}

/// A checksum of 128 bits.
///
/// The function that makes it (XXH3-128) is injected, because this module has no C and no I/O.
public struct Checksum128: Hashable, Sendable {
  /// The upper 64 bits.
  public var high: UInt64
  /// The lower 64 bits.
  public var low: UInt64

  /// Creates a checksum from its halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a checksum from 32 hexadecimal digits, or nil if the text is anything else.
  public init?(hex: String) {
    let digits = Array(hex.utf8)
    guard digits.count == 32 else { return nil }
    var halves: [UInt64] = [0, 0]
    for (index, digit) in digits.enumerated() {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      halves[index / 16] = halves[index / 16] << 4 | UInt64(value)
    }
    self.init(high: halves[0], low: halves[1])
  }

  /// The 16 bytes in the canonical order of xxHash: big-endian, the upper half first.
  package var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * UInt64($0 % 8))) }
  }

  /// Creates a checksum from 16 bytes in canonical order.
  package init(bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == 16, "a checksum has 16 bytes")
    let halves = bytes.enumerated().reduce(into: [UInt64](repeating: 0, count: 2)) { halves, byte in
      halves[byte.offset / 8] = halves[byte.offset / 8] << 8 | UInt64(byte.element)
    }
    self.init(high: halves[0], low: halves[1])
  }
}

extension Checksum128: CustomStringConvertible {
  /// The checksum as 32 hexadecimal digits, as `xxhsum -H2` prints it.
  public var description: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

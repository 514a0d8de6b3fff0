import StintCore

/// Adds numbers that are decimal text, eight digits at a time.
///
/// A digit d is the byte 0x30 + d. With 0x96 added to each byte of one word, the bytes of the sum
/// of two words are 0xF6 + d + e: a byte runs over, and carries into the next one, exactly if d + e
/// and the carry into it are 10 or more. What is left of it is the digit itself if it ran over, and
/// 0xF6 more than the digit if not, so its upper half says which. (The well-known addition of
/// binary-coded decimals in a machine word, on bytes instead of half bytes; Knuth, The Art of
/// Computer Programming 4A, 7.1.3, on broadword sums.)
enum DigitAddition {
  /// Adds two numbers, the shorter one to the longer.
  ///
  /// - Parameters:
  ///   - shorter: Digits, the most significant first; at most as many as the other's.
  ///   - longer: Digits, the most significant first.
  ///   - sum: Where the digits of the sum end; as many are written as the longer number has. It
  ///     overlaps neither.
  /// - Returns: Whether the sum has one digit more, a 1 before the digits that were written.
  static func add(
    _ shorter: UnsafeRawBufferPointer, to longer: UnsafeRawBufferPointer,
    endingAt sum: UnsafeMutableRawPointer
  ) -> Bool {
    guard let right = shorter.baseAddress, let left = longer.baseAddress else { return false }
    precondition(shorter.count <= longer.count, "the shorter number is the shorter one")
    let offset = longer.count - shorter.count
    let start = sum - longer.count
    var carry: UInt64 = 0
    var position = longer.count
    while position - 8 >= offset {
      position -= 8
      let first = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let second = UInt64(
        bigEndian: right.loadUnaligned(fromByteOffset: position - offset, as: UInt64.self))
      // The second cannot overflow; what the carry adds can.
      let (partial, ranOver) = (second &+ biases).addingReportingOverflow(first)
      let (bytes, ranOverToo) = partial.addingReportingOverflow(carry)
      carry = ranOver || ranOverToo ? 1 : 0
      start.storeBytes(of: digits(bytes).bigEndian, toByteOffset: position, as: UInt64.self)
    }
    while position > 0 {
      position -= 1
      let second: UInt8 =
        position >= offset ? right.load(fromByteOffset: position - offset, as: UInt8.self) - 48 : 0
      let value = left.load(fromByteOffset: position, as: UInt8.self) + second + UInt8(carry)
      carry = value > 57 ? 1 : 0
      start.storeBytes(of: value > 57 ? value - 10 : value, toByteOffset: position, as: UInt8.self)
    }
    return carry > 0
  }

  private static let biases: UInt64 = 0x9696_9696_9696_9696

  /// The digits of bytes that ran over (0 to 9) or did not (0xF6 to 0xFF).
  @inline(__always)
  private static func digits(_ bytes: UInt64) -> UInt64 {
    let didNot = (bytes >> 4) & 0x0606_0606_0606_0606
    return ((bytes & 0x0F0F_0F0F_0F0F_0F0F) &- didNot) | 0x3030_3030_3030_3030
  }
}

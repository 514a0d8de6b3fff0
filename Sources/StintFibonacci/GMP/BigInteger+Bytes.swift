import CGMP

extension BigInteger {
  /// The limbs as bytes in little-endian order, valid as long as the value lives.
  ///
  /// GMP keeps limbs least significant first, and the machine is little-endian, so these are the bytes
  /// that go to disk, without a copy.
  package var limbBuffer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: gmpz_limbs_read(value), count: limbBytes)
  }

  /// Makes a value from the bytes of its limbs in little-endian order.
  ///
  /// - Parameter limbs: Whole limbs of eight bytes; the most significant may be zero.
  package convenience init(limbs: UnsafeRawBufferPointer) {
    precondition(limbs.count % 8 == 0, "limbs are eight bytes long")
    self.init { result in
      guard !limbs.isEmpty, let target = gmpz_limbs_write(result, limbs.count / 8) else { return }
      UnsafeMutableRawBufferPointer(start: target, count: limbs.count).copyMemory(from: limbs)
      gmpz_limbs_finish(result, limbs.count / 8)
    }
  }

  /// Makes a value from decimal digits, or nil if the text is anything else.
  package convenience init?(decimal text: String) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init { _ = gmpz_set_str($0, text, 10) }
  }

  /// Writes the value as exactly so many decimal digits, with zeros in front where it is shorter.
  ///
  /// - Parameters:
  ///   - digitCount: The number of digits to write.
  ///   - buffer: Receives the text; it holds at least `digitCount + 3` bytes, of which the last three are scratch.
  /// - Returns: False if the value has more digits than that, or is negative.
  package func writeDecimal(
    digitCount: Int, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    precondition(buffer.count >= digitCount + 3, "room for GMP's sign, extra digit and terminator")
    // GMP's estimate of the length is exact or one too large.
    guard !isNegative, let base = buffer.baseAddress,
      gmpz_size_in_base(value, 10) <= digitCount + 1
    else { return false }
    let length = base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { text in
      gmpz_get_str(text, 10, value)
      var end = max(gmpz_size_in_base(value, 10) - 1, 1)
      if text[end] != 0 { end += 1 }
      return end
    }
    guard length <= digitCount else { return isZero && digitCount == 0 }
    let zeros = digitCount - length
    if zeros > 0 {
      UnsafeMutableRawPointer(base + zeros).copyMemory(from: base, byteCount: length)
      UnsafeMutableBufferPointer(start: base, count: zeros).update(repeating: UInt8(ascii: "0"))
    }
    return true
  }

  /// The value in decimal: for small numbers and messages.
  package var decimalText: String {
    let room = gmpz_size_in_base(value, 10)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: room + 3) { text in
      _ = gmpz_get_str(text.baseAddress, 10, value)
      return String(cString: text.baseAddress!)
    }
  }
}

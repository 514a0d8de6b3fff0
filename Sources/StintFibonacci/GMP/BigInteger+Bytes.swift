import CGMP

extension BigInteger {
  /// The limbs as bytes in little-endian order, valid as long as the value lives.
  ///
  /// GMP keeps limbs least significant first, and the machine is little-endian, so these are the
  /// bytes that go to disk, without a copy.
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

  /// The value in decimal: for small numbers and messages.
  package var decimalText: String {
    let room = gmpz_size_in_base(value, 10)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: room + 3) { text in
      _ = gmpz_get_str(text.baseAddress, 10, value)
      return String(cString: text.baseAddress!)
    }
  }
}

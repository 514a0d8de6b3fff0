import CGMP

/// An integer of any size.
///
/// It never changes after it is made. The value is a GMP integer on the heap; whatever is stored or
/// written is at least zero. GMP aborts the process when memory runs out or a result exceeds 2^37
/// bits: ``FibonacciEstimate`` refuses both before the work begins.
package final class BigInteger: @unchecked Sendable {
  // Unchecked: the GMP value is written only by `init(making:)`, before any other thread can see
  // it.

  let value: mpz_ptr

  /// Makes a value with a GMP operation that writes its result.
  init(making body: (mpz_ptr) -> Void) {
    value = .allocate(capacity: 1)
    gmpz_init(value)
    body(value)
  }

  /// Makes a value from a machine word.
  package convenience init(_ word: UInt64) {
    self.init { gmpz_set_ui($0, UInt(word)) }
  }

  deinit {
    gmpz_clear(value)
    value.deallocate()
  }

  /// The number of bits of the absolute value; 0 for zero.
  package var bitCount: Int {
    isZero ? 0 : gmpz_size_in_base(value, 2)
  }

  /// The size of the absolute value in bytes, in whole limbs of eight bytes.
  package var limbBytes: Int { gmpz_limb_count(value) * 8 }

  package var isZero: Bool { gmpz_sign(value) == 0 }

  package var isNegative: Bool { gmpz_sign(value) < 0 }
}

extension BigInteger: Comparable {
  package static func == (left: BigInteger, right: BigInteger) -> Bool {
    gmpz_compare(left.value, right.value) == 0
  }

  package static func < (left: BigInteger, right: BigInteger) -> Bool {
    gmpz_compare(left.value, right.value) < 0
  }
}

extension BigInteger {
  package func squared() -> BigInteger {
    BigInteger { gmpz_mul($0, value, value) }
  }

  package static func * (left: BigInteger, right: BigInteger) -> BigInteger {
    BigInteger { gmpz_mul($0, left.value, right.value) }
  }

  package static func - (left: BigInteger, right: BigInteger) -> BigInteger {
    BigInteger { gmpz_sub($0, left.value, right.value) }
  }

  /// The power of two with that many zero bits.
  package static func powerOfTwo(_ exponent: Int) -> BigInteger {
    BigInteger { gmpz_set_bit($0, UInt(exponent)) }
  }

  package static func powerOfTen(_ exponent: Int) -> BigInteger {
    BigInteger { gmpz_power($0, 10, UInt(exponent)) }
  }

  /// The residue in 0..<modulus, also for negative values.
  package func residue(modulo modulus: UInt64) -> UInt64 {
    UInt64(gmpz_remainder(value, UInt(modulus)))
  }

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
}

/// Which GMP is linked.
package enum GMPVersion {
  /// The version, for example "6.2.1".
  package static var text: String { String(cString: gmpz_version()) }

  /// The first number of the version.
  static let major = text.split(separator: ".").first.flatMap { Int($0) } ?? 0
}

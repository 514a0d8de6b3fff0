/// A checksum of a growing stream: the polynomial of its groups of seven bytes at a fixed point,
/// modulo 2^61 − 1.
///
/// It does not depend on how the stream is cut into parts.
struct StreamChecksum: Hashable, Sendable {
  /// Over all complete groups.
  private(set) var value: UInt64 = 0
  /// The bytes of the group that is not complete.
  private(set) var pending: UInt64 = 0
  /// Their number, 0 to 6.
  private(set) var pendingCount: UInt64 = 0

  init() {}

  /// Goes on from a stored checksum, or nil if it cannot be one.
  init?(value: UInt64, pending: UInt64, pendingCount: UInt64) {
    let isGroup = pendingCount <= 6 && pending >> (8 * pendingCount) == 0
    guard isGroup, value < Self.prime else { return nil }
    self.value = value
    self.pending = pending
    self.pendingCount = pendingCount
  }

  private static let prime: UInt64 = (1 << 61) - 1
  private static let point: UInt64 = 0x1357_9bdf_2468_ace1

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      if pendingCount == 0 {
        while index + 8 <= bytes.count {
          let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
          add(word >> 8)
          index += 7
        }
        if index == bytes.count { return }
      }
      pending = pending << 8 | UInt64(bytes[index])
      pendingCount += 1
      index += 1
      if pendingCount == 7 {
        add(pending)
        (pending, pendingCount) = (0, 0)
      }
    }
  }

  @inline(__always)
  private mutating func add(_ group: UInt64) {
    let product = value.multipliedFullWidth(by: Self.point)
    // One more than the group, so that zeros at the start count as well.
    var sum = (product.low & Self.prime) &+ (product.high << 3 | product.low >> 61) &+ group &+ 1
    sum = (sum & Self.prime) &+ (sum >> 61)
    value = sum >= Self.prime ? sum &- Self.prime : sum
  }
}

#if Images
import CZlib
import Glibc

/// Decompresses a zlib stream to compare its Adler-32, and keeps nothing of it.
struct InflateCheck: ~Copyable {
  /// Whether the stream is damaged: it holds a code that none of its tables has, or its checksum is
  /// another one.
  private(set) var isDamaged = false
  /// Whether the damage is such a code, so that nothing behind it can be decompressed.
  private(set) var isBroken = false
  /// Whether more bytes are of use.
  private var hasEnded = false
  // zlib remembers where its stream structure lies.
  private let stream: UnsafeMutablePointer<z_stream>

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Without memory nothing is compared.
    hasEnded = stint_inflate_init(stream) != Z_OK
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Takes bytes that follow the ones before; what comes after the end of the stream is ignored.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard !hasEnded, let start = bytes.baseAddress else { return }
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: start.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(bytes.count)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { room in
      repeat {
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = UInt32(room.count)
        switch inflate(stream, Z_NO_FLUSH) {
        case Z_OK: break
        case Z_DATA_ERROR, Z_NEED_DICT:
          (isDamaged, hasEnded) = (true, true)
          isBroken = stream.pointee.msg.map { strcmp($0, "incorrect data check") != 0 } ?? true
        case _: hasEnded = true
        }
      } while !hasEnded && stream.pointee.avail_out == 0
    }
    // What is not taken yet is taken with the next bytes, and there are none left here.
    if stream.pointee.avail_in > 0, !hasEnded { hasEnded = true }
  }
}
#endif

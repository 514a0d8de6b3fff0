#if Images
import CZlib
import Glibc
import StintCore

/// A compressor of zlib (RFC 1950, RFC 1951).
struct Deflater: ~Copyable {
  /// What stands around the compressed bytes.
  enum Wrapping: Int32 {
    /// Nothing: bare blocks.
    case raw = -15
    /// zlib's header and Adler-32.
    case zlib = 15
  }

  /// What zlib looks for.
  enum Strategy: Int32 {
    /// Repetitions.
    case standard = 0
    /// Repetitions, short ones left out: for what a filter made small.
    case filtered = 1
  }

  /// How a piece ends.
  enum Ending: Int32 {
    /// At a byte boundary, and nothing after it refers to anything before (a full flush).
    case independent = 3
    /// The stream is complete.
    case complete = 4
  }

  // zlib remembers where its stream structure lies.
  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameters:
  ///   - level: 0 (stored) to 9 (smallest).
  ///   - strategy: What to look for.
  ///   - wrapping: What stands around.
  /// - Throws: ``StintError`` with the code `unavailable` without memory.
  init(level: Int, strategy: Strategy, wrapping: Wrapping) throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = stint_deflate_init(
      stream, Int32(level), wrapping.rawValue, 8, strategy.rawValue)
    guard status == Z_OK else {
      stream.deallocate()
      throw StintError(
        .unavailable, "zlib cannot start to compress (zlib error \(status)); free some memory.")
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses bytes and appends what comes out.
  mutating func compress(
    _ bytes: UnsafeRawBufferPointer, to output: UnitBuffer, ending: Ending
  ) {
    // zlib counts in 32 bits.
    let most = 1 << 30
    var position = 0
    repeat {
      let piece = min(most, bytes.count - position)
      let isLast = position + piece == bytes.count
      stream.pointee.next_in = bytes.baseAddress.map {
        UnsafeMutablePointer(
          mutating: ($0 + position).assumingMemoryBound(to: UInt8.self))
      }
      stream.pointee.avail_in = UInt32(piece)
      run(flush: isLast ? ending.rawValue : Z_NO_FLUSH, to: output)
      position += piece
    } while position < bytes.count
  }

  /// Runs zlib until it has taken its input and has no more to give.
  private mutating func run(flush: Int32, to output: UnitBuffer) {
    repeat {
      // With less than 7 bytes of room, zlib would put a flush's mark twice.
      let room = output.room(1 << 12)
      let size = min(room.count, 1 << 30)
      stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(size)
      let status = deflate(stream, flush)
      precondition(status != Z_STREAM_ERROR, "zlib's stream was changed from outside")
      output.advance(by: size - Int(stream.pointee.avail_out))
    } while stream.pointee.avail_out == 0
  }

  /// How many bytes a piece can have at most when it is compressed, endings and wrapping included
  /// (zlib's manual on `deflateBound`, for any parameters).
  static func bound(_ count: Int) -> Int {
    count + (count + 7) / 8 + (count + 63) / 64 + 64
  }
}

/// The checksums that zlib offers.
enum ZlibChecksum {
  static func crc32(_ bytes: UnsafeRawBufferPointer, after before: UInt32 = 0) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_z(UInt(before), address(bytes), bytes.count))
  }

  static func adler32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: adler32_z(1, address(bytes), bytes.count))
  }

  /// The Adler-32 of two runs of bytes, one after the other.
  static func adler32(_ first: UInt32, then second: UInt32, ofBytes count: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: adler32_combine(UInt(first), UInt(second), count))
  }

  private static func address(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }
}

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

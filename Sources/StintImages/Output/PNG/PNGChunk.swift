#if Images
/// The chunks of a PNG file: length, type, data, CRC-32 (PNG specification, section 5.3).
struct PNGChunk {
  /// What a chunk holds.
  enum Kind: String {
    case header = "IHDR"
    case standardColors = "sRGB"
    case gamma = "gAMA"
    case profile = "iCCP"
    case resolution = "pHYs"
    case exif = "eXIf"
    case text = "tEXt"
    case internationalText = "iTXt"
    case imageData = "IDAT"
    case end = "IEND"
  }

  /// The eight bytes with which a file begins.
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The most bytes that a chunk can have.
  static let mostBytes = Int(Int32.max)

  /// The bytes around a chunk's data.
  static let frameBytes = 12

  /// Appends a chunk whose data the body appends.
  static func write(_ kind: Kind, to buffer: UnitBuffer, _ body: (UnitBuffer) throws -> Void)
    rethrows
  {
    let start = buffer.count
    buffer.append(bigEndian: UInt32(0))
    buffer.append(kind.rawValue.utf8)
    try body(buffer)
    let size = buffer.count - start - 8
    precondition(size <= mostBytes, "a chunk of \(size) bytes is longer than PNG can tell")
    buffer.put(bigEndian: UInt32(size), at: start)
    let checksum = buffer.withBytes {
      ZlibChecksum.crc32(UnsafeRawBufferPointer(rebasing: $0[(start + 4)...]))
    }
    buffer.append(bigEndian: checksum)
  }

  /// The two bytes before a zlib stream: a window of 32 KiB, and how hard was tried (RFC 1950,
  /// section 2.2).
  static func zlibHeader(level: Int) -> [UInt8] {
    let effort =
      switch level {
      case ...1: 0
      case ...5: 1
      case 6: 2
      case _: 3
      }
    let word = 0x7800 | effort << 6
    return [0x78, UInt8(truncatingIfNeeded: word + 31 - word % 31)]
  }
}
#endif

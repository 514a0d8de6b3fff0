#if Images
import Glibc

/// What stands before the pixels of a PNG: its shape, and the metadata that it has a place for.
struct PNGHeader {
  let shape: PixelShape
  let metadata: ImageMetadata

  /// An upper limit of its length.
  var largestBytes: Int {
    let texts = allTexts.reduce(0) { $0 + $1.keyword.utf8.count + $1.text.utf8.count + 32 }
    let profileBytes = metadata.profile.map { Deflater.bound($0.count) + 64 } ?? 0
    return 256 + profileBytes + texts + (metadata.exif?.count ?? 0) + (metadata.xmp?.count ?? 0)
  }

  func write(to buffer: UnitBuffer) throws {
    buffer.append(PNGChunk.signature)
    PNGChunk.write(.header, to: buffer) { buffer in
      buffer.append(bigEndian: UInt32(shape.width))
      buffer.append(bigEndian: UInt32(shape.height))
      buffer.append([UInt8(shape.sample.sizeBytes * 8), colorType, 0, 0, 0])
    }
    try writeColors(to: buffer)
    if let resolution = metadata.resolution { write(resolution, to: buffer) }
    if let exif = metadata.exif ?? orientation {
      PNGChunk.write(.exif, to: buffer) { $0.append(exif) }
    }
    for text in allTexts { write(text, to: buffer) }
    if let xmp = metadata.xmp {
      let keyword = Array("XML:com.adobe.xmp".utf8)
      // Not compressed, no language, no translated keyword.
      PNGChunk.write(.internationalText, to: buffer) { $0.append(keyword + [0, 0, 0, 0, 0] + xmp) }
    }
  }

  /// Bit 1: colour; bit 2: alpha (section 11.2.1).
  private var colorType: UInt8 {
    (shape.color == .rgb ? 2 : 0) | (shape.hasAlpha ? 4 : 0)
  }

  /// The profile says what the colours are; without one every reader takes them for sRGB, and
  /// nothing is claimed.
  private func writeColors(to buffer: UnitBuffer) throws {
    guard let profile = metadata.profile(for: shape.color) else { return }
    var deflater = try Deflater(level: 9, strategy: .standard, wrapping: .zlib)
    PNGChunk.write(.profile, to: buffer) { buffer in
      buffer.append(Array("ICC profile".utf8) + [0, 0])
      profile.withUnsafeBytes { deflater.compress($0, to: buffer, ending: .complete) }
    }
  }

  /// Pixels per metre.
  private func write(_ resolution: ImageMetadata.Resolution, to buffer: UnitBuffer) {
    let perMetre = [resolution.horizontal, resolution.vertical].map {
      UInt32(exactly: ($0 * 1000).rounded()) ?? 0
    }
    guard perMetre.allSatisfy({ (1...UInt32(Int32.max)).contains($0) }) else { return }
    PNGChunk.write(.resolution, to: buffer) { buffer in
      for number in perMetre { buffer.append(bigEndian: number) }
      buffer.append(CollectionOfOne(1))
    }
  }

  /// EXIF data of the orientation alone, for which a PNG has no other place; nil if it is upright.
  private var orientation: [UInt8]? {
    guard let orientation = metadata.orientation, (2...8).contains(orientation) else { return nil }
    // A header, then a directory of one entry, which is one short.
    return Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1]
      + [0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
  }

  private var allTexts: [ImageMetadata.Text] {
    let description = metadata.description.map {
      ImageMetadata.Text(keyword: "Description", text: $0)
    }
    return [description].compactMap { $0 } + metadata.texts
  }

  /// A keyword has 1 to 79 characters of Latin-1 without spaces around them; a text of Latin-1 is a
  /// tEXt, any other one an iTXt (section 11.3.3).
  private func write(_ text: ImageMetadata.Text, to buffer: UnitBuffer) {
    guard let keyword = Self.latin1(text.keyword), (1...79).contains(keyword.count),
      keyword.first != 0x20, keyword.last != 0x20, !text.text.utf8.contains(0)
    else { return }
    if let body = Self.latin1(text.text) {
      PNGChunk.write(.text, to: buffer) { $0.append(keyword + [0] + body) }
    } else {
      PNGChunk.write(.internationalText, to: buffer) {
        $0.append(keyword + [0, 0, 0, 0, 0] + text.text.utf8)
      }
    }
  }

  /// The bytes of a text in Latin-1, without control characters but the line feed; nil if it has
  /// others.
  private static func latin1(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value),
        byte == 10 || (32...126).contains(byte) || byte >= 161
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

/// The chunks of a PNG file: length, type, data, CRC-32 (PNG specification, section 5.3).
struct PNGChunk {
  /// What a chunk holds.
  enum Kind: String {
    case header = "IHDR"
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

#if Images
/// A field of a TIFF directory: tag, type, count and values (TIFF 6.0, section 2; BigTIFF for
/// 64-bit offsets).
struct TIFFField {
  /// What is said.
  enum Tag: UInt16, Comparable {
    case width = 256
    case height = 257
    case bitsPerSample = 258
    case compression = 259
    case photometric = 262
    case description = 270
    case maker = 271
    case model = 272
    case stripOffsets = 273
    case orientation = 274
    case samplesPerPixel = 277
    case rowsPerStrip = 278
    case stripByteCounts = 279
    case horizontalResolution = 282
    case verticalResolution = 283
    case planarConfiguration = 284
    case resolutionUnit = 296
    case software = 305
    case dateTime = 306
    case artist = 315
    case hostComputer = 316
    case predictor = 317
    case tileWidth = 322
    case tileHeight = 323
    case tileOffsets = 324
    case tileByteCounts = 325
    case inkSet = 332
    case extraSamples = 338
    case sampleFormat = 339
    case xmp = 700
    case rating = 18246
    case ratingInPercent = 18249
    case copyright = 33432
    case iptc = 33723
    case exifDirectory = 34665
    case profile = 34675
    case gpsDirectory = 34853
    case titleForWindows = 40091
    case commentForWindows = 40092
    case authorForWindows = 40093
    case keywordsForWindows = 40094
    case subjectForWindows = 40095

    static func < (one: Tag, other: Tag) -> Bool { one.rawValue < other.rawValue }
  }

  /// How the values are stored.
  enum Kind: UInt16 {
    case byte = 1
    case ascii = 2
    case short = 3
    case long = 4
    case rational = 5
    case undefined = 7
    case long8 = 16

    /// The bytes of a value.
    var sizeBytes: Int {
      switch self {
      case .byte, .ascii, .undefined: 1
      case .short: 2
      case .long: 4
      case .rational, .long8: 8
      }
    }

    /// The bytes of a number in a value.
    fileprivate var numberBytes: Int { self == .rational ? 4 : sizeBytes }
  }

  let tag: Tag
  let kind: Kind
  let count: Int
  /// The values, least significant byte first; nil for those that are filled in while the pixels
  /// are written.
  let bytes: [UInt8]?

  /// The bytes of all values.
  let sizeBytes: Int
  /// The four bytes that were copied from another directory of the file's order, its value or the
  /// offset of that.
  let copied: [UInt8]?

  private init(_ tag: Tag, _ kind: Kind, count: Int, bytes: [UInt8]) {
    (self.tag, self.kind, self.count) = (tag, kind, count)
    self.bytes = bytes
    sizeBytes = bytes.count
    copied = nil
  }

  /// What the first directory of EXIF data says, whose block lies in the file where it was made to
  /// lie.
  init(copying entry: ExifBlock.Entry) {
    (tag, kind, count) = (entry.tag, entry.kind, entry.count)
    bytes = nil
    sizeBytes = entry.value.count
    copied = entry.value
  }

  /// The values in the order of the file.
  func bytes(isBigEndian: Bool) -> [UInt8]? {
    if let copied { return copied }
    let size = kind.numberBytes
    guard let bytes, isBigEndian, size > 1 else { return bytes }
    return stride(from: 0, to: bytes.count, by: size).flatMap {
      bytes[$0..<$0 + size].reversed()
    }
  }

  /// Small numbers.
  static func shorts(_ tag: Tag, _ numbers: [Int]) -> TIFFField {
    let bytes = numbers.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    return TIFFField(tag, .short, count: numbers.count, bytes: bytes)
  }

  /// A number below 2^32.
  static func long(_ tag: Tag, _ number: Int) -> TIFFField {
    TIFFField(tag, .long, count: 1, bytes: Self.bytes(UInt32(number)))
  }

  /// A number as a fraction of 10,000ths, or of larger parts if it is large.
  static func rational(_ tag: Tag, _ number: Double) -> TIFFField {
    let divisor: Double = [10_000, 100, 1].first { number * $0 < Double(UInt32.max) } ?? 1
    let numerator = UInt32(min((number * divisor).rounded(), Double(UInt32.max)))
    return TIFFField(
      tag, .rational, count: 1, bytes: Self.bytes(numerator) + Self.bytes(UInt32(divisor)))
  }

  /// A text; the format ends it with a zero.
  static func text(_ tag: Tag, _ text: String) -> TIFFField {
    let bytes = text.utf8.filter { $0 != 0 } + [0]
    return TIFFField(tag, .ascii, count: bytes.count, bytes: bytes)
  }

  /// Bytes that mean something to others.
  static func bytes(_ tag: Tag, _ kind: Kind, _ bytes: [UInt8]) -> TIFFField {
    TIFFField(tag, kind, count: bytes.count, bytes: bytes)
  }

  /// Numbers that are known when the pixels are written.
  init(later tag: Tag, count: Int, isBig: Bool) {
    self.tag = tag
    kind = isBig ? .long8 : .long
    self.count = count
    bytes = nil
    sizeBytes = count * (isBig ? 8 : 4)
    copied = nil
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
#endif

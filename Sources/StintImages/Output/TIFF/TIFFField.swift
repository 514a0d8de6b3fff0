#if Images
/// A field of a TIFF directory: tag, type, count and values (TIFF 6.0, section 2; BigTIFF for
/// 64-bit offsets).
struct TIFFField {
  /// What is said, by its number (TIFF 6.0, appendix A).
  struct Tag: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    let rawValue: UInt16

    init(integerLiteral number: UInt16) { rawValue = number }

    static func < (one: Tag, other: Tag) -> Bool { one.rawValue < other.rawValue }

    static let width: Tag = 256
    static let height: Tag = 257
    static let bitsPerSample: Tag = 258
    static let compression: Tag = 259
    static let photometric: Tag = 262
    static let description: Tag = 270
    static let maker: Tag = 271
    static let model: Tag = 272
    static let stripOffsets: Tag = 273
    static let orientation: Tag = 274
    static let samplesPerPixel: Tag = 277
    static let rowsPerStrip: Tag = 278
    static let stripByteCounts: Tag = 279
    static let horizontalResolution: Tag = 282
    static let verticalResolution: Tag = 283
    static let planarConfiguration: Tag = 284
    static let resolutionUnit: Tag = 296
    static let software: Tag = 305
    static let dateTime: Tag = 306
    static let artist: Tag = 315
    static let hostComputer: Tag = 316
    static let predictor: Tag = 317
    static let tileWidth: Tag = 322
    static let tileHeight: Tag = 323
    static let tileOffsets: Tag = 324
    static let tileByteCounts: Tag = 325
    static let inkSet: Tag = 332
    static let extraSamples: Tag = 338
    static let sampleFormat: Tag = 339
    static let jpegTables: Tag = 347
    static let xmp: Tag = 700
    static let rating: Tag = 18246
    static let ratingInPercent: Tag = 18249
    static let copyright: Tag = 33432
    static let iptc: Tag = 33723
    static let exifDirectory: Tag = 34665
    static let profile: Tag = 34675
    static let gpsDirectory: Tag = 34853
    static let titleForWindows: Tag = 40091
    static let commentForWindows: Tag = 40092
    static let authorForWindows: Tag = 40093
    static let keywordsForWindows: Tag = 40094
    static let subjectForWindows: Tag = 40095
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

  /// Where the values come from.
  private enum Values {
    /// Numbers of so many bytes each, least significant byte first.
    case own([UInt8], numberBytes: Int)
    /// Another directory of the file's order, where they stand so.
    case copied([UInt8])
    /// They are filled in while the pixels are written.
    case later
  }

  let tag: Tag
  /// How the values are stored, by its number.
  let kind: UInt16
  let count: Int
  /// The bytes of all values.
  let sizeBytes: Int
  private let values: Values

  private init(_ tag: Tag, _ kind: Kind, count: Int, bytes: [UInt8]) {
    (self.tag, self.kind, self.count) = (tag, kind.rawValue, count)
    values = .own(bytes, numberBytes: kind.numberBytes)
    sizeBytes = bytes.count
  }

  /// What another directory of the file's order says; of EXIF data, whose block lies in the file
  /// where it was made to lie, the bytes may be the offset of the value.
  init(copying tag: Tag, kind: UInt16, count: Int, bytes: [UInt8]) {
    (self.tag, self.kind, self.count) = (tag, kind, count)
    values = .copied(bytes)
    sizeBytes = bytes.count
  }

  /// The values in the order of the file; nil for those that are filled in later.
  func bytes(isBigEndian: Bool) -> [UInt8]? {
    switch values {
    case .later: return nil
    case .copied(let bytes): return bytes
    case .own(let bytes, let size):
      guard isBigEndian, size > 1 else { return bytes }
      return stride(from: 0, to: bytes.count, by: size).flatMap {
        bytes[$0..<$0 + size].reversed()
      }
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
  static func long(_ tag: Tag, _ number: Int) -> TIFFField { longs(tag, [number]) }

  /// Numbers below 2^32.
  static func longs(_ tag: Tag, _ numbers: [Int]) -> TIFFField {
    TIFFField(
      tag, .long, count: numbers.count, bytes: numbers.flatMap { Self.bytes(UInt32($0)) })
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
    kind = (isBig ? Kind.long8 : .long).rawValue
    self.count = count
    values = .later
    sizeBytes = count * (isBig ? 8 : 4)
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}

/// What a TIFF's directory says.
struct TIFFDirectory {
  let shape: PixelShape
  let options: TIFFOptions
  let metadata: ImageMetadata
  let grid: TIFFGrid

  /// An upper limit of what the directory takes without the table of pieces.
  var metadataBytes: Int {
    2048 + metadata.blobBytes + (metadata.description?.utf8.count ?? 0)
  }

  func fields(isBig: Bool) -> [TIFFField] {
    pixelFields + pieceFields(isBig: isBig) + metadataFields
  }

  private var pixelFields: [TIFFField] {
    var fields: [TIFFField] = [
      .long(.width, shape.width),
      .long(.height, shape.height),
      .shorts(.bitsPerSample, each(shape.sample.sizeBytes * 8)),
      .shorts(.compression, [compression]),
      .shorts(.photometric, [photometric]),
      .shorts(.samplesPerPixel, [shape.channels]),
      // Samples of a pixel side by side.
      .shorts(.planarConfiguration, [1]),
      .shorts(.sampleFormat, each(shape.sample == .float32 ? 3 : 1)),
    ]
    if options.usesPredictor {
      fields.append(.shorts(.predictor, [TIFFPredictor(for: shape.sample).rawValue]))
    }
    // Colours are not multiplied by the alpha.
    if shape.hasAlpha { fields.append(.shorts(.extraSamples, [2])) }
    if shape.color == .cmyk { fields.append(.shorts(.inkSet, [1])) }
    return fields
  }

  private func each(_ number: Int) -> [Int] {
    Array(repeating: number, count: shape.channels)
  }

  private var compression: Int {
    switch options.compression {
    case .none: 1
    case .lzw: 5
    case .deflate: 8
    }
  }

  private var photometric: Int {
    switch shape.color {
    case .gray: 1
    case .rgb: 2
    case .cmyk: 5
    }
  }

  private func pieceFields(isBig: Bool) -> [TIFFField] {
    let tags: [TIFFField.Tag] =
      grid.isTiled ? [.tileOffsets, .tileByteCounts] : [.stripOffsets, .stripByteCounts]
    let sides: [TIFFField] =
      grid.isTiled
      ? [.long(.tileWidth, grid.pieceWidth), .long(.tileHeight, grid.pieceHeight)]
      : [.long(.rowsPerStrip, grid.pieceHeight)]
    return sides + tags.map { TIFFField(later: $0, count: grid.count, isBig: isBig) }
  }

  private var metadataFields: [TIFFField] {
    var fields: [TIFFField] = [.text(.software, "Stint")]
    if let text = metadata.description { fields.append(.text(.description, text)) }
    if let orientation = metadata.orientation, (1...8).contains(orientation) {
      fields.append(.shorts(.orientation, [orientation]))
    }
    if let resolution = metadata.resolution {
      fields += [
        // Pixels per centimetre.
        .rational(.horizontalResolution, resolution.horizontal * 10),
        .rational(.verticalResolution, resolution.vertical * 10),
        .shorts(.resolutionUnit, [3]),
      ]
    }
    if let xmp = metadata.xmp { fields.append(.bytes(.xmp, .byte, xmp)) }
    if let iptc = metadata.iptc { fields.append(.bytes(.iptc, .undefined, iptc)) }
    if let profile = metadata.profile(for: shape.color) {
      fields.append(.bytes(.profile, .undefined, profile))
    }
    return fields
  }
}
#endif

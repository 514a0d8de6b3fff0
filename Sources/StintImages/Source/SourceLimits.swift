#if Images
import StintCore

/// What a header may say before anything is allocated for it.
enum SourceLimits {
  /// Any file may decode to this many bytes of pixels.
  static let harmlessBytes = 1 << 30

  /// Refuses what cannot be an honest image, with the figures.
  ///
  /// - Returns: Whether the file declares more pixels than it can hold, and the user trusts it.
  /// - Throws: ``StintError``: `damaged`, or `unavailable` for pixels of a kind that no filter
  ///   knows.
  static func check(
    _ image: VipsImage, file: SourceFile, page: Int, format: String
  ) throws(StintError) -> Bool {
    let (width, height) = (image.width, image.height)
    guard width > 0, height > 0, image.bands > 0 else {
      throw StintError(
        .damaged,
        "The input \(file.path) declares \(width) x \(height) pixels; an image has at least one.")
    }
    guard image.isPlain else {
      throw StintError(
        .unavailable,
        "The input \(file.path) holds packed pixels (Radiance or LABQ), which no filter takes; convert "
          + "it to TIFF with floating-point samples.")
    }
    let pixels = Double(width) * Double(height)
    guard pixels * Double(image.bands * image.format.sizeBytes) > Double(harmlessBytes),
      let least = DensestCoding(of: file, page: page, format: format)?
        .leastBytes(width: width, height: height), file.identity.sizeBytes < least
    else { return false }
    guard VipsLibrary.trustsSizes else {
      throw StintError(
        .damaged,
        "The input \(file.path) (\(format)) declares \(width) x \(height) pixels in a file of "
          + "\(file.identity.sizeBytes) bytes, and one that codes them all has at least \(least); it "
          + "is likely damaged, or made to exhaust this machine",
        remedies: [.trust(UntrustedFormat.size.rawValue)])
    }
    return true
  }
}

/// How few bytes a file may have for its pixels.
///
/// Of the codings that are not here, some need next to nothing for an image of one colour, whatever
/// its size: WebP without loss (a code of one symbol has no bits; RFC 9649, section 6.2), JPEG XL,
/// JPEG 2000, JBIG, and all that code decisions by their probability, as AVIF, HEIC and arithmetic
/// JPEG do. For others no limit is known. Memory and disk limit them.
enum DensestCoding: Equatable {
  /// Samples packed into rows, of which one byte holds so many bytes.
  case packed(bits: Int, ratio: Int)
  /// Pixels, of which one byte holds so many.
  case pixels(Int)
  /// A bit for each row.
  case rows

  /// Deflate makes 258 bytes of two bits (RFC 1951, section 3.2.5: a length and a distance).
  private static let deflate = 1032
  /// LZW makes a string of one symbol more than the one before of each code; of codes with 12 bits
  /// there are 4,096 (TIFF 6.0, section 13; GIF89a, appendix F).
  private static let lzw = 2731

  /// Looks for the coding of an image; nil if there is no such limit.
  init?(of file: SourceFile, page: Int, format: String) {
    switch format {
    case "PNG":
      // Bits a sample and the kind of colour (PNG specification, third edition, section 11.2.1).
      guard let head = file.bytes(at: 24, count: 2),
        let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][head[1]]
      else { return nil }
      self = .packed(bits: Int(head[0]) * samples, ratio: Self.deflate)
    case "GIF": self = .pixels(Self.lzw)
    case "JPEG":
      // A bit for 64 pixels of a component, of which none can have less than half of the image's.
      guard Self.isHuffman(file) else { return nil }
      self = .pixels(1024)
    case "TIFF":
      guard let coding = Self.coding(ofTIFF: file, page: page) else { return nil }
      self = coding
    case _: return nil
    }
  }

  /// The bytes of the smallest file.
  func leastBytes(width: Int, height: Int) -> Int {
    switch self {
    case .packed(let bits, let ratio): (width * bits + 7) / 8 * height / ratio
    case .pixels(let count): width * height / count
    case .rows: height / 8
    }
  }

  /// By tags 258 (bits), 259 (compression), 262 (colours) and 277 (samples) of TIFF 6.0, with the
  /// numbers of compressions in libtiff's `tiff.h`.
  private static func coding(ofTIFF file: SourceFile, page: Int) -> DensestCoding? {
    guard let table = TIFFTable(of: file, page: page, tags: [258, 259, 262, 277]) else {
      return nil
    }
    // Of YCbCr, colours may be there for a few pixels together.
    let samples = table.number(262) == 6 ? 1 : table.number(277) ?? 1
    let (bits, overflow) = (table.number(258) ?? 1).multipliedReportingOverflow(by: samples)
    guard !overflow, bits < 1 << 20 else { return nil }
    switch table.number(259) ?? 1 {
    case 1: return .packed(bits: bits, ratio: 1)
    // A row like the one above takes a bit in T.6, and more in T.4.
    case 2, 3, 4, 32771: return .rows
    case 5: return .packed(bits: bits, ratio: lzw)
    case 8, 32_946: return .packed(bits: bits, ratio: deflate)
    // 128 bytes of two.
    case 32773: return .packed(bits: bits, ratio: 64)
    case _: return nil
    }
  }

  /// Whether a JPEG has Huffman codes, by the marker of its frame (ITU-T T.81, annex B).
  private static func isHuffman(_ file: SourceFile) -> Bool {
    var place = 2
    while let head = file.bytes(at: place, count: 4), head[0] == 0xFF {
      switch head[1] {
      case 0xC4, 0xC8, 0xCC: break
      case 0xC0...0xC7: return true
      case 0xC9...0xCF: return false
      case _: break
      }
      // Any marker may have bytes of ones before it.
      place += head[1] == 0xFF ? 1 : 2 + (Int(head[2]) << 8 | Int(head[3]))
    }
    return false
  }
}
#endif

#if Images
/// The orientation inside a block of EXIF data.
///
/// EXIF is a TIFF structure: a header of 8 bytes, then a directory of entries of 12 bytes;
/// orientation is entry 0x0112, a short (Exif 2.32, section 4.6.4; TIFF 6.0, page 36). Pixels that
/// were turned must not be turned again by the next program.
enum ExifOrientation {
  private static let tag: UInt16 = 0x0112
  private static let shortType: UInt16 = 3

  /// The same data with the orientation replaced; as they are if they have none or are no EXIF.
  ///
  /// - Parameters:
  ///   - exif: The data, with or without the marker `Exif` and two zeros before them.
  ///   - orientation: 1 to 8; 1 is upright.
  /// - Returns: Data of the same length.
  static func replacing(in exif: [UInt8], with orientation: UInt8) -> [UInt8] {
    var bytes = exif
    guard let (offset, isBig) = valueOffset(in: exif) else { return exif }
    bytes[offset] = isBig ? 0 : orientation
    bytes[offset + 1] = isBig ? orientation : 0
    return bytes
  }

  /// Where the value stands, and whether its most significant byte comes first.
  private static func valueOffset(in exif: [UInt8]) -> (offset: Int, isBig: Bool)? {
    let base = exif.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
    guard exif.count >= base + 8 else { return nil }
    let isBig: Bool
    switch (exif[base], exif[base + 1]) {
    case (0x4d, 0x4d): isBig = true
    case (0x49, 0x49): isBig = false
    case _: return nil
    }
    func number(_ offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= exif.count - count else { return nil }
      let digits = exif[offset..<offset + count]
      return (isBig ? Array(digits) : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(base + 2, bytes: 2) == 42, let directory = number(base + 4, bytes: 4),
      let count = number(base + directory, bytes: 2)
    else { return nil }
    for index in 0..<count {
      let entry = base + directory + 2 + 12 * index
      guard let tag = number(entry, bytes: 2), let type = number(entry + 2, bytes: 2),
        number(entry + 8, bytes: 4) != nil
      else { return nil }
      if tag == Int(Self.tag), type == Int(shortType) { return (entry + 8, isBig) }
    }
    return nil
  }
}
#endif

#if Images
/// The orientation inside a block of EXIF data.
///
/// EXIF is a TIFF structure: a header of 8 bytes, then a directory of entries of 12 bytes;
/// orientation is entry 0x0112, a short (Exif 2.32, section 4.6.4; TIFF 6.0, page 36). Pixels that
/// were turned must not be turned again by the next program. So whatever readers take for an
/// orientation is replaced: libexif reads numbers of other kinds too, and the next entry where one
/// is empty.
enum ExifOrientation {
  private static let tag = 0x0112
  private static let shortType = 3
  private static let headerBytes = 8
  private static let entryBytes = 12

  /// The same data with the orientation replaced; as they are if they have none or are no EXIF.
  ///
  /// - Parameters:
  ///   - exif: The data, with or without the marker `Exif` and two zeros before them.
  ///   - orientation: 1 to 8; 1 is upright.
  /// - Returns: Data of the same length.
  static func replacing(in exif: [UInt8], with orientation: UInt8) -> [UInt8] {
    var bytes = exif
    guard let (entries, isBig) = entries(of: exif) else { return exif }
    func number(_ number: Int, bytes count: Int) -> [UInt8] {
      let digits = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      return isBig ? digits.reversed() : digits
    }
    // One short, and two bytes of nothing.
    let entry =
      number(tag, bytes: 2) + number(shortType, bytes: 2) + number(1, bytes: 4)
      + number(Int(orientation), bytes: 2) + [0, 0]
    for place in entries { bytes.replaceSubrange(place..<place + entryBytes, with: entry) }
    return bytes
  }

  /// Where the entries of the orientation stand, and whether the most significant byte comes first.
  private static func entries(of exif: [UInt8]) -> (places: [Int], isBig: Bool)? {
    let base = exif.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
    guard exif.count >= base + headerBytes else { return nil }
    let isBig: Bool
    switch (exif[base], exif[base + 1]) {
    case (0x4d, 0x4d): isBig = true
    case (0x49, 0x49): isBig = false
    case _: return nil
    }
    func number(_ offset: Int, bytes count: Int) -> Int? {
      guard offset <= exif.count - count else { return nil }
      let digits = exif[offset..<offset + count]
      return (isBig ? Array(digits) : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(base + 2, bytes: 2) == 42, let directory = number(base + 4, bytes: 4),
      directory >= headerBytes, let count = number(base + directory, bytes: 2)
    else { return nil }
    let first = base + directory + 2
    // Of a directory that was cut, the entries that are there.
    let whole = min(count, (exif.count - first) / entryBytes)
    let places = (0..<whole).map { first + entryBytes * $0 }
    return (places.filter { number($0, bytes: 2) == tag }, isBig)
  }
}
#endif

#if Images
/// A block of EXIF data as it can stand in a TIFF file: byte for byte, at the offsets that it was
/// made for.
///
/// EXIF data is a TIFF structure of its own (Exif 2.32, section 4.5.2): a header of 8 bytes, whose
/// place the file's own header takes, and directories, whose offsets count from the beginning of
/// the block. Where the rest of the block follows the header of the file, all of these offsets hold
/// for the file, also those in the notes of a maker, which only he can find. What its first
/// directory says goes into that of the file, as it stands.
struct ExifBlock {
  /// An entry of the first directory that is not about the block's own pixels.
  struct Entry {
    let tag: TIFFField.Tag
    let kind: TIFFField.Kind
    let count: Int
    /// The value if it has 4 bytes at most, else its offset; in the block's order.
    let value: [UInt8]
  }

  /// The bytes that follow the header.
  let bytes: ArraySlice<UInt8>
  /// Whether the most significant byte comes first.
  let isBigEndian: Bool
  let entries: [Entry]

  /// What the file's directory takes over: what names the device, the author and the time, and the
  /// two directories of EXIF.
  private static let tags: Set<TIFFField.Tag> = [
    .description, .maker, .model, .software, .dateTime, .artist, .hostComputer, .copyright,
    .exifDirectory, .gpsDirectory, .rating, .ratingInPercent, .titleForWindows,
    .commentForWindows, .authorForWindows, .keywordsForWindows, .subjectForWindows,
  ]

  /// Reads a block; nil if it is not valid, or if a directory of EXIF does not lie in it.
  ///
  /// - Parameter block: The data, without the marker `Exif` before it.
  init?(_ block: [UInt8]) {
    guard let data = ExifData(block), let count = data.wholeCount(of: data.first) else {
      return nil
    }
    var entries: [Entry] = []
    for place in (0..<count).map({ data.first + 2 + ExifData.entryBytes * $0 }) {
      guard let entry = Self.entry(at: place, in: data) else { continue }
      switch entry.tag {
      case .exifDirectory, .gpsDirectory:
        guard entry.kind == .long, entry.count == 1,
          let directory = data.number(at: place + 8, bytes: 4),
          data.wholeCount(of: directory) != nil
        else { return nil }
      case _:
        break
      }
      // A directory has each tag once; of a broken one the first counts.
      if Self.tags.contains(entry.tag), !entries.contains(where: { $0.tag == entry.tag }) {
        entries.append(entry)
      }
    }
    guard !entries.isEmpty else { return nil }
    bytes = block.dropFirst(ExifData.headerBytes)
    isBigEndian = data.isBigEndian
    self.entries = entries
  }

  /// An entry whose type is known and which has values that lie in the block.
  private static func entry(at place: Int, in data: ExifData) -> Entry? {
    guard let tag = data.number(at: place, bytes: 2),
      let kind = data.number(at: place + 2, bytes: 2),
      let count = data.number(at: place + 4, bytes: 4), count > 0,
      let value = data.number(at: place + 8, bytes: 4),
      let kind = TIFFField.Kind(rawValue: UInt16(kind)), kind != .long8
    else { return nil }
    let sizeBytes = count * kind.sizeBytes
    if sizeBytes > 4 {
      guard value >= ExifData.headerBytes, value <= data.bytes.count - sizeBytes else {
        return nil
      }
    }
    return Entry(
      tag: .init(integerLiteral: UInt16(tag)), kind: kind, count: count,
      value: Array(data.bytes[place + 8..<place + 12]))
  }
}

/// A block of EXIF data: a header of 8 bytes, then directories of entries of 12 bytes (Exif 2.32,
/// section 4.6; TIFF 6.0, section 2).
///
/// Nothing in it is trusted: anybody may have written its offsets.
struct ExifData {
  static let headerBytes = 8
  static let entryBytes = 12

  var bytes: [UInt8]
  /// Whether the most significant byte comes first.
  let isBigEndian: Bool
  /// Where the first directory is.
  private(set) var first = 0

  /// Takes a block without the marker `Exif` before it; nil if it is none.
  init?(_ exif: [UInt8]) {
    switch (exif.first, exif.dropFirst().first) {
    case (0x4d, 0x4d): isBigEndian = true
    case (0x49, 0x49): isBigEndian = false
    case _: return nil
    }
    bytes = exif
    guard number(at: 2, bytes: 2) == 42, let place = number(at: 4, bytes: 4),
      place >= Self.headerBytes, number(at: place, bytes: 2) != nil
    else { return nil }
    first = place
  }

  func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let digits = bytes[offset..<offset + count]
    return (isBigEndian ? Array(digits) : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  /// How many entries a directory has; nil if it does not lie in the block behind the header.
  func wholeCount(of directory: Int) -> Int? {
    guard directory >= Self.headerBytes, let count = number(at: directory, bytes: 2),
      directory + 2 + Self.entryBytes * count <= bytes.count
    else { return nil }
    return count
  }
}
#endif

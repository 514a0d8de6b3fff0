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
  private static let headerBytes = 8

  /// Reads a block; nil if it is not valid, or if a directory of EXIF does not lie in it.
  ///
  /// - Parameter block: The data, without the marker `Exif` before it.
  init?(_ block: [UInt8]) {
    let reader: Reader
    switch (block.first, block.dropFirst().first) {
    case (0x49, 0x49): reader = Reader(block: block, isBigEndian: false)
    case (0x4d, 0x4d): reader = Reader(block: block, isBigEndian: true)
    case _: return nil
    }
    guard reader.number(at: 2, bytes: 2) == 42, let first = reader.number(at: 4, bytes: 4),
      let count = reader.entryCount(at: first)
    else { return nil }
    var entries: [Entry] = []
    for index in 0..<count {
      guard let entry = reader.entry(at: first + 2 + 12 * index) else { continue }
      switch entry.tag {
      case .exifDirectory, .gpsDirectory:
        guard entry.kind == .long, entry.count == 1,
          reader.entryCount(at: reader.number(entry.value[...])) != nil
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
    bytes = block.dropFirst(Self.headerBytes)
    isBigEndian = reader.isBigEndian
    self.entries = entries
  }

  /// Reads numbers at offsets that anybody may have written.
  private struct Reader {
    let block: [UInt8]
    let isBigEndian: Bool

    func number(_ digits: ArraySlice<UInt8>) -> Int {
      (isBigEndian ? Array(digits) : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= block.count - count else { return nil }
      return number(block[offset..<offset + count])
    }

    /// How many entries a directory has; nil if it does not lie in the block behind the header.
    func entryCount(at offset: Int) -> Int? {
      guard offset >= ExifBlock.headerBytes, let count = number(at: offset, bytes: 2),
        offset + 2 + 12 * count <= block.count
      else { return nil }
      return count
    }

    /// An entry whose type is known and which has values that lie in the block.
    func entry(at offset: Int) -> Entry? {
      guard let tag = number(at: offset, bytes: 2), let kind = number(at: offset + 2, bytes: 2),
        let count = number(at: offset + 4, bytes: 4), count > 0, offset + 12 <= block.count,
        let kind = TIFFField.Kind(rawValue: UInt16(kind)), kind != .long8
      else { return nil }
      let value = Array(block[offset + 8..<offset + 12])
      let sizeBytes = count * kind.sizeBytes
      if sizeBytes > 4 {
        let place = number(value[...])
        guard place >= ExifBlock.headerBytes, place <= block.count - sizeBytes else { return nil }
      }
      return Entry(tag: .init(integerLiteral: UInt16(tag)), kind: kind, count: count, value: value)
    }
  }
}
#endif

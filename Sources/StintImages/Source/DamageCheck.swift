#if Images
import StintRuntime
import StintCore

/// Looks for damage that libvips' loaders pass over in silence, as of 8.14.
///
/// Each check reads what a decoder has read already, and only where something may be wrong.
struct DamageCheck {
  let file: SourceFile

  // MARK: JPEG

  /// What libjpeg says of a JPEG file's pixels; nil if it finds no damage.
  func jpeg() -> String? {
    guard let contents = file.contents else {
      return JPEGCheck.damage(ofFile: file.descriptorPath)
    }
    return JPEGCheck.damage(
      of: UnsafeRawBufferPointer(rebasing: contents.buffer[..<file.identity.sizeBytes]))
  }

  /// Whether a decoder that has given the last row has left pixels in the file: then some that it
  /// decoded were none.
  ///
  /// libvips reads nothing behind the last row, and does not look.
  var jpegIsLeftOver: Bool {
    let last = file.reached.withLock { $0 }
    guard last.count > 0, let read = file.bytes(at: last.lowerBound, count: last.count),
      read.firstRange(of: [0xFF, 0xD9]) == nil
    else { return false }
    // The marker may be cut in two by the end of what was read.
    let start = last.upperBound - 1
    let rest = file.bytes(at: start, count: min(64, file.identity.sizeBytes - start)) ?? []
    return rest.count == 64
      && !zip(rest, rest.dropFirst()).contains {
        $0 == 0xFF && $1 != 0 && $1 != 0xFF && !(0xD0...0xD7).contains($1)
      }
  }

  // MARK: TIFF

  /// The strips or tiles of a TIFF, in so far as something can be said of them that libvips does
  /// not say: libtiff ignores the checksum of a piece that is compressed by Deflate, and of JPEG in
  /// tiles, which libvips decodes itself, it does not tell the warnings (`rtiff_decompress_jpeg`).
  struct Pieces: DecodedTiles {
    let file: SourceFile
    fileprivate let table: TIFFTable
    fileprivate let (offsets, counts): ([Int], [Int])
    let isJPEG: Bool

    private typealias Tag = TIFFTable.Tag

    /// Nil if nothing more can be said.
    init?(of file: SourceFile, page: Int, inTiles: Bool) {
      let tags: Set<Tag> = [
        Tag.width, Tag.compression, Tag.stripOffsets, Tag.stripByteCounts, Tag.tileWidth,
        Tag.tileHeight, Tag.tileOffsets, Tag.tileByteCounts, Tag.jpegTables,
      ]
      guard let table = TIFFTable(of: file, page: page, tags: tags),
        table.isDeflated || table.number(Tag.compression) == 7 && inTiles,
        let offsets = table.numbers(inTiles ? Tag.tileOffsets : Tag.stripOffsets),
        let counts = table.numbers(inTiles ? Tag.tileByteCounts : Tag.stripByteCounts)
      else { return nil }
      (self.file, self.table, self.offsets, self.counts) = (file, table, offsets, counts)
      isJPEG = !table.isDeflated
    }

    /// How many pieces there are.
    var count: Int { min(offsets.count, counts.count) }

    func tiles(columns: Range<Int>, rows: Range<Int>) -> [Int] {
      guard let width = table.number(Tag.width), let tileWidth = table.number(Tag.tileWidth),
        let tileHeight = table.number(Tag.tileHeight),
        [width, tileWidth, tileHeight].allSatisfy((1...Int(UInt32.max)).contains)
      else { return [] }
      let across = (width + tileWidth - 1) / tileWidth
      let places = columns.lowerBound / tileWidth...(columns.upperBound - 1) / tileWidth
      return (rows.lowerBound / tileHeight...(rows.upperBound - 1) / tileHeight)
        .flatMap { row in places.map { row * across + $0 } }.filter { $0 < count }
    }

    func damage(of piece: Int) -> String? {
      if !isJPEG { return inflateDamage(of: piece) }
      guard counts[piece] <= 1 << 28,
        let bytes = file.bytes(at: offsets[piece], count: counts[piece]), !bytes.isEmpty
      else { return nil }
      let tables = table[Tag.jpegTables]?.bytes ?? []
      return bytes.withUnsafeBytes { JPEGCheck.damage(of: $0, tables: tables) }
    }

    private func inflateDamage(of piece: Int) -> String? {
      var check = InflateCheck()
      let begin = min(offsets[piece], file.sizeBytes)
      let end = begin + min(counts[piece], file.sizeBytes - begin)
      for start in stride(from: begin, to: end, by: 1 << 20) {
        guard let bytes = file.bytes(at: start, count: min(1 << 20, end - start)) else { break }
        bytes.withUnsafeBytes { check.add($0) }
      }
      return DamageCheck.damage(found: check)
    }
  }

  /// What is wrong with a compressed piece; nil if nothing is seen.
  static func damage(found check: borrowing InflateCheck) -> String? {
    check.isBroken ? brokenCode : check.isDamaged ? wrongChecksum : nil
  }

  static let brokenCode = "compressed pixels cannot be decompressed"
  static let wrongChecksum = "the checksum of compressed pixels is wrong"

  /// What is wrong with the strips or tiles of a TIFF; nil if nothing is seen.
  func pieces(ofPage page: Int) -> String? {
    guard
      let pieces = Pieces(of: file, page: page, inTiles: false)
        ?? Pieces(of: file, page: page, inTiles: true)
    else { return nil }
    return (0..<pieces.count).lazy.compactMap { pieces.damage(of: $0) }.first
  }

  // MARK: PNG

  /// What is wrong with the last of a PNG's chunks of pixels; nil if its checksum is right.
  ///
  /// libpng compares the checksum of a chunk when it goes on to the next one. libvips ends with the
  /// last row and has the checksum of the whole stream ignored, so that nothing guards the last
  /// chunk, which is often the only one.
  func png() -> String? {
    var offset = 8
    var last: (offset: Int, count: Int)?
    while let head = file.bytes(at: offset, count: 8) {
      let count = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      if head.suffix(4).elementsEqual("IDAT".utf8) {
        last = (offset, count)
      } else if last != nil {
        break
      }
      offset += count + 12
    }
    guard let last else { return nil }
    var checksum: UInt32 = 0
    let end = last.offset + 8 + last.count
    for start in stride(from: last.offset + 4, to: end, by: 1 << 20) {
      guard let bytes = file.bytes(at: start, count: min(1 << 20, end - start)) else {
        return "the file ends in its last chunk of pixels"
      }
      checksum = bytes.withUnsafeBytes { ZlibChecksum.crc32($0, after: checksum) }
    }
    guard let stored = file.bytes(at: end, count: 4) else {
      return "the file ends in its last chunk of pixels"
    }
    return stored.reduce(0) { $0 << 8 | UInt32($1) } == checksum
      ? nil : "the checksum of its last chunk of pixels is wrong"
  }
}
#endif

#if Images
import StintCore

/// Where the strips of a TIFF lie, and what a file of a few of them looks like.
struct TIFFStrips {
  private typealias Tag = TIFFTable.Tag

  /// What says how samples are coded, beside the above: fill order, options of fax, predictor,
  /// palette, inks, extra samples, sample format, tables of JPEG, YCbCr, the scale of LogLuv.
  private static let coding: [Tag] = [
    258, 259, 262, 266, 277, 284, 292, 293, 317, 320, 332, 334, 338, 339, 340, 341, 347, 529, 530,
    531, 532, 37439,
  ]
  /// What has to be read of a directory.
  static let tags: Set<TIFFField.Tag> = Set(coding).union([
    Tag.width, Tag.height, Tag.stripOffsets, Tag.rowsPerStrip, Tag.stripByteCounts, Tag.tileWidth,
    Tag.tileOffsets,
  ])
  /// The longest of those fields that is taken, such as the tables of JPEG.
  private static let mostCodingBytes = 65_536
  /// The rows of a strip that holds all of the image: what counts if the file says nothing.
  private static let allRows = Int(UInt32.max)

  private let table: TIFFTable
  private let (width, height): (Int, Int)
  private let offsets: [Int]
  private let counts: [Int]
  /// The strips as the file has them.
  private let storedRows: Int
  /// The bytes of a row if each stands by itself: samples that are not compressed.
  private let plainRowBytes: Int?
  /// The rows of a strip here: those of the file, or one where its strips are large and hold plain
  /// rows.
  let rowsPerStrip: Int

  /// Reads where the strips are; nil if they cannot be taken one by one.
  init?(_ table: TIFFTable, shape: ImageShape, fileBytes: Int, mostBytes: Int) {
    // A default stands for a field that is missing, not for one of a kind that only libtiff reads.
    let single = [
      Tag.compression, Tag.photometric, Tag.samplesPerPixel, Tag.rowsPerStrip,
      Tag.planarConfiguration,
    ]
    guard single.allSatisfy({ table[$0] == nil || table.number($0) != nil }) else { return nil }
    let compression = table.number(Tag.compression) ?? 1
    guard table.number(Tag.width) == shape.width, table.number(Tag.height) == shape.height,
      table[Tag.tileWidth] == nil, table[Tag.tileOffsets] == nil,
      // Planes of one colour each lie behind each other; JPEG of the old kind is one stream.
      table.number(Tag.planarConfiguration) ?? 1 == 1, compression != 6,
      let offsets = table.numbers(Tag.stripOffsets), let counts = table.numbers(Tag.stripByteCounts)
    else { return nil }
    let stored = min(table.number(Tag.rowsPerStrip) ?? shape.height, shape.height)
    guard stored > 0, offsets.count == (shape.height + stored - 1) / stored,
      counts.count == offsets.count,
      zip(offsets, counts).allSatisfy({
        $0 > 0 && $1 > 0 && $0 <= fileBytes && $1 <= fileBytes - $0
      })
    else { return nil }
    // What is read again for every few strips is small, in whatever the file claims.
    guard Self.coding.allSatisfy({ table[$0]?.bytes.count ?? 0 <= Self.mostCodingBytes }) else {
      return nil
    }
    if stored * shape.rowBytes <= mostBytes {
      // Many strips can claim the same bytes. None that is coded sensibly is much longer than its
      // pixels.
      let longest = 2 * stored * shape.rowBytes + Self.mostCodingBytes
      guard counts.allSatisfy({ $0 <= longest }) else { return nil }
      (rowsPerStrip, plainRowBytes) = (stored, nil)
    } else {
      // Subsampled colours come in blocks of several rows.
      guard compression == 1, table.number(Tag.photometric) != 6,
        let bits = table.number(Tag.bitsPerSample)
      else { return nil }
      let samples = table.number(Tag.samplesPerPixel) ?? 1
      guard (1...Int(UInt16.max)).contains(samples), (1...64).contains(bits),
        shape.rowBytes <= mostBytes
      else { return nil }
      let (rowBits, overflow) = shape.width.multipliedReportingOverflow(by: samples * bits)
      guard !overflow else { return nil }
      let rowBytes = (rowBits + 7) / 8
      guard
        zip(0..., counts).allSatisfy({ strip, count in
          min(stored, shape.height - strip * stored) <= count / rowBytes
        })
      else { return nil }
      (rowsPerStrip, plainRowBytes) = (1, rowBytes)
    }
    (self.table, width, height, storedRows) = (table, shape.width, shape.height, stored)
    (self.offsets, self.counts) = (offsets, counts)
  }

  /// Whether strips are zlib streams, whose checksum libtiff ignores.
  var isDeflated: Bool { table.isDeflated }

  /// The strips in which rows lie.
  func strips(of rows: Range<Int>) -> Range<Int> {
    rows.lowerBound / rowsPerStrip..<(rows.upperBound + rowsPerStrip - 1) / rowsPerStrip
  }

  /// The rows of some strips.
  func rows(of strips: Range<Int>) -> Range<Int> {
    strips.lowerBound * rowsPerStrip..<min(strips.upperBound * rowsPerStrip, height)
  }

  /// Where a strip lies in the file.
  func place(of strip: Int) -> (offset: Int, count: Int) {
    guard let rowBytes = plainRowBytes else { return (offsets[strip], counts[strip]) }
    return (offsets[strip / storedRows] + strip % storedRows * rowBytes, rowBytes)
  }

  /// A TIFF of some strips alone.
  ///
  /// - Parameters:
  ///   - strips: Which.
  ///   - data: Their bytes.
  /// - Returns: The file.
  func file(of strips: Range<Int>, data: [[UInt8]]) -> [UInt8] {
    let coding = Self.coding.compactMap { tag in
      table[tag].map { TIFFField(copying: tag, kind: $0.kind, count: $0.count, bytes: $0.bytes) }
    }
    // The file's own number, even if it is larger than the image: libvips reads strips of over 128
    // rows in another way, which gives other pixels of a strip that holds more than its rows.
    let claimed = min(table.number(Tag.rowsPerStrip) ?? Self.allRows, Self.allRows)
    let layout = TIFFLayout(
      fields: coding + [
        .long(.width, width), .long(.height, rows(of: strips).count),
        .long(.rowsPerStrip, plainRowBytes == nil ? claimed : rowsPerStrip),
        .longs(.stripByteCounts, data.map(\.count)),
        TIFFField(later: .stripOffsets, count: data.count, isBig: false),
      ], isBig: false, isBigEndian: !table.isLittleEndian)
    var position = layout.front.count
    var offsets: [Int] = []
    for strip in data {
      offsets.append(position)
      position += strip.count
    }
    var output: [UInt8] = []
    output.reserveCapacity(position)
    layout.front.withBytes { output += $0 }
    layout.words(offsets).withBytes { words in
      let place = layout.offsetsPosition
      output.replaceSubrange(place..<place + words.count, with: words)
    }
    for strip in data { output += strip }
    return output
  }
}
#endif

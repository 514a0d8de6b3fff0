#if Images
import StintCore

/// Where the strips of a TIFF lie, and what a file of a few of them looks like.
struct TIFFStrips {
  private typealias Tag = TIFFTable.Tag

  /// What says how samples are coded, beside the above: fill order, options of fax, predictor,
  /// palette, inks, extra samples, sample format, tables of JPEG, YCbCr, the scale of LogLuv.
  private static let coding: [UInt16] = [
    258, 259, 262, 266, 277, 284, 292, 293, 317, 320, 332, 334, 338, 339, 340, 341, 347, 529, 530,
    531, 532, 37439,
  ]
  /// What has to be read of a directory.
  static let tags = Set(coding).union([
    Tag.width, Tag.height, Tag.stripOffsets, Tag.rowsPerStrip, Tag.stripByteCounts, Tag.tileWidth,
    Tag.tileOffsets,
  ])
  /// The longest of those fields that is taken, such as the tables of JPEG.
  private static let mostCodingBytes = 65_536
  /// The kind of numbers of 32 bits.
  private static let long: UInt16 = 4
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
    var fields: [(tag: UInt16, kind: UInt16, count: Int, bytes: [UInt8])] = Self.coding.compactMap {
      guard let entry = table[$0] else { return nil }
      return ($0, entry.kind, entry.count, entry.bytes)
    }
    func add(_ tag: UInt16, _ numbers: [Int]) {
      fields.append((tag, Self.long, numbers.count, numbers.flatMap { bytes($0, size: 4) }))
    }
    add(Tag.width, [width])
    add(Tag.height, [rows(of: strips).count])
    // The file's own number, even if it is larger than the image: libvips reads strips of over 128
    // rows in another way, which gives other pixels of a strip that holds more than its rows.
    let claimed = min(table.number(Tag.rowsPerStrip) ?? Self.allRows, Self.allRows)
    add(Tag.rowsPerStrip, [plainRowBytes == nil ? claimed : rowsPerStrip])
    add(Tag.stripByteCounts, data.map(\.count))
    // The same length, whatever the offsets are.
    add(Tag.stripOffsets, data.map { _ in 0 })
    fields.sort { $0.tag < $1.tag }
    let front = 8 + 2 + 12 * fields.count + 4
    var position = fields.reduce(front) { $0 + ($1.bytes.count > 4 ? $1.bytes.count : 0) }
    var offsets: [UInt8] = []
    for strip in data {
      offsets += bytes(position, size: 4)
      position += strip.count
    }
    var output: [UInt8] = []
    output.reserveCapacity(position)
    output += table.isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]
    output += bytes(42, size: 2) + bytes(8, size: 4) + bytes(fields.count, size: 2)
    var values: [UInt8] = []
    for field in fields {
      let own = field.tag == Tag.stripOffsets ? offsets : field.bytes
      output += bytes(Int(field.tag), size: 2) + bytes(Int(field.kind), size: 2)
      output += bytes(field.count, size: 4)
      if own.count > 4 {
        output += bytes(front + values.count, size: 4)
        values += own
      } else {
        output += own + [UInt8](repeating: 0, count: 4 - own.count)
      }
    }
    output += bytes(0, size: 4) + values
    for strip in data { output += strip }
    return output
  }

  private func bytes(_ number: Int, size: Int) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return table.isLittleEndian ? bytes : bytes.reversed()
  }
}
#endif

#if Images
import StintCore

@testable import StintImages

/// The directory of a TIFF and the strips that it tells of.
///
/// The first byte of the input chooses the page and what libvips would say of the pixels; the rest
/// is the file.
enum TIFFTarget {
  private static let tags = TIFFStrips.tags
  // Thirty fields may have the same bytes for their values, and a value of a byte becomes a number
  // of eight.
  private static let allowance = Allowance(
    peakBytes: (fixed: 65_536, perByte: 1024), totalBytes: (fixed: 262_144, perByte: 4096))

  static func examine(_ input: [UInt8]) {
    guard let first = input.first, input.count > 1 else { return }
    let bytes = Array(input.dropFirst())
    let file = MemorySource.source(bytes)
    let page = Int(first & 3)
    let (table, strips) = allowance.measured(input.count) {
      let table = TIFFTable(of: file, page: page, tags: tags)
      let strips = table.flatMap { told(by: $0, first, bytes.count) }
      if strips != nil { Plant.accepted(input) }
      return (table, strips)
    }
    guard let table, let (strips, height) = strips else { return }
    Plant.rare(table.number(262) ?? 1 > 1)
    let all = strips.strips(of: 0..<height)
    var reached = 0
    for strip in all.prefix(100) {
      let (offset, count) = strips.place(of: strip)
      require(
        offset > 0 && count > 0 && offset <= bytes.count && count <= bytes.count - offset,
        "strip \(strip) is not in the file")
      let rows = strips.rows(of: strip..<strip + 1)
      require(rows.lowerBound == reached && !rows.isEmpty, "rows \(rows) after \(reached)")
      reached = rows.upperBound
    }
    require(all.count > 100 || reached == height, "\(reached) of \(height) rows")
    checkFile(of: strips, all.prefix(2), table, bytes)
  }

  /// What libvips would have to say of the pixels, and the strips of that.
  private static func told(
    by table: TIFFTable, _ first: UInt8, _ fileBytes: Int
  ) -> (strips: TIFFStrips, height: Int)? {
    // The limits of libvips.
    guard let width = table.number(256), let height = table.number(257),
      (1..<10_000_000).contains(width), (1..<10_000_000).contains(height)
    else { return nil }
    let shape = ImageShape(
      width: width, height: height, bands: 1 + Int(first >> 2 & 3),
      format: first & 16 == 0 ? .uint8 : .uint16, colourSpace: .srgb)
    let most = first & 32 == 0 ? StripReader.usualStripBytes : 256
    return TIFFStrips(table, shape: shape, fileBytes: fileBytes, mostBytes: most).map {
      ($0, height)
    }
  }

  /// A file of a few strips says of its samples what the whole one says.
  private static func checkFile(
    of strips: TIFFStrips, _ chosen: Range<Int>, _ table: TIFFTable, _ bytes: [UInt8]
  ) {
    let data = chosen.map { strip in
      let (offset, count) = strips.place(of: strip)
      return Array(bytes[offset..<offset + count])
    }
    let part = strips.file(of: chosen, data: data)
    guard let again = TIFFTable(of: MemorySource.source(part), page: 0, tags: tags) else {
      fatalError("a file of strips cannot be read")
    }
    var rows = strips.rows(of: chosen).count
    if Plant.spoils { rows += 1 }
    require(again.number(257) == rows, "a file of strips has other rows")
    require(again.number(256) == table.number(256), "a file of strips has another width")
    require(again.numbers(279) == data.map(\.count), "a file of strips has other strips")
    let found = zip(again.numbers(273) ?? [], data).map { part[$0..<$0 + $1.count] }
    require(found.elementsEqual(data, by: { $0.elementsEqual($1) }), "strips of other bytes")
    for tag in tags where ![256, 257, 273, 278, 279].contains(tag) {
      require(again[tag]?.bytes == table[tag]?.bytes, "the field \(tag) became another one")
      require(again[tag]?.kind == table[tag]?.kind, "the field \(tag) became of another kind")
    }
  }
}
#endif

#if Images
import StintRuntime
import StintCore
import Testing

@testable import StintImages

@Suite("TIFF in strips")
struct StripReaderTests {
  let folder: ImageFolder

  init() throws {
    folder = try ImageFolder()
  }

  /// Decodes cuts of the rows, the last first, so that nothing can depend on what came before.
  private func decoded(_ reader: StripReader, _ shape: ImageShape, seed: UInt64) throws -> [UInt8] {
    let memory = PixelMemory(sizeBytes: shape.sizeBytes)
    for rows in TestImage.cuts(height: shape.height, seed: seed).reversed() {
      let part = UnsafeMutableRawBufferPointer(
        rebasing: memory.buffer[rows.lowerBound * shape.rowBytes..<rows.upperBound * shape.rowBytes]
      )
      #expect(try reader.decode(rows, into: part, threads: 2, stopFlag: StopFlag()))
    }
    return Array(memory.buffer)
  }

  private func reader(_ name: String, page: Int = 0, mostStripBytes: Int? = nil) throws
    -> (StripReader?, ImageSource)
  {
    let source = try ImageSource(SourceFile(folder.path(name)), .init(page: page))
    guard let mostStripBytes else { return (source.strips, source) }
    let reader = StripReader(
      source.file, page: page, shape: source.storedShape, .refuse, source.messages,
      mostStripBytes: mostStripBytes)
    return (reader, source)
  }

  static let kinds: [(bands: Int, format: SampleFormat, options: [String: VipsArgument])] = [
    (3, .uint8, [:]),
    (3, .uint8, ["compression": .word("lzw"), "predictor": .word("horizontal")]),
    (4, .uint16, ["compression": .word("deflate"), "predictor": .word("horizontal")]),
    (1, .uint8, ["compression": .word("ccittfax4"), "bitdepth": .integer(1)]),
    (1, .uint8, ["bitdepth": .integer(2)]),
    (2, .uint8, ["compression": .word("packbits")]),
    (3, .uint8, ["compression": .word("jpeg"), "Q": .integer(80)]),
    (3, .uint16, ["bigtiff": .flag(true), "compression": .word("lzw")]),
  ]

  @Test("any rows by themselves are those of libvips, in every usual coding", arguments: 0..<8)
  func codings(_ index: Int) throws {
    let kind = Self.kinds[index]
    let shape = TestImage.shape(131, 197, bands: kind.bands, format: kind.format)
    try folder.save(TestImage.image(shape, seed: 3), "a", "tiffsave", kind.options)
    let (reader, source) = try reader("a")
    let strips = try #require(reader)
    #expect(strips.rowsPerStrip < shape.height)
    let expected = try source.openSequentially().pixels()
    for seed in 1...3 {
      #expect(try decoded(strips, source.storedShape, seed: UInt64(seed)) == expected)
    }
  }

  @Test("a page is read by its own directory")
  func pages() throws {
    let pages = try (0..<3).map {
      try TestImage.image(40, 60, bands: 3, seed: UInt64($0))
    }
    let roll = try VipsImage.making(
      "arrayjoin", ["in": .images(pages), "across": .integer(1)]
    ).editing([.integer("page-height", 60)])
    for isBig in [false, true] {
      try folder.save(roll, "a", "tiffsave", ["bigtiff": .flag(isBig)])
      for page in 0..<3 {
        let (reader, source) = try reader("a", page: page)
        #expect(try decoded(#require(reader), source.storedShape, seed: 1) == pages[page].pixels())
      }
    }
  }

  @Test("plain rows are read one by one where a strip is too large, and other large strips are not")
  func largeStrips() throws {
    let shape = TestImage.shape(131, 197, bands: 3)
    let image = try TestImage.image(shape, seed: 4)
    let lines: [String: VipsArgument] = ["tile-height": .integer(96)]
    try folder.save(image, "plain", "tiffsave", lines)
    let (reader, _) = try reader("plain", mostStripBytes: 4 * shape.rowBytes)
    let strips = try #require(reader)
    #expect(strips.rowsPerStrip == 1)
    #expect(try decoded(strips, shape, seed: 5) == image.pixels())
    try folder.save(
      image, "packed", "tiffsave", lines.merging(["compression": .word("lzw")]) { $1 })
    #expect(try self.reader("packed", mostStripBytes: 4 * shape.rowBytes).0 == nil)
  }

  @Test("numbers that begin with their most significant byte are read as such")
  func mostSignificantFirst() throws {
    let (width, height) = (5, 6)
    func bytes(_ number: Int, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    func short(_ tag: Int, _ value: Int) -> [UInt8] {
      bytes(tag, 2) + bytes(3, 2) + bytes(1, 4) + bytes(value, 2) + [0, 0]
    }
    // Three strips of two rows of 16 bits; their tables follow the directory, then the samples.
    let tables = 8 + 2 + 12 * 8 + 4
    let samples = tables + 2 * 3 * 4
    let strip = 2 * width * 2
    var file: [UInt8] = Array("MM".utf8) + bytes(42, 2) + bytes(8, 4) + bytes(8, 2)
    file += short(256, width) + short(257, height) + short(258, 16) + short(259, 1) + short(262, 1)
    file += bytes(273, 2) + bytes(4, 2) + bytes(3, 4) + bytes(tables, 4)
    file += short(278, 2) + bytes(279, 2) + bytes(4, 2) + bytes(3, 4) + bytes(tables + 12, 4)
    file += bytes(0, 4)
    for index in 0..<3 { file += bytes(samples + index * strip, 4) }
    for _ in 0..<3 { file += bytes(strip, 4) }
    for sample in 0..<width * height { file += bytes(sample * 700, 2) }
    try folder.write(file, "a")
    let (reader, source) = try reader("a")
    let expected = (0..<width * height).flatMap { sample in
      withUnsafeBytes(of: UInt16(sample * 700)) { Array($0) }
    }
    #expect(try decoded(#require(reader), source.storedShape, seed: 2) == expected)
  }

  @Test(
    "strips that all claim the same many bytes, and tables without measure, are not read again and again"
  )
  func overlapping() throws {
    /// Four rows of sixteen bytes, a strip each, of so many bytes as it claims; and a table of so
    /// many more.
    func write(count: Int, tableBytes: Int) throws {
      let front = Self.front([
        (256, 3, [16]), (257, 3, [4]), (258, 3, [8]), (259, 3, [1]), (262, 3, [1]),
        (273, 4, Array(repeating: 1000, count: 4)), (277, 3, [1]), (278, 3, [1]),
        (279, 4, Array(repeating: count, count: 4)),
        (347, 1, Array(repeating: 0, count: tableBytes)),
      ])
      try folder.write(front + [UInt8](repeating: 9, count: 300_000), "c")
    }
    try write(count: 16, tableBytes: 8)
    #expect(try reader("c").0 != nil)
    try write(count: 200_000, tableBytes: 8)
    #expect(try reader("c").0 == nil)
    try write(count: 16, tableBytes: 100_000)
    #expect(try reader("c").0 == nil)
  }

  @Test(
    "of the only strip, which holds more than its rows, as much is taken as by libvips",
    arguments: [nil, 129, Int(UInt32.max)])
  func overlong(rowsPerStrip: Int?) throws {
    // Ten bytes 3 and ninety bytes 5 by Deflate, for seven rows of nine.
    let packed: [UInt8] = [120, 218, 99, 102, 134, 1, 86, 154, 1, 0, 91, 144, 1, 225]
    var fields: [Field] = [
      (256, 3, [9]), (257, 3, [7]), (258, 3, [8]), (259, 3, [8]), (262, 3, [1]), (273, 4, [1000]),
      (277, 3, [1]),
    ]
    if let rowsPerStrip { fields.append((278, 4, [rowsPerStrip])) }
    var file = Self.front(fields + [(279, 4, [packed.count])])
    file.replaceSubrange(1000..<1000 + packed.count, with: packed)
    try folder.write(file, "a")
    let (reader, source) = try reader("a")
    let expected = try source.openSequentially().pixels()
    #expect(try decoded(#require(reader), source.storedShape, seed: 1) == expected)
  }

  @Test(
    "a directory that does not fit its file makes no strips, and the decoder says what is wrong")
  func damage() throws {
    let shape = TestImage.shape(64, 64, bands: 3)
    try folder.save(TestImage.image(shape, seed: 6), "a", "tiffsave", ["compression": .word("lzw")])
    let bytes = try folder.bytes("a")
    var numbers = SplitMix64(seed: 9)
    // Whatever is written into header and directory, it ends in pixels or in an error that is told.
    for _ in 0..<100 {
      var changed = bytes
      for _ in 0..<3 {
        changed[Int.random(in: max(0, bytes.count - 300)..<bytes.count, using: &numbers)] =
          UInt8.random(in: 0...255, using: &numbers)
      }
      try folder.write(changed, "b")
      guard let (reader, source) = try? reader("b"), let reader else { continue }
      do {
        _ = try decoded(reader, source.storedShape, seed: 1)
      } catch let error as StintError {
        #expect(source.damaged(error).code == .damaged, "\(error.message)")
      }
    }
  }

  @Test("of a field that stands twice the first counts, as for libvips")
  func twice() throws {
    let shape = TestImage.shape(9, 7, bands: 1)
    let image = try TestImage.image(shape, seed: 3)
    try folder.save(image, "a", "tiffsave")
    var bytes = try folder.bytes("a")
    // One sample in a pixel, which is so without saying, becomes a second number of bits in one.
    let samples: [UInt8] = [21, 1, 3, 0, 1, 0, 0, 0, 1, 0]
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: samples) })
    bytes[place] = 2
    try folder.write(bytes, "b")
    let (reader, source) = try reader("b")
    #expect(try source.openSequentially().pixels() == image.pixels())
    #expect(try decoded(#require(reader), source.storedShape, seed: 1) == image.pixels())
  }

  private typealias Field = (tag: Int, kind: Int, values: [Int])

  /// The first 2,000 bytes of a TIFF with a directory of these fields, and behind them the values
  /// that do not fit into it.
  private static func front(_ fields: [Field]) -> [UInt8] {
    func bytes(_ number: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var file = Array("II".utf8) + bytes(42, 2) + bytes(8, 4) + bytes(fields.count, 2)
    var behind: [UInt8] = []
    for field in fields {
      let size = [1: 1, 3: 2, 4: 4][field.kind] ?? 1
      let values = field.values.flatMap { bytes($0, size) }
      file += bytes(field.tag, 2) + bytes(field.kind, 2) + bytes(field.values.count, 4)
      if values.count <= 4 {
        file += values + bytes(0, 4 - values.count)
      } else {
        file += bytes(2000 + behind.count, 4)
        behind += values
      }
    }
    file += bytes(0, 4)
    return file + [UInt8](repeating: 7, count: 2000 - file.count) + behind
  }

  @Test("a raised flag leaves the rest of the rows")
  func stopped() throws {
    let shape = TestImage.shape(64, 64, bands: 3)
    try folder.save(TestImage.image(shape, seed: 6), "a", "tiffsave")
    let strips = try #require(try reader("a").0)
    let memory = PixelMemory(sizeBytes: shape.sizeBytes)
    #expect(try !strips.decode(0..<64, into: memory.buffer, threads: 2, stopFlag: .raised))
  }
}
#endif

#if Images
import StintRuntime
import StintCore
import Testing

@testable import StintImages

@Suite("Image sources")
struct ImageSourceTests {
  let folder: ImageFolder

  init() throws {
    folder = try ImageFolder()
  }

  func source(_ name: String, page: Int = 0, keepsOrientation: Bool = false) throws -> ImageSource {
    try ImageSource(
      SourceFile(folder.path(name)), .init(page: page, keepsOrientation: keepsOrientation))
  }

  func refusal(_ name: String, page: Int = 0) -> StintError? {
    #expect(throws: StintError.self) { try source(name, page: page) }
  }

  @Test("the header says what the pixels are, in every usual format")
  func formats() throws {
    for (format, bands, saver, loader) in [
      (SampleFormat.uint8, 3, "pngsave", "PNG"), (.uint16, 4, "pngsave", "PNG"),
      (.uint8, 1, "jpegsave", "JPEG"), (.uint16, 3, "tiffsave", "TIFF"),
      (.uint8, 3, "webpsave", "WebP"),
    ] {
      let shape = TestImage.shape(33, 21, bands: bands, format: format)
      try folder.save(TestImage.image(shape, seed: 1), "a", saver)
      let source = try source("a")
      #expect(source.loader.format == loader)
      #expect(source.storedShape == shape, "\(saver)")
      #expect(!source.hasRandomAccess)
      #expect(source.notices == [])
    }
  }

  @Test("a TIFF in tiles has random access, one in strips has not")
  func tiles() throws {
    let image = try TestImage.image(300, 200, bands: 3, seed: 2)
    try folder.save(image, "tiles", "tiffsave", ["tile": .flag(true)])
    try folder.save(image, "strips", "tiffsave")
    #expect(try source("tiles").hasRandomAccess)
    #expect(try !source("strips").hasRandomAccess)
    #expect(try source("tiles").strips == nil)
    #expect(try source("strips").strips != nil)
  }

  @Test("the least and the widest images are taken, and four inks")
  func extremes() throws {
    for (width, height) in [(1, 1), (65_535, 1), (1, 65_535)] {
      let shape = TestImage.shape(width, height, bands: 1)
      try folder.save(TestImage.image(shape, seed: 3), "a")
      #expect(try source("a").storedShape == shape)
    }
    let inks = TestImage.shape(16, 16, bands: 4, colourSpace: .cmyk)
    try folder.save(TestImage.image(inks, seed: 4), "inks", "jpegsave")
    #expect(try source("inks").storedShape == inks)
  }

  @Test(
    "R2 a truncated file of any format is refused and named, by its header or while it is decoded")
  func truncated() throws {
    let image = try TestImage.image(200, 150, bands: 3, seed: 5)
    for saver in ["pngsave", "jpegsave", "tiffsave", "webpsave", "gifsave"] {
      try folder.save(image, "whole", saver)
      let bytes = try folder.bytes("whole")
      #expect(try decoded("whole") == 200 * 150 * (saver == "gifsave" ? 3 : 3), "\(saver)")
      for share in [0.02, 0.3, 0.6, 0.9] {
        try folder.write(Array(bytes[..<Int(Double(bytes.count) * share)]), "cut")
        let error = #expect(throws: StintError.self, "\(saver) \(share)") { try decoded("cut") }
        #expect(error?.code == .damaged, "\(saver) \(share): \(error?.message ?? "")")
        #expect(error?.message.contains(folder.path("cut")) == true, "\(error?.message ?? "")")
      }
    }
  }

  /// Decodes all rows as the computation does.
  func decoded(_ name: String) throws -> Int {
    let source = try source(name)
    let shape = source.storedShape
    let graph = ImageGraph(source: source, pipeline: try FilterPipeline(parsing: []))
    let memory = PixelMemory(sizeBytes: shape.sizeBytes)
    for row in stride(from: 0, to: shape.height, by: 10) {
      let rows = row..<min(row + 10, shape.height)
      #expect(try graph.decode(rows, into: memory.buffer, stopFlag: StopFlag()))
    }
    return shape.width * shape.height * shape.colourBands
  }

  @Test("what is no image is refused")
  func noImage() throws {
    for bytes in [Array("hello\n".utf8), [0], [UInt8](repeating: 0, count: 5000)] {
      try folder.write(bytes, "a")
      #expect(refusal("a")?.code == .damaged)
    }
    // Read by code of libvips that is not hardened.
    try folder.save(TestImage.image(8, 8, bands: 3, seed: 1), "ppm", "ppmsave")
    #expect(refusal("ppm")?.message.contains("files from strangers") == true)
    // It is the reader of PDF that would find this one damaged: it must not see it.
    try folder.write(Array("%PDF-1.4\n".utf8), "pdf")
    let pdf = try #require(refusal("pdf"))
    #expect(pdf.code == .damaged && !pdf.message.contains("is damaged"), "\(pdf.message)")
  }

  @Test("a small file that declares a huge image is refused with the figures")
  func bomb() throws {
    let image = try TestImage.image(8, 8, bands: 3, seed: 6)
    try folder.save(image, "a")
    var bytes = try folder.bytes("a")
    // Width and height follow the signature, the chunk's length and its name.
    let side: [UInt8] = [0, 0, 0xc3, 0x50]
    bytes.replaceSubrange(16..<24, with: side + side)
    bytes.replaceSubrange(29..<33, with: Self.crc32(bytes[12..<29]))
    try folder.write(bytes, "bomb")
    let error = refusal("bomb")
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("50000 x 50000 pixels") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("\(bytes.count) bytes") == true)
    #expect(error?.remedies == [.trust("size")])
  }

  /// The CRC of PNG's chunks (ISO/IEC 15948, annex D), bit by bit.
  static func crc32(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? 0xedb8_8320 ^ (crc >> 1) : crc >> 1 }
    }
    return withUnsafeBytes(of: (~crc).bigEndian) { Array($0) }
  }

  @Test("of several pages the first is taken with a word about it, and any other by its number")
  func pages() throws {
    let pages = try (0..<3).map { page in
      try TestImage.image(20, 10, bands: 3, seed: UInt64(page))
    }
    let roll = try VipsImage.making(
      "arrayjoin", ["in": .images(pages), "across": .integer(1)]
    ).editing([.integer("page-height", 10)])
    try folder.save(roll, "a", "tiffsave")
    #expect(try source("a").pageCount == 3)
    #expect(try source("a").storedShape.height == 10)
    #expect(try source("a").notices.count == 1)
    for page in 0..<3 {
      let source = try source("a", page: page)
      #expect(try source.openSequentially().pixels() == pages[page].pixels())
    }
    #expect(try source("a", page: 1).notices == [])
    let oneOfAll = try ImageSource(SourceFile(folder.path("a")), .init(isOneOfAll: true))
    #expect(oneOfAll.notices == [])
    let error = refusal("a", page: 3)
    #expect(error?.code == .usage)
    #expect(error?.message.contains("3 pages") == true)
  }

  @Test("the orientation is applied unless it is to be kept, and is upright in what is written")
  func orientation() throws {
    let shape = TestImage.shape(30, 20, bands: 3)
    let image = try TestImage.image(shape, seed: 7)
    for orientation in 1...8 {
      try folder.save(image.editing([.integer("orientation", orientation)]), "a", "tiffsave")
      let applied = try source("a")
      #expect(applied.orientation == orientation)
      #expect(applied.isTurned == (orientation != 1))
      let upright = try applied.upright(applied.openSequentially())
      #expect(upright.shape == applied.uprightShape)
      let expected = try image.editing([.integer("orientation", orientation)]).applying("autorot")
      #expect(try upright.pixels() == expected.pixels(), "orientation \(orientation)")
      #expect(ImageMetadata(of: applied, result: shape).orientation == 1)

      let kept = try source("a", keepsOrientation: true)
      #expect(!kept.isTurned && kept.uprightShape == shape)
      #expect(ImageMetadata(of: kept, result: shape).orientation == orientation)
    }
  }

  @Test("what the file says besides its pixels is found")
  func metadata() throws {
    let xmp = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
    let image = try TestImage.image(20, 20, bands: 3, seed: 8)
      .applying("copy", ["xres": .number(11.811), "yres": .number(5.9055)])
      .editing([.blob("xmp-data", xmp), .integer("orientation", 6)])
    try folder.save(image, "a.tif", "tiffsave")
    let metadata = ImageMetadata(of: try source("a.tif"), result: TestImage.shape(20, 20, bands: 3))
    #expect(metadata.xmp == xmp)
    // Turned by a quarter, rows have become columns.
    #expect(abs((metadata.resolution?.vertical ?? 0) - 11.811) < 0.01)
    #expect(abs((metadata.resolution?.horizontal ?? 0) - 5.9055) < 0.01)
    #expect(metadata.orientation == 1)
    // A filter that turns it once more makes them rows again.
    let again = ImageMetadata(
      of: try source("a.tif"), result: TestImage.shape(20, 20, bands: 3), isTurned: true)
    #expect(abs((again.resolution?.horizontal ?? 0) - 11.811) < 0.01)
  }

  @Test("the resolution in EXIF is swapped when the image is turned, by its tag or by a filter")
  func exifResolution() throws {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    // The orientation, and 300 by 150 dots per inch.
    var exif = Array("Exif\0\0II".utf8) + number(42, 2) + number(8, 4) + number(3, 2)
    exif += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(6, 4)
    exif += number(0x011A, 2) + number(5, 2) + number(1, 4) + number(50, 4)
    exif += number(0x011B, 2) + number(5, 2) + number(1, 4) + number(58, 4) + number(0, 4)
    exif += number(300, 4) + number(1, 4) + number(150, 4) + number(1, 4)
    let image = try TestImage.image(20, 20, bands: 3, seed: 8)
      .editing([.blob("exif-data", exif), .integer("orientation", 6)])
    try folder.save(image, "a.png", "pngsave")
    func offsets(_ keepsOrientation: Bool, isTurned: Bool) throws -> [UInt8] {
      let found = ImageMetadata(
        of: try source("a.png", keepsOrientation: keepsOrientation),
        result: TestImage.shape(20, 20, bands: 3), isTurned: isTurned)
      let exif = try #require(found.exif)
      let x = try #require(exif.firstRange(of: number(0x011A, 2) + number(5, 2)))
      return Array(exif[x.lowerBound + 8..<x.lowerBound + 12])
    }
    let unturned = try offsets(true, isTurned: false)
    #expect(try offsets(false, isTurned: true) == unturned)
    #expect(try offsets(true, isTurned: true) != unturned)
    #expect(try offsets(false, isTurned: false) != unturned)
  }
}
#endif

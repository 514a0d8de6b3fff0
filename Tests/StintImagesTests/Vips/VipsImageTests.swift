#if Images
import StintRuntime
import StintCore
import StintImages
import Testing

@Suite("Images of libvips")
struct VipsImageTests {
  @Test("the library says its version")
  func version() {
    #expect(VipsLibrary.version.hasPrefix("8."))
  }

  @Test("pixels that go in come out, whole and in bands", arguments: [1, 2, 3, 4])
  func roundTrip(bands: Int) throws {
    for format in [SampleFormat.uint8, .uint16] {
      let shape = TestImage.shape(65, 33, bands: bands, format: format)
      let samples = TestImage.samples(shape, seed: 7)
      let image = try TestImage.image(samples, shape: shape)
      #expect(image.shape == shape)
      #expect(try TestImage.samples(image.pixels(), format: format) == samples)
      var bytes: [UInt8] = []
      for rows in TestImage.cuts(height: shape.height, seed: 3) {
        bytes += try Self.evaluated(image, rows: rows)
      }
      #expect(TestImage.samples(bytes, format: format) == samples)
    }
  }

  static func evaluated(_ image: VipsImage, rows: Range<Int>) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: rows.count * image.rowBytes)
    try bytes.withUnsafeMutableBytes { try image.evaluate(rows: rows, into: $0) }
    return bytes
  }

  @Test("strips come in order, without gaps, from the first row asked for")
  func strips() throws {
    let image = try TestImage.image(31, 500, bands: 3, seed: 1)
    let blurred = try image.applying("gaussblur", ["sigma": .number(2)])
    let whole = try blurred.pixels()
    let seen = Protected<(next: Int, bytes: [UInt8])>((17, []))
    try blurred.forEachStrip(ofRows: 17..<471) { top, count, pixels in
      try seen.withLock { seen in
        try #require(top == seen.next && pixels.count == count * 31 * 3)
        seen.next += count
        seen.bytes += pixels
      }
    }
    #expect(seen.withLock { $0.next } == 471)
    #expect(seen.withLock { $0.bytes } == Array(whole[17 * 93..<471 * 93]))
  }

  @Test("an error of whoever takes the strips comes out as it is, and leaves nothing behind")
  func stripError() throws {
    let image = try TestImage.image(31, 500, bands: 1, seed: 1)
    let error = StintError(.io, "The disk is full.")
    #expect(throws: error) {
      try image.forEachStrip(ofRows: 0..<500) { top, _, _ in if top > 0 { throw error } }
    }
    #expect(try image.pixels().count == 31 * 500)
  }

  @Test("the owner of lent pixels lives as long as the last graph over them")
  func owner() throws {
    let shape = TestImage.shape(5, 4, bands: 1)
    weak var watched: PixelMemory?
    var graph: VipsImage?
    do {
      let memory = PixelMemory(sizeBytes: shape.sizeBytes)
      memory.buffer[7] = 200
      watched = memory
      graph = try VipsImage(
        viewing: UnsafeRawBufferPointer(memory.buffer), owner: memory, shape: shape
      ).applying("invert")
    }
    #expect(watched != nil)
    #expect(try graph?.pixels()[7] == 55)
    graph = nil
    #expect(watched == nil)
  }

  @Test("a raw file is an image from an offset on")
  func raw() throws {
    let shape = TestImage.shape(13, 9, bands: 3, format: .uint16)
    let samples = TestImage.samples(shape, seed: 5)
    let folder = try ImageFolder()
    let path = try folder.write(
      [1, 2, 3, 4, 5, 6] + TestImage.bytes(samples, format: .uint16), "a")
    let image = try VipsImage(rawPath: path, shape: shape, offset: 6)
    #expect(image.shape == shape)
    #expect(try TestImage.samples(image.pixels(), format: .uint16) == samples)
    let longer = shape.with(\.height, 10)
    #expect(throws: StintError.self) { try VipsImage(rawPath: path, shape: longer).pixels() }
    withExtendedLifetime(folder) {}
  }

  @Test("fields are read and changed on a copy")
  func fields() throws {
    let image = try TestImage.image(2, 2, bands: 1, seed: 0)
    let edited = try image.editing([
      .blob("xmp-data", [1, 2, 3]), .integer("orientation", 6), .text("comment", "a \"b\""),
    ])
    #expect(edited.blob("xmp-data") == [1, 2, 3])
    #expect(edited.integer("orientation") == 6)
    #expect(edited.text("comment") == "a \"b\"")
    #expect(edited.fieldNames.contains("xmp-data"))
    #expect(edited.blob("orientation") == nil && edited.integer("comment") == nil)
    #expect(!image.has(field: "orientation") && image.blob("xmp-data") == nil)
    #expect(try !edited.editing([.remove("xmp-data"), .remove("none")]).has(field: "xmp-data"))
  }

  @Test("what libvips refuses is one sentence with its words")
  func errors() throws {
    let image = try TestImage.image(4, 4, bands: 1, seed: 0)
    let refused = #expect(throws: StintError.self) {
      try image.applying(
        "extract_area",
        [
          "left": .integer(2), "top": .integer(0), "width": .integer(3), "height": .integer(1),
        ], input: "input")
    }
    // libvips has one list of errors for a process: between the two there may be words on what
    // another test did at the same time.
    #expect(refused?.message.hasPrefix("libvips could not run extract_area: ") == true)
    #expect(refused?.message.hasSuffix("extract_area: bad extract area.") == true)
    let unknown = #expect(throws: StintError.self) { try image.applying("unheard-of") }
    #expect(unknown?.code == .unavailable)
    let argument = #expect(throws: StintError.self) {
      try image.applying("gaussblur", ["sigma": .word("three")])
    }
    #expect(argument?.code == .checkFailed)
    let none = #expect(throws: StintError.self) {
      try VipsImage(.path("/proc/self/no-such-file"), access: .sequential)
    }
    #expect(none?.code == .damaged)
    #expect(throws: StintError.self) { try image.rows(2..<5) }
    #expect(throws: StintError.self) { try image.rows(2..<2) }
    var small: [UInt8] = [0]
    #expect(throws: StintError.self) {
      try small.withUnsafeMutableBytes { try image.evaluate(rows: 0..<4, into: $0) }
    }
  }
}
#endif

#if Images
import StintCore
import StintRuntime
import Testing

@testable import StintImages

@Suite("What a header may declare")
struct SourceLimitTests {
  let folder: ImageFolder

  init() throws { folder = try ImageFolder() }

  /// What is said of a file whose header declares these sides.
  private func refusal(_ name: String) -> StintError? {
    do {
      _ = try ImageSource(SourceFile(folder.path(name)))
      return nil
    } catch {
      return error
    }
  }

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// A TIFF with one strip (TIFF 6.0, section 2).
  private static func tiff(
    _ width: Int, _ height: Int, compression: Int, bits: Int = 1, photometric: Int = 0,
    strip: [UInt8]
  ) -> [UInt8] {
    let fields = [
      (256, width), (257, height), (258, bits), (259, compression), (262, photometric),
      (273, 8 + 2 + 9 * 12 + 4), (277, 1), (278, height), (279, strip.count),
    ]
    var bytes = Array("II".utf8) + little(42, 2) + little(8, 4) + little(fields.count, 2)
    for (tag, value) in fields {
      bytes += little(tag, 2) + little(4, 2) + little(1, 4) + little(value, 4)
    }
    return bytes + little(0, 4) + strip
  }

  @Test("a white drawing of 40,000 x 30,000 in 4 KB of T.6 is read, and half of its file is not")
  func drawing() throws {
    // A row like the one above it is one bit; the last two words end the image (T.6, section 2.2).
    let rows = [UInt8](repeating: 0xFF, count: 30_000 / 8)
    let white = Self.tiff(40_000, 30_000, compression: 4, strip: rows + [0, 0x10, 0x01])
    try folder.write(white, "white")
    let source = try ImageSource(SourceFile(folder.path("white")))
    #expect(source.storedShape.sizeBytes == 1_200_000_000 && source.neededTrust == [])
    let area = try source.openSequentially().area(left: 39_990, top: 200, width: 10, height: 10)
    #expect(try area.pixels().allSatisfy { $0 == 255 })
    let forged = Self.tiff(40_000, 30_000, compression: 4, strip: Array(rows.prefix(1000)))
    try folder.write(forged, "forged")
    let error = try #require(refusal("forged"))
    #expect(error.code == .damaged && error.remedies == [.trust("size")])
    #expect(error.message.contains("one that codes them all has at least 3750"))
  }

  @Test("a size is taken where it is trusted, and the job is the same one")
  func trusted() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try ImageFolder()
      let forged = Self.tiff(40_000, 30_000, compression: 4, strip: [0xFF, 0xFF])
      try folder.write(forged, "forged")
      try VipsLibrary.trust([.size])
      let source = try ImageSource(SourceFile(folder.path("forged")))
      #expect(source.neededTrust == [.size])
      let plan = try ImagePlan(
        source: source, pipeline: FilterPipeline(parsing: ["crop:9x9+0+0"]),
        request: OutputRequest(format: "png", path: nil), threads: 1)
      let parameters = ImageParameters.of(plan, .none(of: source.file))
      #expect(parameters.values["trust"] == "size")
      try VipsLibrary.trust([])
      #expect(throws: StintError.self) { try ImageSource(SourceFile(folder.path("forged"))) }
    }
  }

  /// Lengths of files that libtiff 4.5, zlib 1.2.13 and libvips 8.14 make of one colour.
  @Test(
    "no honest file is below what its coding needs, by the shortest that encoders make",
    arguments: [
      (DensestCoding.packed(bits: 8, ratio: 1032), 1_166_437),
      (.packed(bits: 1, ratio: 1032), 145_895), (.packed(bits: 8, ratio: 2731), 914_462),
      (.packed(bits: 1, ratio: 2731), 111_418), (.packed(bits: 8, ratio: 64), 18_780_362),
      (.rows, 3876),
    ])
  func honest(coding: DensestCoding, sizeBytes: Int) {
    let least = coding.leastBytes(width: 40_000, height: 30_000)
    // LZW could be twice as dense as libtiff makes it, and the others are close.
    #expect(least <= sizeBytes && sizeBytes < 3 * least)
  }

  @Test("the coding is found in the header, and some have no limit")
  func codings() throws {
    for (name, saver, options, expected) in [
      ("png", "pngsave", [:], DensestCoding.packed(bits: 24, ratio: 1032)),
      (
        "bits", "pngsave", ["bitdepth": .integer(1), "palette": .flag(true)],
        .packed(bits: 1, ratio: 1032)
      ),
      ("jpg", "jpegsave", [:], .pixels(1024)),
      ("progressive", "jpegsave", ["interlace": .flag(true)], .pixels(1024)),
      ("gif", "gifsave", [:], .pixels(2731)), ("webp", "webpsave", ["lossless": .flag(true)], nil),
      ("avif", "heifsave", ["compression": .word("av1")], nil),
      ("plain", "tiffsave", [:], .packed(bits: 24, ratio: 1)),
      ("lzw", "tiffsave", ["compression": .word("lzw")], .packed(bits: 24, ratio: 2731)),
      ("deflate", "tiffsave", ["compression": .word("deflate")], .packed(bits: 24, ratio: 1032)),
      ("packbits", "tiffsave", ["compression": .word("packbits")], .packed(bits: 24, ratio: 64)),
      ("zstd", "tiffsave", ["compression": .word("zstd")], nil),
      ("webp in tiff", "tiffsave", ["compression": .word("webp"), "tile": .flag(true)], nil),
    ] as [(String, String, [String: VipsArgument], DensestCoding?)] {
      try folder.save(TestImage.image(32, 32, bands: 3, seed: 1), name, saver, options)
      let file = try SourceFile(folder.path(name))
      let format = try VipsLoader(of: folder.path(name), contents: nil, shownAs: name).format
      #expect(DensestCoding(of: file, page: 0, format: format) == expected, "\(name)")
    }
    for (name, frame, isHuffman) in [("huffman", UInt8(0xC2), true), ("arithmetic", 0xC9, false)] {
      // Any number of ones may stand before a marker.
      try folder.write(
        [0xFF, 0xD8, 0xFF, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, frame, 0, 2, 0, 0], name)
      let coding = DensestCoding(of: try SourceFile(folder.path(name)), page: 0, format: "JPEG")
      #expect((coding != nil) == isHuffman, "\(name)")
    }
  }

  @Test("a GIF of one colour above a gigabyte is read")
  func oneColour() throws {
    let (width, height) = (20_000, 20_000)
    let head = Array("GIF89a".utf8) + Self.little(width, 2) + Self.little(height, 2)
    let colours: [UInt8] = [0x80, 0, 0, 10, 20, 30, 40, 50, 60]
    let frame = [0x2C, 0, 0, 0, 0] + Self.little(width, 2) + Self.little(height, 2) + [0, 2]
    var file = head + colours + frame
    let codes = Self.lzw(width * height)
    for start in stride(from: 0, to: codes.count, by: 255) {
      let block = codes[start..<min(start + 255, codes.count)]
      file += [UInt8(block.count)] + block
    }
    try folder.write(file + [0, 0x3B], "one")
    let source = try ImageSource(SourceFile(folder.path("one")))
    #expect(source.storedShape.sizeBytes > SourceLimits.harmlessBytes)
    // The figure that was asked of all files was 2,064.
    #expect(source.storedShape.sizeBytes / file.count > 3000)
  }

  /// GIF's codes for one symbol again and again (GIF89a, appendix F): two bits a symbol.
  private static func lzw(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var (bits, bitCount) = (0, 0)
    func append(_ code: Int, _ width: Int) {
      bits |= code << bitCount
      bitCount += width
      while bitCount >= 8 {
        bytes.append(UInt8(bits & 255))
        (bits, bitCount) = (bits >> 8, bitCount - 8)
      }
    }
    var left = count
    var width = 3
    append(4, width)
    while left > 0 {
      // The first string is the symbol; each code that follows is the one that it makes.
      var (code, length) = (0, 1)
      while left > 0, code < 4095 {
        append(length <= left ? code : 0, width)
        left -= min(length, left)
        code = code == 0 ? 6 : code + 1
        length += 1
        if code == 1 << width, width < 12 { width += 1 }
      }
      append(left > 0 ? 4 : 5, width)
      width = 3
    }
    append(0, 8)
    return bytes
  }
}
#endif

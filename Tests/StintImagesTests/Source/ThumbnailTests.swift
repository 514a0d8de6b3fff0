#if Images
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

@Suite("Images that are reduced while they are decoded")
struct ThumbnailTests {
  /// What the command `vips thumbnail` makes of a file.
  private static func expected(
    _ path: String, _ arguments: [String: VipsArgument]
  ) throws -> VipsImage {
    let all = arguments.merging(["filename": .text(path)]) { given, _ in given }
    return try VipsImage(owning: VipsOperation.pointer("thumbnail", all, "reduce"))
  }

  private static func expectSame(
    _ fixture: ImageFixture, _ arguments: [String: VipsArgument], _ comment: String = ""
  ) throws {
    let wanted = try expected(fixture.folder.path("source"), arguments)
    #expect(fixture.plan.resultShape.width == wanted.width, "\(comment)")
    #expect(fixture.plan.resultShape.height == wanted.height, "\(comment)")
    // Lossless, and nothing is converted.
    let file = MemoryFile()
    let workspace = MemoryWorkspace()
    let computation = fixture.computation()
    let isWhole = try computation.makeWhole(into: file, stopFlag: StopFlag())
    if !isWhole { try computation.finishBySmallest(in: workspace) }
    let bytes = isWhole ? file.bytes : workspace.file().bytes
    let pixels = try EncoderCase.read(bytes, ending: isWhole ? "webp" : "png").pixels
    let wantedPixels = try wanted.pixels()
    #expect(pixels == wantedPixels, "\(comment)")
  }

  @Test(
    "every form of a size is that of vips thumbnail, for images larger and smaller, lying and standing",
    arguments: [
      ("200", ["width": 200], nil), ("200x90", ["width": 200, "height": 90], nil),
      ("200x", ["width": 200, "height": 10_000_000], nil),
      ("x90", ["width": 10_000_000, "height": 90], nil), ("200>", ["width": 200], "down"),
      ("200<", ["width": 200], "up"), ("200x150!", ["width": 200, "height": 150], "force"),
      ("1", ["width": 1], nil),
      ("width=77,height=99,size=down", ["width": 77, "height": 99], "down"),
    ] as [(String, [String: Int], String?)])
  func sizes(text: String, sides: [String: Int], size: String?) throws {
    var arguments: [String: VipsArgument] = sides.mapValues { .integer($0) }
    if let size { arguments["size"] = .word(size) }
    for (width, height) in [(900, 610), (333, 1201), (30, 20)] {
      for output in ["png", "webp"] {
        try Self.expectSame(
          ImageFixture(
            TestImage.shape(width, height, bands: 3), saver: "jpegsave",
            filters: ["thumbnail:" + text], output: output,
            compression: output == "webp" ? "lossless" : nil),
          arguments, "\(width) x \(height), \(output)")
      }
    }
  }

  @Test("each of EXIF's eight orientations is upright in the result", arguments: 1...8)
  func orientations(orientation: Int) throws {
    for filter in ["thumbnail:150", "thumbnail:150x60!"] {
      try Self.expectSame(
        ImageFixture(
          TestImage.shape(900, 500, bands: 3), saver: "jpegsave",
          edits: [.integer("orientation", orientation)], filters: [filter]),
        filter.hasSuffix("!")
          ? ["width": .integer(150), "height": .integer(60), "size": .word("force")]
          : ["width": .integer(150)], filter)
    }
  }

  @Test(
    "files of every kind that is read",
    arguments: [
      ("pngsave", 3, SampleFormat.uint8, [:]), ("pngsave", 4, .uint8, [:]),
      ("pngsave", 1, .uint8, [:]), ("pngsave", 2, .uint8, [:]), ("pngsave", 3, .uint16, [:]),
      ("tiffsave", 3, .uint8, [:]), ("tiffsave", 4, .uint16, ["tile": .flag(true)]),
      ("tiffsave", 3, .uint8, ["tile": .flag(true), "pyramid": .flag(true)]),
      ("webpsave", 3, .uint8, [:]), ("webpsave", 4, .uint8, [:]),
      ("jpegsave", 1, .uint8, [:]), ("jpegsave", 3, .uint8, ["interlace": .flag(true)]),
      ("gifsave", 3, .uint8, [:]),
    ] as [(String, Int, SampleFormat, [String: VipsArgument])])
  func formats(
    saver: String, bands: Int, format: SampleFormat, options: [String: VipsArgument]
  ) throws {
    try Self.expectSame(
      ImageFixture(
        TestImage.shape(500, 380, bands: bands, format: format), saver: saver, options: options,
        filters: ["thumbnail:120"]), ["width": .integer(120)])
  }

  @Test("a damaged file is refused, and names itself")
  func damaged() throws {
    #expect {
      let fixture = try ImageFixture(
        TestImage.shape(900, 700, bands: 3), saver: "jpegsave", filters: ["thumbnail:100"],
        isDamaged: true)
      try fixture.computation().finishBySmallest(in: MemoryWorkspace())
    } throws: {
      ($0 as? StintError)?.code == .damaged && "\($0)".contains("source")
    }
  }
}
#endif

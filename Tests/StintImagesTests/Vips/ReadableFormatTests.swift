#if Images
import Foundation
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintImages

/// What is blocked counts for a process, so whatever is trusted here is trusted in one of its own.
@Suite("Formats that are read")
struct ReadableFormatTests {
  /// A row of the table of formats in `docs/images.md`.
  private struct Row: Hashable {
    var name: String
    var endings: [String]
    var read: String
    var written: String
  }

  private static let formats = UntrustedFormat.allCases.filter { $0 != .size }

  private static func page() throws -> [Row] {
    let url = URL(filePath: "../../../docs/images.md", relativeTo: URL(filePath: #filePath))
    let page = try String(contentsOf: url, encoding: .utf8)
    let begin = try #require(page.range(of: "| format | extensions | read | written |\n"))
    return page[begin.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .dropFirst().prefix { $0.hasPrefix("|") }
      .map { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return Row(
          name: cells[0], endings: cells[1].components(separatedBy: ", "), read: cells[2],
          written: cells[3])
      }
  }

  @Test("the table of formats lists what is written, and what is read if it is trusted")
  func table() throws {
    let rows = try Self.page()
    let written = rows.filter { $0.written != "no" }
    #expect(written.map(\.name) == OutputFormat.allCases.map(\.name))
    #expect(written.map(\.endings) == OutputFormat.allCases.map(\.pathExtensions))
    #expect(
      written.map(\.written)
        == OutputFormat.allCases.map { $0.trust.map { "with `--trust \($0)`" } ?? "yes" })
    for format in Self.formats {
      let row = try #require(rows.first { $0.read == "with `--trust \(format)`" })
      #expect(Set(row.endings).isSubset(of: format.pathExtensions))
    }
    #expect(
      rows.filter { $0.read.contains("--trust") }.count == Self.formats.count)
    #expect(
      rows.filter { !["yes", "no"].contains($0.read) }.count == Self.formats.count)
  }

  @Test("it lists as read what the loaders of libvips that are not blocked read, and no other")
  func loaders() throws {
    try VipsLibrary.start()
    _ = VipsLibrary.loadsModule
    var open = Set(LoaderNames.open.map(VipsLoader.format(of:)))
    // Bare pixels are only read from files of the job's own, and a matrix is no image.
    #expect(open.remove("Raw") != nil && open.remove("Matrix") != nil)
    let names = try Self.page().filter { $0.read == "yes" }.map(\.name)
    #expect(Set(names.map { ["AVIF", "HEIC"].contains($0) ? "HEIF" : $0 }) == open)
  }

  @Test("what is written is read, but for what has to be trusted")
  func written() throws {
    let folder = try ImageFolder()
    let shape = TestImage.shape(64, 48, bands: 3)
    for format in OutputFormat.allCases where format.trust == nil {
      let saver: (name: String, options: [String: VipsArgument]) =
        switch format {
        case .png: ("pngsave", [:])
        case .tiff: ("tiffsave", [:])
        case .jpeg: ("jpegsave", [:])
        case .webp: ("webpsave", [:])
        case .avif: ("heifsave", ["compression": .word("av1")])
        case .heic: ("heifsave", ["compression": .word("hevc")])
        case .gif: ("gifsave", [:])
        case .pnm, .jxl, .jp2: ("ppmsave", [:])
        }
      try folder.save(TestImage.image(shape, seed: 1), "a", saver.name, saver.options)
      let file = try SourceFile(folder.path("a"))
      let row = try #require(try Self.page().first { $0.name == format.name })
      let isRead = (try? ImageSource(file)) != nil
      #expect(isRead == (row.read == "yes"), "\(format)")
    }
  }

  /// 4 x 4 pixels of the colour 10, 200, 30, without loss.
  private static let jxl: [UInt8] = [
    0xff, 0x0a, 0x18, 0x10, 0x10, 0x09, 0x08, 0x02, 0x01, 0x00, 0x44, 0x00, 0x4b, 0x18, 0x8b,
    0x15, 0xc2, 0x49, 0x42, 0xe5, 0x05, 0x22, 0x00, 0x88, 0xe6, 0x7b, 0x0a, 0x00, 0x00,
  ]

  /// A file of each format, named for it, and the pixels of those that are not JPEG XL.
  private static func write(to folder: ImageFolder) throws -> [UInt8] {
    let image = try TestImage.image(12, 9, bands: 3, seed: 4)
    try folder.write(jxl, "jxl")
    try folder.save(image, "jp2", "jp2ksave", ["lossless": .flag(true)])
    try folder.save(image, "ppm", "ppmsave")
    return try image.pixels()
  }

  private static func refusal(_ name: String, in folder: ImageFolder) throws -> StintError? {
    do {
      _ = try ImageSource(SourceFile(folder.path(name)))
      return nil
    } catch {
      return error
    }
  }

  @Test("a format that libvips does not trust is refused by name, with what would let it in")
  func untrusted() throws {
    let folder = try ImageFolder()
    _ = try Self.write(to: folder)
    try folder.write([0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A], "boxes")
    for (name, format) in [("jxl", .jxl), ("boxes", .jxl), ("jp2", .jp2), ("ppm", .ppm)]
      as [(String, UntrustedFormat)]
    {
      let error = try #require(try Self.refusal(name, in: folder))
      #expect(error.code == .damaged && error.message.contains("is \(format.name), which"))
      #expect(error.remedies == [.trust(format.rawValue)])
    }
  }

  @Test(
    "trusting formats lets in those alone, with their pixels",
    arguments: [["jxl"], ["jp2"], ["ppm"], ["jp2", "jxl"]])
  func trusted(words: [String]) async throws {
    await #expect(processExitsWith: .success) { [words] in
      let folder = try ImageFolder()
      let pixels = try Self.write(to: folder)
      let before = LoaderNames.open
      try VipsLibrary.trust(UntrustedFormat.set(words))
      for format in Self.formats {
        let isRefused = try Self.refusal(format.rawValue, in: folder) != nil
        #expect(isRefused == !words.contains(format.rawValue))
      }
      for word in words {
        let source = try ImageSource(SourceFile(folder.path(word)))
        let expected =
          word == "jxl" ? [UInt8]((0..<48).map { [10, 200, 30][$0 % 3] }) : pixels
        #expect(try source.openSequentially().pixels() == expected)
        #expect(source.loader.trustedFormat?.rawValue == word && source.pageCount == 1)
      }
      let added = Set(LoaderNames.open).subtracting(before)
      #expect(Set(added.compactMap { UntrustedFormat(loader: $0)?.rawValue }) == Set(words))
      #expect(added.allSatisfy { UntrustedFormat(loader: $0) != nil })
    }
  }

  @Test("a file of a trusted format that is cut off is refused, and so is one that is none")
  func cutOff() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try ImageFolder()
      try VipsLibrary.trust(Set(UntrustedFormat.allCases))
      _ = try Self.write(to: folder)
      for name in ["jxl", "jp2", "ppm"] {
        let bytes = try folder.bytes(name)
        try folder.write(Array(bytes.prefix(bytes.count * 2 / 3)), "cut")
        #expect(throws: StintError.self) {
          let source = try ImageSource(SourceFile(folder.path("cut")))
          _ = try source.openSequentially().pixels()
        }
      }
    }
  }

  @Test(
    "W8 every cut of work on a trusted format gives the same bytes as no cut",
    arguments: ["jxl", "jp2", "ppm"])
  func cuts(word: String) async throws {
    await #expect(processExitsWith: .success) { @MainActor [word] in
      try VipsLibrary.trust(UntrustedFormat.set([word]))
      let saver = ["jxl": "jxlsave", "jp2": "jp2ksave", "ppm": "ppmsave"][word] ?? ""
      let options: [String: VipsArgument] = word == "ppm" ? [:] : ["lossless": .flag(true)]
      for output in ["png", "webp"] {
        var fixture = try ImageFixture(
          TestImage.shape(131, 257, bands: 3), saver: saver, options: options,
          filters: ["median:3"], output: output, compression: output == "webp" ? "lossless" : nil)
        for streams in [false, true] {
          fixture.streams = streams
          let computation = fixture.computation()
          #expect(throws: Never.self) {
            try expectSameResult(
              of: computation, underAnyCut: Cut.Kind.allCases,
              conditions: .ofImages(streams: streams))
          }
        }
        let workspace = MemoryWorkspace()
        try fixture.computation().finishBySmallest(in: workspace)
        #expect(try ImageFile.pixels(workspace.file().bytes).pixels == fixture.expectedPixels())
        #expect(fixture.computation().parameters.values["trust"] == word)
      }
    }
  }

  @Test(
    "what needs trust is written where it is trusted, and reads back exactly",
    arguments: [OutputFormat.jxl, .jp2])
  func writtenWithTrust(format: OutputFormat) async throws {
    let word = try #require(format.trust?.rawValue)
    #expect(OutputFormat(rawValue: word) == format)
    await #expect(processExitsWith: .success) { [word = word as String] in
      let format = try #require(OutputFormat(rawValue: word))
      try VipsLibrary.trust(UntrustedFormat.set([word]))
      for (color, hasAlpha, sample) in [
        (.gray, false, .unsigned8), (.gray, true, .unsigned16), (.rgb, false, .unsigned8),
        (.rgb, false, .unsigned16), (.rgb, true, .unsigned8),
      ] as [(PixelShape.Color, Bool, PixelShape.Sample)] {
        let shape = PixelShape(
          width: 611, height: 43, color: color, hasAlpha: hasAlpha, sample: sample)
        var generator = SeededGenerator(seed: 5)
        let pixels = EncoderCase.pixels(shape, &generator)
        let image = try EncoderCase.image(pixels, shape)
        var files: [[UInt8]] = []
        let encoder = try WholeFileEncoder(
          format: format, shape: shape, options: .init(isLossless: true))
        for _ in 0..<2 {
          let file = MemoryFile([1, 2, 3])
          #expect(try encoder.encode(image, into: file))
          files.append(file.bytes)
        }
        #expect(files[0] == files[1] && files[0].count <= encoder.largestFileBytes)
        let read = try EncoderCase.read(files[0], ending: format.pathExtensions[0])
        #expect(read.image.shape == shape.imageShape)
        #expect(read.pixels == pixels)
        // The decoder of JPEG XL gives a profile to images without one.
        guard let profile = read.image.blob("icc-profile-data") else { continue }
        let again = MemoryFile()
        let metadata = ImageMetadata(profile: profile)
        try WholeFileEncoder(
          format: format, shape: shape, options: .init(isLossless: true), metadata: metadata
        ).encode(image, into: again)
        let kept = try EncoderCase.read(again.bytes, ending: format.pathExtensions[0])
        #expect(kept.image.blob("icc-profile-data") == profile && kept.pixels == pixels)
        #expect(format.lost(of: metadata, shape: shape).isEmpty)
      }
    }
  }

  @Test("words that name no such format are refused with those that do")
  func words() throws {
    #expect(try UntrustedFormat.set(["JXL", "ppm", "ppm"]) == [.jxl, .ppm])
    #expect(UntrustedFormat.text([.ppm, .jxl]) == "jxl,ppm" && UntrustedFormat.text([]) == nil)
    #expect(UntrustedFormat.set(stored: "jxl,ppm") == [.jxl, .ppm])
    #expect(UntrustedFormat.set(stored: nil) == [] && UntrustedFormat.set(stored: "svg") == nil)
    let error = #expect(throws: StintError.self) { try UntrustedFormat.set(["svg"]) }
    #expect(error?.code == .usage && error?.message.contains("jxl, jp2, ppm") == true)
  }

  @Test("BMP is refused by name with what to do, and what only begins like it is not")
  func bitmap() throws {
    let folder = try ImageFolder()
    let bitmap: [UInt8] =
      Array("BM".utf8) + [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0]
      + [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0] + [UInt8](repeating: 0, count: 28)
    try folder.write(bitmap, "bitmap")
    let error = try #require(try Self.refusal("bitmap", in: folder))
    #expect(error.code == .damaged && error.message.contains("is BMP, which"))
    #expect(error.message.contains("convert it to PNG") && error.remedies.isEmpty)
    try folder.write(Array("BMW, and other words of a text".utf8), "text")
    #expect(try Self.refusal("text", in: folder)?.message.contains("BMP") == false)
  }
}
#endif

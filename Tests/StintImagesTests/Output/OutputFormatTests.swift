#if Images
import Foundation
import StintRuntime
import StintCore
@testable import StintImages
import StintTesting
import Testing

@Suite("Formats that are written")
struct OutputFormatTests {
  @Test("the page on images promises the formats that are written, and no other")
  func page() throws {
    let url = URL(filePath: "../../../docs/images.md", relativeTo: URL(filePath: #filePath))
    let page = try String(contentsOf: url, encoding: .utf8)
    let begin = try #require(page.range(of: "suffix of OUT or `--format`: "))
    let list = page[begin.upperBound...].prefix { $0 != "." }
    #expect(
      list.split { $0 == "," || $0.isWhitespace }.map(String.init).sorted()
        == OutputFormat.allCases.map(\.rawValue).sorted())
  }

  @Test(
    "a side above the format's limit is refused with the limit and what to do",
    arguments: [
      (OutputFormat.jpeg, 65_500), (.webp, 16_383), (.gif, 65_535), (.avif, 32_768),
    ])
  func sides(format: OutputFormat, limit: Int) throws {
    try format.check(PixelShape(width: limit, height: 1, color: .rgb))
    try format.check(PixelShape(width: 1, height: limit, color: .rgb))
    for (width, height) in [(limit + 1, 1), (1, limit + 1)] {
      let error = #expect(throws: StintError.self) {
        try format.check(PixelShape(width: width, height: height, color: .rgb))
      }
      #expect(error?.code == .usage)
      #expect(error?.message.contains("\(limit)") == true)
      #expect(error?.message.contains("write PNG") == true)
    }
  }

  @Test("advice names only formats that hold the image, by their limits")
  func advice() {
    let cases: [(OutputFormat, PixelShape, String)] = [
      (.jpeg, PixelShape(width: 65_501, height: 9, color: .rgb), "write PNG or TIFF, or resize"),
      (.avif, PixelShape(width: 9, height: 33_000, color: .rgb), "write PNG, TIFF or JPEG, or"),
      (
        .gif, PixelShape(width: 70_000, height: 9, color: .gray, sample: .unsigned16),
        "write PNG or TIFF, or"
      ),
      (.webp, PixelShape(width: 70_000, height: 9, color: .cmyk), "write TIFF, or resize"),
      (.png, PixelShape(width: 9, height: 9, color: .cmyk, sample: .unsigned16), "write TIFF."),
    ]
    for (format, shape, words) in cases {
      let error = #expect(throws: StintError.self) { try format.check(shape) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
  }

  @Test("pixels that a format cannot hold are refused")
  func pixels() throws {
    let refused: [(OutputFormat, PixelShape.Color, Bool, PixelShape.Sample, String)] = [
      (.png, .cmyk, false, .unsigned8, "PNG has no CMYK pixels; write TIFF or JPEG."),
      (.jpeg, .rgb, true, .unsigned8, "JPEG has no alpha"),
      (.pnm, .gray, true, .unsigned8, "PNM has no alpha"),
      (.png, .gray, false, .float32, "PNG has no floating-point samples"),
      (.jpeg, .cmyk, true, .unsigned8, "JPEG has no alpha"),
      (.jpeg, .rgb, true, .float32, "JPEG has no alpha"),
      (.webp, .cmyk, false, .unsigned8, "WebP has no CMYK pixels"),
    ]
    for (format, color, hasAlpha, sample, words) in refused {
      let shape = PixelShape(
        width: 4, height: 4, color: color, hasAlpha: hasAlpha, sample: sample)
      let error = #expect(throws: StintError.self) { try format.check(shape) }
      #expect(error?.message.hasPrefix(words) == true)
      let canFlatten = color != .cmyk && sample != .float32
      #expect(
        error?.remedies.contains(.background) == (words.contains("no alpha") && canFlatten))
    }
    #expect(throws: StintError.self) {
      try PNGEncoder(shape: PixelShape(width: 4, height: 4, color: .cmyk))
    }
  }

  @Test("what a format changes is said")
  func conversions() {
    let deep = PixelShape(width: 4, height: 4, color: .gray, sample: .unsigned16)
    #expect(OutputFormat.png.conversions(of: deep) == [])
    #expect(
      OutputFormat.jpeg.conversions(of: deep)
        == ["JPEG has 8 bits a sample; the result's 16 bits are rounded to them."])
    #expect(OutputFormat.webp.conversions(of: deep).count == 2)
    #expect(OutputFormat.gif.conversions(of: deep).count == 2)
  }

  @Test("a path's ending chooses the format, and a strange one is refused with the endings")
  func paths() throws {
    #expect(try OutputFormat(path: "/a.b/c.JPG") == .jpeg)
    #expect(try OutputFormat(path: "x.tiff") == .tiff)
    #expect(OutputFormat(named: "JPEG") == .jpeg)
    #expect(try OutputFormat(path: "x.JFIF") == .jpeg)
    for path in ["x", "a.png/x", "x.doc", ".png/", "x."] {
      let error = #expect(throws: StintError.self) { try OutputFormat(path: path) }
      #expect(error?.code == .usage)
      #expect(error?.message.contains(".png, .tif, .jpg") == true)
    }
  }

  @Test("shapes of libvips become shapes of files, or are refused")
  func shapes() throws {
    for color in PixelShape.Color.allCases {
      for sample in PixelShape.Sample.allCases {
        for hasAlpha in [false, true] {
          let shape = PixelShape(
            width: 3, height: 5, color: color, hasAlpha: hasAlpha, sample: sample)
          #expect(try PixelShape(shape.imageShape) == shape)
        }
      }
    }
    let strange = [
      ImageShape(width: 1, height: 1, bands: 3, format: .uint8, colourSpace: .lab),
      ImageShape(width: 1, height: 1, bands: 3, format: .double, colourSpace: .srgb),
      ImageShape(width: 1, height: 1, bands: 5, format: .uint8, colourSpace: .srgb),
      ImageShape(width: 1, height: 1, bands: 7, format: .uint8, colourSpace: .multiband),
    ]
    for shape in strange {
      let error = #expect(throws: StintError.self) { try PixelShape(shape) }
      #expect(error?.code == .usage)
    }
  }

  @Test(
    "a file that is written at once holds the pixels, exactly where the format can",
    arguments: OutputFormat.allCases.filter { !$0.isResumable && $0.trust == nil })
  func whole(format: OutputFormat) throws {
    for sample in [PixelShape.Sample.unsigned8, .unsigned16] {
      let shape = PixelShape(width: 61, height: 43, color: .rgb, sample: sample)
      var generator = SeededGenerator(seed: 5)
      let pixels = EncoderCase.pixels(shape, &generator)
      let image = try EncoderCase.image(pixels, shape)
      let encoder = try WholeFileEncoder(
        format: format, shape: shape, options: .init(isLossless: true))
      let file = MemoryFile([1, 2, 3])
      #expect(try encoder.encode(image, into: file))
      #expect(file.sizeBytes <= encoder.largestFileBytes)
      if format == .pnm {
        // libvips reads none that it does not trust; behind the header are the bare samples, more
        // significant byte first.
        let plain = sample == .unsigned8 ? pixels : swapped(pixels)
        #expect(file.bytes.suffix(pixels.count) == plain[...])
        #expect(String(decoding: file.bytes.prefix(2), as: UTF8.self) == "P6")
        continue
      }
      let read = try EncoderCase.read(file.bytes, ending: format.pathExtensions[0])
      #expect(read.image.width == 61 && read.image.height == 43)
      if format == .webp, sample == .unsigned8 {
        #expect(read.pixels == pixels)
      }
    }
  }

  private func swapped(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: 2).flatMap { [bytes[$0 + 1], bytes[$0]] }
  }

  @Test("a raised flag ends an encoder that writes all at once without an error")
  func stop() throws {
    let shape = PixelShape(width: 300, height: 300, color: .rgb)
    let image = try VipsImage.making(
      "black", ["width": .integer(300), "height": .integer(300), "bands": .integer(3)])
    let encoder = try WholeFileEncoder(format: .pnm, shape: shape)
    #expect(try !encoder.encode(image, stopFlag: .raised, into: MemoryFile()))
    #expect(throws: StintError.self) { try WholeFileEncoder(format: .png, shape: shape) }
    #expect(throws: StintError.self) {
      try WholeFileEncoder(format: .jpeg, shape: shape, options: .init(quality: 101))
    }
  }

  @Test("a file that may pass 4 GiB has 64-bit offsets, whatever its pixels")
  func bigTIFF() throws {
    for (height, version) in [(20_000, 42), (36_000, 43)] {
      let shape = PixelShape(width: 40_000, height: height, color: .rgb)
      let file = MemoryFile()
      let encoder = try TIFFEncoder(shape: shape, options: .init(compression: .none))
      _ = try encoder.begin(into: file)
      #expect(file.bytes[2] == version)
    }
  }
}
#endif

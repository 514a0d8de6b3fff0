#if Images
import StintCore
import StintImages
import Testing

@Suite("Filters against libvips' own operations")
struct LibvipsFilterTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let text: String
    let operation: String
    var arguments: [String: VipsArgument] = [:]
    var formats: [SampleFormat] = [.uint8, .uint16]
    var testDescription: String { text }
  }

  static let pairs: [Pair] = [
    Pair(text: "gaussian-blur:3", operation: "gaussblur", arguments: ["sigma": .number(3)]),
    Pair(text: "gaussian-blur:0.6", operation: "gaussblur", arguments: ["sigma": .number(0.6)]),
    Pair(
      text: "gaussian-blur:2,cutoff=0.01", operation: "gaussblur",
      arguments: ["sigma": .number(2), "min-ampl": .number(0.01)]),
    Pair(
      text: "median", operation: "rank",
      arguments: ["width": .integer(3), "height": .integer(3), "index": .integer(4)]),
    Pair(
      text: "median:7", operation: "rank",
      arguments: ["width": .integer(7), "height": .integer(7), "index": .integer(24)],
      formats: [.uint16]),
    Pair(text: "sobel", operation: "sobel"),
    Pair(
      text: "canny", operation: "canny", arguments: ["precision": .word("integer")],
      formats: [.uint8]),
    Pair(text: "invert", operation: "invert"),
    Pair(text: "rotate:90", operation: "rot", arguments: ["angle": .word("d90")]),
    Pair(text: "rotate:270", operation: "rot", arguments: ["angle": .word("d270")]),
    Pair(
      text: "flip:vertical", operation: "flip", arguments: ["direction": .word("vertical")]),
    Pair(text: "equalise", operation: "hist_equal"),
    Pair(text: "resize:50%", operation: "resize", arguments: ["scale": .number(0.5)]),
    Pair(
      text: "resize:30%", operation: "resize", arguments: ["scale": .number(0.3)]),
    Pair(
      text: "resize:101x211", operation: "resize",
      arguments: ["scale": .number(101.0 / 337), "vscale": .number(211.0 / 226)]),
    Pair(
      text: "resize:150%", operation: "resize",
      arguments: ["scale": .number(506.0 / 337), "vscale": .number(339.0 / 226)]),
    Pair(
      text: "resize:101x300,kernel=mitchell", operation: "resize",
      arguments: [
        "scale": .number(101.0 / 337), "vscale": .number(300.0 / 226), "kernel": .word("mitchell"),
      ]),
    Pair(text: "resize:37%", operation: "resize", arguments: ["scale": .number(0.37)]),
    Pair(
      text: "resize:100", operation: "resize", arguments: ["scale": .number(100.0 / 337)]),
  ]

  @Test("the pixels are those of the operation on the whole image", arguments: pairs)
  func equal(pair: Pair) throws {
    for (format, bands) in [(SampleFormat.uint8, 3), (.uint16, 1)]
    where pair.formats.contains(format) {
      let image = try TestImage.image(337, 226, bands: bands, format: format, seed: 8)
      let expected = try image.applying(pair.operation, pair.arguments)
      let found = try FilterVariants.graph(pair.text, over: image)
      #expect(found.width == expected.width && found.height == expected.height, "\(pair.text)")
      #expect(found.format == expected.format && found.shape.bands == bands, "\(pair.text)")
      #expect(try FilterBandTests.inBands(found, seed: 5) == expected.pixels(), "\(pair.text)")
    }
  }

  @Test("large reductions are libvips' with a mean of 8 and of 4 pixels first")
  func reductions() throws {
    for format in [SampleFormat.uint8, .uint16] {
      let image = try TestImage.image(337, 226, bands: 3, format: format, seed: 8)
      let (across, down) = (337.0 / 20, 226.0 / 20)
      let expected = try image.applying(
        "reducev", ["vshrink": .number(down), "gap": .number(down / 4.5)]
      ).applying("reduceh", ["hshrink": .number(across), "gap": .number(across / 8.5)])
      let found = try FilterVariants.graph("resize:20x20", over: image)
      #expect(try found.pixels() == expected.pixels())
    }
  }

  @Test("a resize has the size that was asked for", arguments: UInt64(0)..<60)
  func sizes(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    let width = Int.random(in: 1...400, using: &numbers)
    let height = Int.random(in: 1...400, using: &numbers)
    let newWidth = Int.random(in: 1...700, using: &numbers)
    let newHeight = Int.random(in: 1...700, using: &numbers)
    let kernel = ["nearest", "linear", "lanczos3"][Int(seed % 3)]
    let image = try TestImage.image(width, height, bands: 1, seed: seed)
    let text = "resize:\(newWidth)x\(newHeight),kernel=\(kernel)"
    let graph = try FilterVariants.graph(text, over: image)
    #expect(graph.width == newWidth && graph.height == newHeight, "\(width) x \(height), \(text)")
    #expect(
      try FilterBandTests.inBands(graph, seed: seed) == graph.pixels(),
      "\(width) x \(height), \(text)")
  }

  @Test("floating-point images are moved and blurred, and refused where light and dark matter")
  func floats() throws {
    let image = try TestImage.image(30, 20, bands: 3, seed: 1)
      .applying("colourspace", ["space": .word("scrgb")])
    #expect(image.format == .float)
    for text in [
      "gaussian-blur:2", "box-blur:2", "median", "resize:40%", "rotate:90", "flip:horizontal",
    ] {
      let graph = try FilterVariants.graph(text, over: image)
      #expect(graph.format == .float, "\(text)")
      #expect(try FilterBandTests.inBands(graph, seed: 1) == graph.pixels(), "\(text)")
    }
    for text in ["gamma:2", "sobel", "equalise", "grayscale", "clahe", "invert"] {
      let error = #expect(throws: StintError.self) {
        try FilterPipeline(parsing: [text]).graph(over: image)
      }
      #expect(error?.message.contains("32-bit floating-point linear light") == true)
    }
  }

  @Test("CMYK is moved, blurred and inverted, and refused where light and dark matter")
  func cmyk() throws {
    let image = try TestImage.image(30, 20, bands: 4, colourSpace: .cmyk, seed: 1)
    for text in ["gaussian-blur:2", "median", "invert", "sharpen", "rotate:90", "resize:40%"] {
      let graph = try FilterVariants.graph(text, over: image)
      #expect(graph.colourSpace == .cmyk && graph.bands == 4, "\(text)")
    }
    #expect(
      try FilterVariants.samples("invert", over: image)
        == TestImage.samples(image.pixels(), format: .uint8).map { 255 - $0 })
    for text in ["gamma:2", "threshold", "equalise", "grayscale", "clahe", "sepia"] {
      let error = #expect(throws: StintError.self) {
        try FilterPipeline(parsing: [text]).outputShape(of: image.shape)
      }
      #expect(error?.message.contains("CMYK") == true)
    }
  }
}
#endif

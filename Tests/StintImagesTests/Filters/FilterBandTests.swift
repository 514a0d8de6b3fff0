#if Images
import Foundation
import StintCore
import StintImages
import Testing

@Suite("Filters by bands")
struct FilterBandTests {
  /// The image in bands whose heights a seed draws.
  static func inBands(_ image: VipsImage, seed: UInt64) throws -> [UInt8] {
    try TestImage.cuts(height: image.height, seed: seed).flatMap { rows in
      try VipsImageTests.evaluated(image, rows: rows)
    }
  }

  @Test(
    "W8 every filter: bands of any heights are the whole image, of the shape that was said",
    arguments: FilterVariants.all)
  func bands(text: String) throws {
    for (index, shape) in FilterVariants.shapes.enumerated() {
      let image = try TestImage.image(shape, seed: UInt64(index))
      let whole = try FilterVariants.graph(text, over: image, seed: 1)
      let expected = try whole.pixels()
      let pipeline = try FilterPipeline(parsing: [text])
      #expect(try whole.shape == pipeline.outputShape(of: shape), "\(text), \(shape.phrase)")
      #expect(try pipeline.cost(of: shape) >= 0 && pipeline.reach(in: shape) >= 0)
      // With statistics, a second graph from other cuts.
      let needsPass = !pipeline.statisticsSteps.isEmpty
      let graph = needsPass ? try FilterVariants.graph(text, over: image, seed: 77) : whole
      for seed in UInt64(0)..<2 {
        #expect(
          try Self.inBands(graph, seed: seed &+ UInt64(index)) == expected,
          "\(text), \(shape.phrase), seed \(seed)")
      }
    }
  }

  @Test(
    "W8 every filter over several of libvips' tiles: bands are the whole image, and so are columns",
    arguments: FilterVariants.all)
  func tiles(text: String) throws {
    let isFull = ProcessInfo.processInfo.environment["STINT_FULL"] != nil
    let kinds = [(3, SampleFormat.uint8), (4, .uint8), (1, .uint16)]
    for (bands, format) in isFull ? kinds : [kinds[text.utf8.count % kinds.count]] {
      let image = try TestImage.image(301, 307, bands: bands, format: format, seed: 4)
      let graph = try FilterVariants.graph(text, over: image)
      let expected = try graph.pixels()
      #expect(try Self.inBands(graph, seed: 9) == expected, "\(text), \(bands) bands, \(format)")
      try Self.expectColumns(of: graph, equal: expected, text)
    }
  }

  /// Places of regions that no band of rows would ask for must make no difference either.
  static func expectColumns(of image: VipsImage, equal expected: [UInt8], _ text: String) throws {
    let pixelBytes = image.rowBytes / image.width
    var left = 0
    while left < image.width {
      let width = min(image.width - left, 97)
      let columns = try image.applying(
        "extract_area",
        [
          "left": .integer(left), "top": .integer(0), "width": .integer(width),
          "height": .integer(image.height),
        ], input: "input"
      ).pixels()
      for y in 0..<image.height {
        let start = y * image.rowBytes + left * pixelBytes
        let row = columns[y * width * pixelBytes..<(y + 1) * width * pixelBytes]
        guard row.elementsEqual(expected[start..<start + width * pixelBytes]) else {
          Issue.record("\(text): row \(y) from column \(left) differs")
          return
        }
      }
      left += width
    }
  }

  @Test("W8 filters after one another: bands are the whole image", arguments: UInt64(0)..<24)
  func pipelines(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    let texts = (0..<Int.random(in: 2...6, using: &numbers)).map { _ in
      FilterVariants.all.randomElement(using: &numbers) ?? "invert"
    }
    let bands = Int.random(in: 1...4, using: &numbers)
    let image = try TestImage.image(
      143, 171, bands: bands, format: seed % 3 == 0 ? .uint16 : .uint8, seed: seed)
    let pipeline = try FilterPipeline(parsing: texts)
    let output = try pipeline.outputShape(of: image.shape)
    let first = try pipeline.graph(
      over: image, statistics: FilterVariants.statistics(of: pipeline, over: image, seed: 1))
    #expect(first.shape == output, "\(texts)")
    let expected = try first.pixels()
    let second = try pipeline.graph(
      over: image, statistics: FilterVariants.statistics(of: pipeline, over: image, seed: seed &+ 2)
    )
    #expect(try Self.inBands(second, seed: seed) == expected, "\(texts), seed \(seed)")
  }

  @Test(
    "the check catches bands that are computed without their surroundings",
    arguments: [
      "gaussian-blur:3", "box-blur:2", "median", "sharpen", "sobel", "canny", "laplacian", "emboss",
      "convolve:1/1/1", "clahe:9", "equalise", "resize:37%",
    ])
  func planted(text: String) throws {
    let image = try TestImage.image(61, 80, bands: 1, seed: 3)
    let expected = try FilterVariants.graph(text, over: image).pixels()
    let cut = try [0..<40, 40..<80].flatMap { rows in
      try FilterVariants.graph(text, over: image.rows(rows)).pixels()
    }
    #expect(cut != expected)
  }

  @Test("a row depends on nothing beyond a filter's reach", arguments: FilterVariants.all)
  func reach(text: String) throws {
    let shape = TestImage.shape(24, 300, bands: 3)
    let pipeline = try FilterPipeline(parsing: [text])
    guard pipeline.statisticsSteps.isEmpty, try pipeline.outputShape(of: shape).height == 300 else {
      return
    }
    let reach = try pipeline.reach(in: shape)
    var samples = TestImage.samples(shape, seed: 5)
    let before = try pipeline.graph(over: TestImage.image(samples, shape: shape)).pixels()
    for index in 0..<24 * 3 * 150 { samples[index] = 255 - samples[index] }
    let graph = try pipeline.graph(over: TestImage.image(samples, shape: shape))
    let after = try graph.pixels()
    let first = (150 + reach) * graph.rowBytes
    guard !text.contains("vertical"), !text.contains("rotate") else { return }
    #expect(before[first...] == after[first...], "\(text), reach \(reach)")
  }
}
#endif

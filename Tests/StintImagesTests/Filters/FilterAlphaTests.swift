#if Images
import StintCore
import Testing

@testable import StintImages

@Suite("Filters and alpha")
struct FilterAlphaTests {
  /// Filters whose result at a pixel must not depend on the colour of transparent ones.
  static let weighing = [
    "gaussian-blur:2", "box-blur:3", "median:3", "median:5", "sharpen:1.5", "sobel", "canny",
    "laplacian", "emboss", "convolve:1,2,1/2,4,2/1,2,1", "convolve:0,-1,0/-1,4,-1/0,-1,0",
    "resize:40%", "resize:170%",
  ]

  static func shape(_ format: SampleFormat) -> ImageShape {
    TestImage.shape(41, 37, bands: 4, format: format)
  }

  @Test(
    "what passes an image on as it is takes any image",
    arguments: [
      (4, SampleFormat.uint8, ColourSpace.cmyk, "flatten:white"),
      (1, .float, .grey, "flatten:white"), (3, .float, .scrgb, "flatten:red"),
      (4, .uint16, .cmyk, "flatten:white"), (1, .float, .grey, "grayscale"),
    ])
  func passedOn(bands: Int, format: SampleFormat, colourSpace: ColourSpace, text: String) throws {
    let shape = TestImage.shape(9, 7, bands: bands, format: format, colourSpace: colourSpace)
    let pipeline = try FilterPipeline(parsing: [text])
    #expect(try pipeline.outputShape(of: shape) == shape)
    let image = try VipsImage.making(
      "black", ["width": .integer(9), "height": .integer(7), "bands": .integer(bands)]
    ).cast(format).relabelled(colourSpace)
    #expect(try pipeline.graph(over: image).pixels() == image.pixels())
    // With alpha, or with colour, there is something to do, of which the filter knows nothing.
    let colour = shape.with(\.bands, 3).with(\.colourSpace, .scrgb)
    let refused = text == "grayscale" ? colour : shape.with(\.bands, bands + 1)
    #expect(throws: StintError.self) { try pipeline.outputShape(of: refused) }
  }

  @Test("the colour of transparent pixels never comes into visible ones", arguments: weighing)
  func hidden(text: String) throws {
    for format in [SampleFormat.uint8, .uint16] {
      let shape = Self.shape(format)
      var samples = TestImage.samples(shape, seed: 2)
      for index in stride(from: 3, to: samples.count, by: 4) where samples[index] < 9_999 {
        samples[index] = index % 3 == 0 ? 0 : samples[index]
      }
      let before = try FilterVariants.samples(text, over: TestImage.image(samples, shape: shape))
      for pixel in stride(from: 0, to: samples.count, by: 4) where samples[pixel + 3] == 0 {
        for band in 0..<3 {
          samples[pixel + band] = Int(shape.highestSample) - samples[pixel + band]
        }
      }
      let after = try FilterVariants.samples(text, over: TestImage.image(samples, shape: shape))
      let different = stride(from: 0, to: before.count, by: 4).filter { pixel in
        before[pixel + 3] > 0 && before[pixel..<pixel + 4] != after[pixel..<pixel + 4]
      }
      #expect(different.isEmpty, "\(text), \(format)")
    }
  }

  @Test(
    "one colour stays that colour, whatever its alpha",
    arguments: [
      "gaussian-blur:2", "box-blur:3", "median:3", "sharpen:1.5", "convolve:1,2,1/2,4,2/1,2,1",
      "resize:40%", "resize:170%",
    ])
  func oneColour(text: String) throws {
    let shape = Self.shape(.uint8)
    var samples = TestImage.samples(shape, seed: 3)
    for pixel in stride(from: 0, to: samples.count, by: 4) {
      samples.replaceSubrange(pixel..<pixel + 3, with: [200, 100, 50])
    }
    let found = try FilterVariants.samples(text, over: TestImage.image(samples, shape: shape))
    for pixel in stride(from: 0, to: found.count, by: 4) where found[pixel + 3] > 0 {
      for (band, expected) in [200, 100, 50].enumerated() {
        #expect(abs(found[pixel + band] - expected) <= 1, "\(text), alpha \(found[pixel + 3])")
      }
    }
  }

  @Test("flatten lays colour on colour, grey on grey alone, and names what is near a wrong colour")
  func flatten() throws {
    let shape = TestImage.shape(1, 1, bands: 4)
    for (alpha, expected) in [(0, [0, 0, 128]), (255, [200, 100, 50]), (128, [100, 50, 88])] {
      let image = try TestImage.image([200, 100, 50, alpha], shape: shape)
      #expect(try FilterVariants.samples("flatten:navy", over: image) == expected, "\(alpha)")
    }
    func refusal(_ text: String, _ bands: Int) -> String? {
      do {
        _ = try FilterPipeline(parsing: [text]).outputShape(of: TestImage.shape(3, 3, bands: bands))
        return nil
      } catch {
        return error.message
      }
    }
    #expect(refusal("flatten:red", 2)?.contains("a shade of grey alone") == true)
    #expect(refusal("flatten:red", 1) == nil && refusal("flatten:red", 3) == nil)
    #expect(refusal("flatten:whit", 4)?.contains("Did you mean white?") == true)
    for wrong in ["#", "ff", "12345", "#gggggg", "rgb(1", ""] {
      #expect(refusal("flatten:" + wrong, 4) != nil, "\(wrong)")
    }
  }

  @Test("filters that keep alpha keep it", arguments: FilterVariants.all)
  func kept(text: String) throws {
    let step = try #require(try FilterPipeline(parsing: [text]).steps.first)
    guard step.specification.alpha == .kept || step.specification.alpha == .weighing,
      !text.hasPrefix("convolve:1"), !text.hasPrefix("convolve:0,-1,0/-1,5")
    else { return }
    let shape = Self.shape(.uint8)
    let samples = TestImage.samples(shape, seed: 4)
    let result = try FilterVariants.graph(text, over: TestImage.image(samples, shape: shape))
    let found = try TestImage.samples(result.pixels(), format: .uint8)
    let alpha = stride(from: result.bands - 1, to: found.count, by: result.bands).map { found[$0] }
    #expect(alpha == stride(from: 3, to: samples.count, by: 4).map { samples[$0] }, "\(text)")
  }

  @Test(
    "opaque alpha makes no difference beyond the rounding of whole numbers", arguments: weighing)
  func opaque(text: String) throws {
    let plain = TestImage.shape(41, 37, bands: 3)
    let colour = TestImage.samples(plain, seed: 5)
    let withAlpha = stride(from: 0, to: colour.count, by: 3).flatMap {
      Array(colour[$0..<$0 + 3]) + [255]
    }
    let expected = try FilterVariants.samples(text, over: TestImage.image(colour, shape: plain))
    let found = try FilterVariants.samples(
      text, over: TestImage.image(withAlpha, shape: Self.shape(.uint8)))
    // These of 8 bits without alpha are libvips' in whole numbers of few bits.
    let isLibvips = ["blur", "sharpen", "resize"].contains { text.contains($0) }
    let tolerance = isLibvips ? 4 : 2
    for pixel in 0..<expected.count / 3 {
      for band in 0..<3 {
        #expect(abs(expected[3 * pixel + band] - found[4 * pixel + band]) <= tolerance, "\(text)")
      }
    }
  }
}
#endif

#if Images
import Foundation
import StintCore
import StintImages
import Testing

/// A filter and what it should do.
struct NaiveRule: Sendable, CustomTestStringConvertible {
  let text: String
  /// Whether the definition covers images with alpha.
  var alpha = true
  let define: @Sendable (NaiveImage) -> NaiveImage
  var testDescription: String { text }
}

@Suite("Filters against plain definitions")
struct NaiveFilterTests {
  static let sobelMask = [[1, 2, 1], [0, 0, 0], [-1, -2, -1]]
  static let sobelTurned = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]

  static let definitions: [NaiveRule] = [
    NaiveRule(text: "invert") { image in image.tone { Double(image.highest) - $0 } },
    NaiveRule(text: "gamma:2.2") { image in
      let full = Double(image.highest)
      return image.tone { full * pow($0 / full, 1 / 2.2) }
    },
    NaiveRule(text: "brightness:-30") { image in
      image.tone { $0 - 0.3 * Double(image.highest) }
    },
    NaiveRule(text: "contrast:-100") { image in
      image.tone { _ in Double(image.highest) / 2 }
    },
    NaiveRule(text: "brightness-contrast:brightness=10,contrast=25") { image in
      let full = Double(image.highest)
      return image.tone { full / 2 + ($0 - full / 2) * tan(1.25 * .pi / 4) + 0.1 * full }
    },
    NaiveRule(text: "sepia") { $0.sepia() },
    NaiveRule(text: "flatten:404040") { $0.flattened(grey: 64) },
    NaiveRule(text: "clahe:9,slope=0") { $0.levelled(size: 9, slope: 0) },
    NaiveRule(text: "clahe:9,slope=3") { $0.levelled(size: 9, slope: 3) },
    NaiveRule(text: "posterise:3") { image in
      let full = Double(image.highest)
      return image.tone { floor($0 * 3 / (full + 1)) * full / 2 }
    },
    NaiveRule(text: "grayscale") { $0.grey() },
    NaiveRule(text: "grayscale:rec601") { $0.grey([0.299, 0.587, 0.114]) },
    NaiveRule(text: "threshold:45") { image in
      image.grey { Double($0) >= 0.45 * Double(image.highest) ? image.highest : 0 }
    },
    NaiveRule(text: "depth:16") { image in
      guard image.shape.format == .uint8 else { return image }
      return NaiveImage(image.shape.with(\.format, .uint16), image.samples.map { $0 * 257 })
    },
    NaiveRule(text: "depth:8") { image in
      guard image.shape.format == .uint16 else { return image }
      return NaiveImage(
        image.shape.with(\.format, .uint8),
        image.samples.map { Int((Double($0) / 257).rounded()) })
    },
    NaiveRule(text: "box-blur:1", alpha: false) { $0.boxBlurred(radius: 1) },
    NaiveRule(text: "box-blur:6", alpha: false) { $0.boxBlurred(radius: 6) },
    NaiveRule(text: "median", alpha: false) { $0.median(size: 3) },
    NaiveRule(text: "median:5", alpha: false) { $0.median(size: 5) },
    NaiveRule(text: "sobel") { $0.sobel() },
    NaiveRule(text: "laplacian") { $0.convolved([[0, -1, 0], [-1, 4, -1], [0, -1, 0]]) { $0 } },
    NaiveRule(text: "laplacian:8,offset=50") { image in
      image.convolved([[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]]) {
        $0 + Int((Double(image.highest) / 2).rounded(.toNearestOrEven))
      }
    },
    NaiveRule(text: "emboss") { $0.convolved([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]]) { $0 } },
    NaiveRule(text: "emboss:e") { $0.convolved([[1, 0, -1], [2, 1, -2], [1, 0, -1]]) { $0 } },
    NaiveRule(text: "emboss:n") { $0.convolved([[-1, -2, -1], [0, 1, 0], [1, 2, 1]]) { $0 } },
    NaiveRule(text: "convolve:0,-1,0/-1,5,-1/0,-1,0", alpha: false) {
      $0.convolved([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]) { $0 }
    },
    NaiveRule(text: "rotate:90") { $0.rotated90() },
    NaiveRule(text: "rotate:180") { $0.rotated90().rotated90() },
    NaiveRule(text: "rotate:270") { $0.rotated90().rotated90().rotated90() },
    NaiveRule(text: "flip:horizontal") { image in
      NaiveImage.make(image.shape) { image.at(image.shape.width - 1 - $0, $1, $2) }
    },
    NaiveRule(text: "flip:vertical") { image in
      NaiveImage.make(image.shape) { image.at($0, image.shape.height - 1 - $1, $2) }
    },
    NaiveRule(text: "equalise") { $0.equalised() },
    NaiveRule(text: "contrast-stretch:0,white=0") { $0.stretched(black: 0, white: 0) },
    NaiveRule(text: "contrast-stretch:black=10,white=20") { $0.stretched(black: 10, white: 20) },
  ]

  @Test("every sample is what the definition says", arguments: definitions)
  func rules(rule: NaiveRule) throws {
    for (index, shape) in FilterVariants.shapes.enumerated() where rule.alpha || !shape.hasAlpha {
      let samples = TestImage.samples(shape, seed: UInt64(index))
      let found = try FilterVariants.samples(
        rule.text, over: TestImage.image(samples, shape: shape))
      let expected = rule.define(NaiveImage(shape, samples)).samples
      let different = zip(found, expected).enumerated().first { $1.0 != $1.1 }
      #expect(found.count == expected.count, "\(rule.text), \(shape.phrase)")
      #expect(different == nil, "\(rule.text), \(shape.phrase), \(String(describing: different))")
    }
  }

  @Test("sharpen adds the difference from the blur, beyond the threshold")
  func sharpen() throws {
    for shape in FilterVariants.shapes where !shape.hasAlpha {
      let samples = TestImage.samples(shape, seed: 3)
      let image = try TestImage.image(samples, shape: shape)
      let blurred = try FilterVariants.samples("gaussian-blur:2", over: image)
      let naive = NaiveImage(shape, samples)
      let least = 0.03 * shape.highestSample
      let expected = zip(samples, blurred).map { sample, blur in
        let difference = Double(sample - blur)
        let added = abs(difference) < least ? 0 : (1.7 * difference).rounded(.toNearestOrEven)
        return naive.clipped(Double(sample) + added)
      }
      let found = try FilterVariants.samples("sharpen:2,amount=1.7,threshold=3", over: image)
      #expect(found == expected, "\(shape.phrase)")
    }
  }

  @Test("a gaussian blur of 16 bits is the weighted mean of a row, then of a column")
  func gaussian() throws {
    let shape = TestImage.shape(65, 33, bands: 3, format: .uint16)
    let samples = TestImage.samples(shape, seed: 3)
    let image = try TestImage.image(samples, shape: shape)
    // The bell curve in twentieths, cut off at a fifth of its height.
    let weights = (-3...3).map { Int((20 * exp(-Double($0 * $0) / (2 * 2 * 2))).rounded()) }
    let sum = weights.reduce(0, +)
    func pass(_ image: NaiveImage, _ dx: Int, _ dy: Int) -> NaiveImage {
      NaiveImage.make(shape) { x, y, band in
        let total = (-3...3).reduce(0) {
          $0 + weights[$1 + 3] * image.at(x + $1 * dx, y + $1 * dy, band)
        }
        return (total + sum / 2) / sum
      }
    }
    let expected = pass(pass(NaiveImage(shape, samples), 1, 0), 0, 1)
    #expect(try FilterVariants.samples("gaussian-blur:2", over: image) == expected.samples)
  }

  @Test("crop takes the rectangle")
  func crop() throws {
    let shape = TestImage.shape(20, 10, bands: 3)
    let samples = TestImage.samples(shape, seed: 1)
    let image = try TestImage.image(samples, shape: shape)
    let naive = NaiveImage(shape, samples)
    let expected = NaiveImage.make(TestImage.shape(7, 4, bands: 3)) { naive.at($0 + 3, $1 + 5, $2) }
    #expect(try FilterVariants.samples("crop:7x4+3+5", over: image) == expected.samples)
  }

  @Test(
    "brightness and contrast of 0, a gamma of 1, a resize to the same size and the like change nothing"
  )
  func neutral() throws {
    for shape in FilterVariants.shapes {
      let image = try TestImage.image(shape, seed: 6)
      let samples = TestImage.samples(shape, seed: 6)
      let texts = [
        "brightness-contrast", "gamma:1", "depth:\(shape.format == .uint8 ? 8 : 16)",
        "crop:\(shape.width)x\(shape.height)",
      ]
      let opaque = [
        "sharpen:amount=0", "convolve:1", "resize:\(shape.width)x\(shape.height)", "resize:100%",
        "gaussian-blur:0.2,cutoff=0.5",
      ]
      for text in texts + (shape.hasAlpha ? [] : opaque) {
        #expect(try FilterVariants.samples(text, over: image) == samples, "\(text)")
      }
    }
  }
}

extension NaiveImage {
  /// The sum of absolute slopes; with 8 bits libvips halves each slope before it doubles it again.
  func sobel() -> NaiveImage {
    let visible = visible()
    func slope(_ mask: [[Int]], _ x: Int, _ y: Int, _ band: Int) -> Int {
      var sum = 0
      for j in 0..<3 {
        for i in 0..<3 { sum += mask[j][i] * visible.at(x + i - 1, y + j - 1, band) }
      }
      guard shape.format == .uint8 else { return abs(sum) }
      let halved = Int(floor(Double(sum + 1) / 2)) + 128
      return abs(2 * (min(max(halved, 0), 255) - 128))
    }
    return Self.make(shape) { x, y, band in
      if band >= shape.colourBands { return at(x, y, band) }
      return min(
        highest,
        slope(NaiveFilterTests.sobelMask, x, y, band)
          + slope(NaiveFilterTests.sobelTurned, x, y, band))
    }
  }
}
#endif

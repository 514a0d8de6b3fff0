#if Images
import Foundation
import StintImages

/// The filters once more, each pixel by its definition: slow, plain, and without libvips.
struct NaiveImage {
  var shape: ImageShape
  var samples: [Int]

  var highest: Int { Int(shape.highestSample) }

  init(_ shape: ImageShape, _ samples: [Int]) {
    self.shape = shape
    self.samples = samples
  }

  /// The sample at a place; beyond the edges the pixels of the edges go on.
  func at(_ x: Int, _ y: Int, _ band: Int) -> Int {
    let column = min(max(x, 0), shape.width - 1)
    let row = min(max(y, 0), shape.height - 1)
    return samples[(row * shape.width + column) * shape.bands + band]
  }

  /// An image of a function of place and band.
  static func make(_ shape: ImageShape, _ sample: (Int, Int, Int) -> Int) -> NaiveImage {
    var samples: [Int] = []
    for y in 0..<shape.height {
      for x in 0..<shape.width {
        for band in 0..<shape.bands { samples.append(sample(x, y, band)) }
      }
    }
    return NaiveImage(shape, samples)
  }

  /// Colour by a function of place and band, alpha as it is.
  func colour(_ sample: (Int, Int, Int) -> Double) -> NaiveImage {
    Self.make(shape) { x, y, band in
      band < shape.colourBands ? clipped(sample(x, y, band)) : at(x, y, band)
    }
  }

  func clipped(_ value: Double) -> Int {
    Int(min(max(value, 0), Double(highest)).rounded(.toNearestOrEven))
  }

  func tone(_ function: (Double) -> Double) -> NaiveImage {
    colour { function(Double(at($0, $1, $2))) }
  }

  /// The strength of a pixel's colour.
  func grey(_ x: Int, _ y: Int, _ weights: [Double] = [0.2126, 0.7152, 0.0722]) -> Int {
    guard shape.colourBands == 3 else { return at(x, y, 0) }
    // libvips keeps the sum in single precision, which matters to 16 bits.
    return clipped(Double(Float((0..<3).reduce(0) { $0 + weights[$1] * Double(at(x, y, $1)) })))
  }

  func grey(_ weights: [Double] = [0.2126, 0.7152, 0.0722], _ function: (Int) -> Int = { $0 })
    -> NaiveImage
  {
    var result = shape
    result.bands -= shape.colourBands - 1
    return Self.make(result) { x, y, band in
      band == 0 ? function(grey(x, y, weights)) : at(x, y, band + shape.colourBands - 1)
    }
  }

  /// Sums with a mask around each pixel of the visible colour.
  func convolved(_ mask: [[Int]], _ function: (Int) -> Int) -> NaiveImage {
    let visible = visible()
    return Self.make(shape) { x, y, band in
      if band >= shape.colourBands { return at(x, y, band) }
      var sum = 0
      for (j, row) in mask.enumerated() {
        for (i, weight) in row.enumerated() {
          sum += weight * visible.at(x + i - row.count / 2, y + j - mask.count / 2, band)
        }
      }
      return min(max(function(sum), 0), highest)
    }
  }

  /// Colour times alpha.
  func visible() -> NaiveImage {
    guard shape.hasAlpha else { return self }
    return colour { x, y, band in
      Double(at(x, y, band) * at(x, y, shape.colourBands)) / Double(highest)
    }
  }

  func boxBlurred(radius: Int) -> NaiveImage {
    let side = 2 * radius + 1
    func mean(_ image: NaiveImage, _ dx: Int, _ dy: Int) -> NaiveImage {
      Self.make(shape) { x, y, band in
        let sum = (-radius...radius).reduce(0) { $0 + image.at(x + $1 * dx, y + $1 * dy, band) }
        return (sum + (side + 1) / 2) / side
      }
    }
    return mean(mean(self, 1, 0), 0, 1)
  }

  func median(size: Int) -> NaiveImage {
    let half = size / 2
    return Self.make(shape) { x, y, band in
      let window = (-half...half).flatMap { dy in
        (-half...half).map { dx in at(x + dx, y + dy, band) }
      }
      return window.sorted()[size * size / 2]
    }
  }

  func rotated90() -> NaiveImage {
    var turned = shape
    (turned.width, turned.height) = (shape.height, shape.width)
    return Self.make(turned) { x, y, band in at(y, shape.height - 1 - x, band) }
  }

  /// The counts of a band's samples.
  func histogram(_ band: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: highest + 1)
    for y in 0..<shape.height {
      for x in 0..<shape.width { counts[at(x, y, band)] += 1 }
    }
    return counts
  }

  func equalised() -> NaiveImage {
    let histograms = (0..<shape.colourBands).map(histogram)
    let top =
      shape.format == .uint8
      ? 255 : histograms.map { $0.lastIndex { $0 > 0 } ?? 0 }.max() ?? 0
    let scale = Float(Double(top) / Double(shape.width * shape.height))
    let sums = histograms.map { counts in
      counts.reduce(into: [Int]()) { $0.append(($0.last ?? 0) + $1) }
    }
    return colour { x, y, band in
      Double(Int(scale * Float(sums[band][at(x, y, band)])))
    }
  }

  func stretched(black: Double, white: Double) -> NaiveImage {
    let all = (0..<shape.colourBands).flatMap { band in
      (0..<shape.height).flatMap { y in (0..<shape.width).map { x in at(x, y, band) } }
    }.sorted()
    // The first sample of which more than so many are at or below it.
    let low = all[Int(floor(Double(all.count) * black / 100))]
    let high = all[all.count - 1 - Int(floor(Double(all.count) * white / 100))]
    guard low < high else { return self }
    return tone { ($0 - Double(low)) * Double(highest) / Double(high - low) }
  }
}
#endif

#if Images
import Foundation
import StintImages

/// The filters once more, each pixel by its definition: slow, plain, and without libvips.
struct NaiveImage {
  var shape: ImageShape
  var samples: [Int]

  var highest: Int { Int(shape.highestSample) }

  init(_ shape: ImageShape, _ samples: [Int]) {
    (self.shape, self.samples) = (shape, samples)
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

  /// Laid on a shade of grey of 8 bits.
  func flattened(grey: Int) -> NaiveImage {
    guard shape.hasAlpha else { return self }
    let background = grey * highest / 255
    return Self.make(shape.with(\.bands, shape.colourBands)) { x, y, band in
      let alpha = at(x, y, shape.colourBands)
      return (at(x, y, band) * alpha + background * (highest - alpha)) / highest
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
    Self.make(shape.with(\.bands, shape.bands - shape.colourBands + 1)) { x, y, band in
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
    Self.make(shape.turned) { x, y, band in at(y, shape.height - 1 - x, band) }
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

extension NaiveImage {
  func sepia() -> NaiveImage {
    let matrix = [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]
    return Self.make(shape.with(\.bands, shape.bands + 3 - shape.colourBands)) { x, y, band in
      if band >= 3 { return at(x, y, band - 3 + shape.colourBands) }
      let sum = (0..<3).reduce(0.0) {
        $0 + matrix[band][$1] * Double(at(x, y, min($1, shape.colourBands - 1)))
      }
      return clipped(Double(Float(sum)))
    }
  }

  /// A sample of a line of samples that goes on as in a mirror.
  private static func mirrored(_ index: Int, _ count: Int) -> Int {
    let place = ((index % (2 * count)) + 2 * count) % (2 * count)
    return place < count ? place : 2 * count - 1 - place
  }

  /// The grey of each pixel levelled by its surroundings; what that changes is added to the colour.
  func levelled(size: Int, slope: Double) -> NaiveImage {
    let (width, height) = (min(size, shape.width), min(size, shape.height))
    let unit = shape.format == .uint8 ? 1 : 257
    let limit = slope == 0 ? Int.max : max(1, Int((slope * Double(width * height) / 256).rounded()))
    func grey8(_ x: Int, _ y: Int) -> Int {
      let grey = grey(Self.mirrored(x, shape.width), Self.mirrored(y, shape.height))
      return unit == 1 ? grey : Int((Double(grey) / 257).rounded())
    }
    var changes: [Int] = []
    for y in 0..<shape.height {
      for x in 0..<shape.width {
        var counts = [Int](repeating: 0, count: 256)
        for j in 0..<height {
          for i in 0..<width { counts[grey8(x + i - width / 2, y + j - height / 2)] += 1 }
        }
        let target = grey8(x, y)
        let over = counts.reduce(0) { $0 + max(0, $1 - limit) }
        let below = counts[...target].reduce(0) { $0 + min($1, limit) }
        let level = 255 * (below + (slope == 0 ? 0 : (target + 1) * over / 256)) / (width * height)
        changes.append((level - target) * unit)
      }
    }
    return colour { Double(at($0, $1, $2) + changes[$1 * shape.width + $0]) }
  }
}
#endif

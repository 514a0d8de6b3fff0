#if Images
import StintCore
@testable import StintImages

/// Images that tests draw from seeds.
enum TestImage {
  /// The colour space that a person expects of so many bands.
  static func colourSpace(bands: Int, format: SampleFormat) -> ColourSpace {
    switch (bands < 3, format == .uint16) {
    case (true, false): .grey
    case (true, true): .grey16
    case (false, false): .srgb
    case (false, true): .rgb16
    }
  }

  static func shape(
    _ width: Int, _ height: Int, bands: Int, format: SampleFormat = .uint8,
    colourSpace: ColourSpace? = nil
  ) -> ImageShape {
    ImageShape(
      width: width, height: height, bands: bands, format: format,
      colourSpace: colourSpace ?? Self.colourSpace(bands: bands, format: format))
  }

  /// Samples with structure: slopes, edges, patches of noise, flat parts, and alpha with both
  /// extremes.
  static func samples(_ shape: ImageShape, seed: UInt64) -> [Int] {
    // Plain loops: without optimisation, generic ones took a quarter of all tests of images.
    var numbers = SplitMix64(seed: seed)
    let highest = Int(shape.highestSample)
    let (width, height, bands) = (shape.width, shape.height, shape.bands)
    let (cellWidth, cellHeight) = (Int.random(in: 2...19, using: &numbers), 11)
    let count = width * height * bands
    return [Int](unsafeUninitializedCapacity: count) { result, filled in
      guard var next = result.baseAddress else { return }
      var y = 0
      while y < height {
        var x = 0
        while x < width {
          let kind = (x / cellWidth + y / cellHeight * 3) % 5
          var band = 0
          while band < bands {
            switch kind {
            case 0: next.pointee = below(highest + 1, &numbers)
            case 1: next.pointee = highest * (x + y + band) / (width + height + bands)
            case 2: next.pointee = (x / 3 + y / 2) % 2 == 0 ? 0 : highest
            case 3: next.pointee = highest * (band + 1) / (bands + 2)
            default:
              next.pointee = highest / 3 + below(highest / 2 - highest / 3 + 1, &numbers)
            }
            next += 1
            band += 1
          }
          x += 1
        }
        y += 1
      }
      filled = count
    }
  }

  private static func below(_ count: Int, _ numbers: inout SplitMix64) -> Int {
    Int(numbers.next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// Samples as the bytes of an image of 8 or 16 bits.
  static func bytes(_ samples: [Int], format: SampleFormat) -> [UInt8] {
    guard format == .uint8 else {
      return samples.map { UInt16($0) }.withUnsafeBytes { Array($0) }
    }
    return [UInt8](unsafeUninitializedCapacity: samples.count) { bytes, filled in
      samples.withUnsafeBufferPointer { samples in
        guard let from = samples.baseAddress, let to = bytes.baseAddress else { return }
        while filled < samples.count {
          to[filled] = UInt8(from[filled])
          filled += 1
        }
      }
    }
  }

  static func samples(_ bytes: [UInt8], format: SampleFormat) -> [Int] {
    switch format {
    case .uint8: bytes.map { Int($0) }
    case .uint16:
      bytes.withUnsafeBytes { raw in
        (0..<raw.count / 2).map { Int(raw.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)) }
      }
    default: preconditionFailure("only images of 8 and 16 bits are compared by sample")
    }
  }

  static func image(_ samples: [Int], shape: ImageShape) throws -> VipsImage {
    try VipsImage(samples: bytes(samples, format: shape.format), shape: shape)
  }

  static func image(_ shape: ImageShape, seed: UInt64) throws -> VipsImage {
    try image(samples(shape, seed: seed), shape: shape)
  }

  static func image(
    _ width: Int, _ height: Int, bands: Int, format: SampleFormat = .uint8,
    colourSpace: ColourSpace? = nil, seed: UInt64
  ) throws -> VipsImage {
    try image(
      shape(width, height, bands: bands, format: format, colourSpace: colourSpace), seed: seed)
  }

  /// Cuts of the rows at seeded places: consecutive ranges that cover all rows.
  static func cuts(height: Int, seed: UInt64) -> [Range<Int>] {
    var numbers = SplitMix64(seed: seed)
    var ranges: [Range<Int>] = []
    var top = 0
    while top < height {
      let bottom = min(height, top + Int.random(in: 1...max(1, height / 2), using: &numbers))
      ranges.append(top..<bottom)
      top = bottom
    }
    return ranges
  }
}
#endif

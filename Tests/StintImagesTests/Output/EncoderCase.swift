#if Images
import StintRuntime
import StintCore
@testable import StintImages
import StintTesting
import Testing

/// An image, and how it is to be encoded, drawn from a seed.
struct EncoderCase {
  let seed: UInt64
  let shape: PixelShape
  let pixels: [UInt8]
  let encoder: any ResumableEncoder
  /// For the cuts that a test makes.
  var generator: SeededGenerator

  static let seeds: [UInt64] = Array(1...40)

  init(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let isPNG = seed % 2 == 0
    let shape = Self.shape(&generator, isPNG: isPNG)
    self.seed = seed
    self.shape = shape
    pixels = Self.pixels(shape, &generator)
    // Some ten units an image.
    let unitBytes = max(
      1, shape.rowBytes * shape.height / Int.random(in: 1...12, using: &generator))
    if isPNG {
      let options = PNGOptions(
        level: Int.random(in: 0...9, using: &generator),
        filter: Bool.random(using: &generator) ? .adaptive : .none)
      encoder = try PNGEncoder(shape: shape, options: options, unitBytes: unitBytes)
    } else {
      encoder = try TIFFEncoder(
        shape: shape, options: Self.tiffOptions(&generator), stripBytes: unitBytes,
        isBig: Bool.random(using: &generator))
    }
    self.generator = generator
  }

  private static func shape(_ generator: inout SeededGenerator, isPNG: Bool) -> PixelShape {
    let colors: [PixelShape.Color] = isPNG ? [.gray, .rgb] : PixelShape.Color.allCases
    let samples: [PixelShape.Sample] =
      isPNG ? [.unsigned8, .unsigned16] : PixelShape.Sample.allCases
    return PixelShape(
      width: Int.random(in: 1...90, using: &generator),
      height: Int.random(in: 1...120, using: &generator),
      color: colors.randomElement(using: &generator) ?? .gray,
      hasAlpha: Bool.random(using: &generator),
      sample: samples.randomElement(using: &generator) ?? .unsigned8)
  }

  private static func tiffOptions(_ generator: inout SeededGenerator) -> TIFFOptions {
    let sides = [16, 32, 48]
    let compressions: [TIFFOptions.Compression] = [
      .none, .deflate(level: Int.random(in: 1...9, using: &generator)), .lzw,
    ]
    return TIFFOptions(
      layout: Bool.random(using: &generator)
        ? .strips : .tiles(side: sides.randomElement(using: &generator) ?? 16),
      compression: compressions.randomElement(using: &generator) ?? .none,
      usesPredictor: Bool.random(using: &generator))
  }

  /// Slopes, flat parts and noise.
  static func pixels(_ shape: PixelShape, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    let samples = shape.width * shape.channels
    let highest = shape.sample == .unsigned8 ? 255 : 65_535
    for y in 0..<shape.height {
      for index in 0..<samples {
        let number =
          switch (index / 20 + y / 9) % 3 {
          case 0: highest * (index + y) / (samples + shape.height)
          case 1: highest / 3
          case _: Int.random(in: 0...highest, using: &generator)
          }
        switch shape.sample {
        case .unsigned8: bytes.append(UInt8(number))
        case .unsigned16: withUnsafeBytes(of: UInt16(number)) { bytes += $0 }
        case .float32: withUnsafeBytes(of: Float(number) / 65_535) { bytes += $0 }
        }
      }
    }
    return bytes
  }

  /// The rows from one on, so many.
  func append(
    _ count: Int, after progress: EncodingProgress, threads: Int = 1, stopFlag: StopFlag? = nil,
    into file: any PartialFile
  ) throws -> EncodingProgress {
    let start = progress.rows * shape.rowBytes
    return try pixels.withUnsafeBytes { bytes in
      try encoder.append(
        UnsafeRawBufferPointer(rebasing: bytes[start..<start + count * shape.rowBytes]),
        after: progress, threads: threads, stopFlag: stopFlag, into: file)
    }
  }

  /// The file of one uninterrupted run on one thread.
  func whole() throws -> [UInt8] {
    let file = MemoryFile()
    let progress = try append(shape.height, after: encoder.begin(into: file), into: file)
    try encoder.finish(progress, into: file)
    return file.bytes
  }

  /// How many rows the next call may take: a few units, or all that is left.
  mutating func nextCount(after progress: EncodingProgress) -> Int {
    let units = Int.random(in: 1...4, using: &generator)
    return min(units * encoder.rowsPerUnit, shape.height - progress.rows)
  }

  /// The pixels of an image file, as libvips reads them.
  static func read(_ file: [UInt8], ending: String) throws -> (image: VipsImage, pixels: [UInt8]) {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = try folder.write(file, "encoded.\(ending)")
    let image = try VipsImage(.path(path), access: .sequential)
    return (image, try image.pixels())
  }

  /// An image of libvips with such pixels.
  static func image(_ pixels: [UInt8], _ shape: PixelShape) throws -> VipsImage {
    try VipsImage(samples: pixels, shape: shape.imageShape)
  }
}
#endif

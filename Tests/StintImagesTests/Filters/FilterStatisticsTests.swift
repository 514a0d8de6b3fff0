#if Images
import StintCore
import StintImages
import Testing

@Suite("Statistics of images")
struct FilterStatisticsTests {
  static func collected(_ image: VipsImage, _ rows: [Range<Int>]) throws -> FilterStatistics {
    var sum = try FilterStatistics(for: image.shape)
    for rows in rows { try sum.collect(from: image, rows: rows) }
    return sum
  }

  @Test("counts of bands of rows add up to those of the image, and of its colour alone")
  func sums() throws {
    for shape in [
      TestImage.shape(65, 33, bands: 4), TestImage.shape(65, 33, bands: 2, format: .uint16),
    ] {
      let samples = TestImage.samples(shape, seed: 1)
      let image = try TestImage.image(samples, shape: shape)
      let whole = try Self.collected(image, [0..<33])
      let naive = NaiveImage(shape, samples)
      #expect(whole.counts == (0..<shape.colourBands).map { naive.histogram($0).map(UInt64.init) })
      #expect(whole.pixelCount == 65 * 33)
      #expect(try Self.collected(image, TestImage.cuts(height: 33, seed: 2)) == whole)
      #expect(try Self.collected(image, [20..<33, 0..<20]) == whole)
      #expect(try FilterStatistics(decoding: whole.encoded) == whole)
    }
  }

  @Test("statistics of another image are not added or applied")
  func mismatch() throws {
    let grey = try TestImage.image(5, 5, bands: 1, seed: 1)
    let colour = try TestImage.image(5, 5, bands: 3, seed: 1)
    var sum = try Self.collected(grey, [0..<5])
    #expect(throws: StintError.self) { try sum.collect(from: colour, rows: 0..<5) }
    let pipeline = try FilterPipeline(parsing: ["equalise"])
    #expect(throws: StintError.self) { try pipeline.graph(over: colour, statistics: [sum]) }
    #expect(throws: StintError.self) { try pipeline.graph(over: grey) }
    let empty = try FilterStatistics(for: grey.shape)
    #expect(throws: StintError.self) { try pipeline.graph(over: grey, statistics: [empty]) }
    #expect(throws: StintError.self) {
      try FilterStatistics(for: TestImage.shape(1, 1, bands: 1, format: .float))
    }
  }

  @Test("C2 every truncation is refused, and no flipped bit passes unseen or traps")
  func damage() throws {
    let image = try TestImage.image(9, 9, bands: 3, seed: 1)
    let whole = try Self.collected(image, [0..<9])
    let bytes = whole.encoded
    for count in 0..<bytes.count {
      #expect(throws: StintError.self) { try FilterStatistics(decoding: bytes.prefix(count)) }
    }
    #expect(throws: StintError.self) { try FilterStatistics(decoding: bytes + [0]) }
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        // A count may become another only if its band still sums up like the others.
        if let read = try? FilterStatistics(decoding: flipped) {
          #expect(read.encoded == flipped && read != whole)
        }
      }
    }
  }

  @Test(
    "no bytes at all make it trap or ask for more memory than its bands", arguments: UInt64(0)..<200
  )
  func garbage(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    var bytes = (0..<Int.random(in: 0...60, using: &numbers)).map { _ in
      UInt8.random(in: 0...255, using: &numbers)
    }
    if seed % 2 == 0, bytes.count > 2 { bytes.replaceSubrange(0..<2, with: [1, 8]) }
    if let read = try? FilterStatistics(decoding: bytes) { #expect(read.encoded == bytes) }
    #expect(throws: StintError.self) {
      // A count of 2^64 and more.
      try FilterStatistics(decoding: [1, 8] + [UInt8](repeating: 255, count: 12) + bytes)
    }
  }
}
#endif

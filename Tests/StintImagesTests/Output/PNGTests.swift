#if Images
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintImages

@Suite("PNG")
struct PNGTests {
  @Test("each filter is the difference that the specification says", arguments: 1...8)
  func filters(pixelBytes: Int) {
    var generator = SeededGenerator(seed: UInt64(pixelBytes))
    for count in [pixelBytes, 2 * pixelBytes, 37 * pixelBytes] {
      let draw = { (_: Int) in UInt8.random(in: 0...255, using: &generator) }
      let above = (0..<count).map(draw)
      let row = (0..<count).map(draw)
      for filter in PNGRowFilter.allCases {
        var output = [UInt8](repeating: 0, count: count)
        let sum = output.withUnsafeMutableBufferPointer { output in
          row.withUnsafeBufferPointer { row in
            above.withUnsafeBufferPointer { above in
              filter.apply(
                to: row.baseAddress!, above: above.baseAddress!, count: count,
                pixelBytes: pixelBytes, output: output.baseAddress!)
            }
          }
        }
        let expected = (0..<count).map { index in
          let a = index < pixelBytes ? 0 : Int(row[index - pixelBytes])
          let c = index < pixelBytes ? 0 : Int(above[index - pixelBytes])
          return row[index] &- UInt8(foretold(filter, a, Int(above[index]), c))
        }
        #expect(output == expected, "\(filter)")
        #expect(sum == expected.reduce(0) { $0 + UInt64(Int8(bitPattern: $1).magnitude) })
      }
    }
  }

  /// Section 9.2 and 9.4, word by word.
  private func foretold(_ filter: PNGRowFilter, _ a: Int, _ b: Int, _ c: Int) -> Int {
    switch filter {
    case .none: return 0
    case .sub: return a
    case .up: return b
    case .average: return (a + b) / 2
    case .paeth:
      let p = a + b - c
      let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
      if pa <= pb && pa <= pc { return a }
      return pb <= pc ? b : c
    }
  }

  @Test(
    "a wrong checksum of the pixels or of a chunk is found by the reader that these tests trust")
  func planted() throws {
    for damaged in try Self.damagedFiles() {
      #expect(throws: StintError.self) { try EncoderCase.read(damaged, ending: "png") }
    }
  }

  /// A whole file that is read as it was drawn, with one bit changed at three places.
  private static func damagedFiles() throws -> [[UInt8]] {
    let drawn = try EncoderCase(seed: 2)
    let whole = try drawn.whole()
    #expect(try EncoderCase.read(whole, ending: "png").pixels == drawn.pixels)
    // The last IDAT: two bytes, the Adler-32, the CRC-32; then 12 bytes of IEND.
    return [whole.count - 12 - 8, whole.count - 12 - 4, 60].map { place in
      var damaged = whole
      damaged[place] ^= 1
      return damaged
    }
  }

  @Test("the file is the chunks that the specification wants, in their order")
  func chunks() throws {
    let metadata = ImageMetadata(
      profile: MetadataTests.profile(of: "RGB "), resolution: .init(horizontal: 3, vertical: 4),
      exif: Array("II*\0\u{8}\0\0\0\0\0\0\0\0\0".utf8), xmp: Array("<x/>".utf8),
      description: "Grüße",
      texts: [
        .init(keyword: "Title", text: "日本"), .init(keyword: " bad", text: "x"),
        .init(keyword: "", text: "x"),
      ])
    let encoder = try PNGEncoder(
      shape: PixelShape(width: 3, height: 4, color: .rgb), metadata: metadata, unitBytes: 20)
    let bytes = try MetadataTests.encoded(encoder)
    #expect(Array(bytes.prefix(8)) == PNGChunk.signature)
    var (names, position): ([String], Int) = ([], 8)
    while position < bytes.count {
      let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      names.append(String(decoding: bytes[position + 4..<position + 8], as: UTF8.self))
      position += size + PNGChunk.frameBytes
    }
    #expect(position == bytes.count)
    #expect(
      names == [
        "IHDR", "iCCP", "pHYs", "eXIf", "tEXt", "iTXt", "iTXt", "IDAT", "IDAT", "IDAT", "IEND",
      ])
  }
}
#endif

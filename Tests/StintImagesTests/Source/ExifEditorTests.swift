#if Images
import StintTesting
import Testing

@testable import StintImages

@Suite("EXIF data that is changed")
struct ExifEditorTests {
  /// EXIF data with two entries, the second the orientation.
  func exif(
    _ orientation: UInt8, isBig: Bool, kind: Int = 3, count: Int = 1
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBig ? bytes.reversed() : bytes
    }
    var bytes = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
    bytes += number(2, 2)
    bytes += number(0x0100, 2) + number(3, 2) + number(1, 4) + number(640, 2) + [0, 0]
    let value = [1, 6].contains(kind) ? 1 : [4, 9].contains(kind) ? 4 : 2
    bytes += number(0x0112, 2) + number(kind, 2) + number(count, 4)
    bytes += number(Int(orientation), value) + [UInt8](repeating: 0, count: 4 - value)
    return bytes + number(0, 4)
  }

  private func upright(_ exif: [UInt8]) -> [UInt8] {
    guard var editor = ExifData(exif) else { return exif }
    editor.set(orientation: 1)
    return editor.bytes
  }

  @Test("the orientation is replaced in both orders of bytes")
  func replaced() {
    for isBig in [false, true] {
      for orientation in UInt8(1)...8 {
        #expect(upright(exif(orientation, isBig: isBig)) == exif(1, isBig: isBig))
      }
    }
  }

  @Test(
    "an orientation of another kind, which other programs read, becomes the short that it should be",
    arguments: [1, 4, 6, 8, 9])
  func otherKinds(kind: Int) {
    for isBig in [false, true] {
      for count in [1, 2] {
        let old = exif(6, isBig: isBig, kind: kind, count: count)
        #expect(upright(old) == exif(1, isBig: isBig))
      }
    }
  }

  @Test("every orientation of a directory is replaced, also behind an empty one and before a cut")
  func twice() {
    // Two entries of the orientation in a directory that says it has nine.
    func twice(_ count: Int, _ orientation: UInt8) -> [UInt8] {
      var bytes = exif(orientation, isBig: false, count: count)
      bytes[8] = 9
      let second = exif(orientation, isBig: false)[22..<34]
      return Array(bytes[..<34] + second)
    }
    #expect(upright(twice(0, 6)) == twice(1, 1))
    #expect(upright(twice(1, 8)) == twice(1, 1))
  }

  @Test(
    "what is no EXIF, or has no orientation, stays as it is; every cut and every flipped byte is survived"
  )
  func hostile() {
    for bytes in [[], [0], Array("II*\0".utf8), Array("Exif\0\0II".utf8)] as [[UInt8]] {
      #expect(upright(bytes) == bytes)
    }
    let whole = exif(6, isBig: false)
    for end in whole.indices {
      #expect(upright(Array(whole[..<end])).count == end)
    }
    for offset in whole.indices {
      for flip in [UInt8(1), 0x80, 0xff] {
        var changed = whole
        changed[offset] ^= flip
        let replaced = upright(changed)
        let places = changed.indices.filter { changed[$0] != replaced[$0] }
        // Nothing but the kind, the number of values and the value of one entry.
        #expect(replaced.count == changed.count)
        #expect((places.last ?? 0) - (places.first ?? 0) < 10)
      }
    }
  }

  /// Changes everything that there is to change.
  private func edited(_ exif: [UInt8], removesPlace: Bool = true) -> [UInt8] {
    guard var editor = ExifData(exif) else { return exif }
    editor.set(orientation: 1)
    editor.set(width: 100, height: 50)
    editor.removeThumbnails()
    if removesPlace { editor.removePlace() }
    return editor.bytes
  }

  @Test("the directory of GPS goes with its entry, and everything else stays where it was")
  func place() throws {
    for isBigEndian in [false, true] {
      let block = ExifInTIFFTests.Block(isBigEndian: isBigEndian)
      let kept = edited(block.bytes, removesPlace: false)
      #expect(kept == block.bytes)
      let removed = edited(block.bytes)
      #expect(removed.count == kept.count)
      let tags = try #require(ExifBlock(removed)).entries.map(\.tag)
      #expect(tags == [.maker, .model, .exifDirectory])
      let changed = kept.indices.filter { kept[$0] != removed[$0] }
      // The number of entries, the last of them, and the directory.
      let gps = 8 + 6 + 12 * 5 + 6 + 12 * 2
      #expect(changed.allSatisfy { (8..<8 + 6 + 12 * 5).contains($0) || $0 >= gps })
      #expect(
        changed.allSatisfy { $0 < gps + 18 } && removed[gps..<gps + 18].allSatisfy { $0 == 0 })
      #expect(edited(removed) == removed)
    }
  }

  @Test("C8 no bytes make the editor trap or take long, and their number stays")
  func garbage() {
    var generator = SeededGenerator(seed: 12)
    let block = ExifInTIFFTests.Block(isBigEndian: false).bytes
    for length in block.indices { #expect(edited(Array(block.prefix(length))).count == length) }
    for _ in 0..<5_000 {
      var bytes = ExifInTIFFTests.Block(isBigEndian: Bool.random(using: &generator)).bytes
      for _ in 0..<4 {
        let index = Int.random(in: bytes.indices, using: &generator)
        bytes[index] =
          [0, 1, 2, 255, UInt8.random(in: 0...255, using: &generator)]
          .randomElement(using: &generator) ?? 0
      }
      #expect(edited(bytes).count == bytes.count)
    }
    // A directory that follows itself, with as many entries as there can be of the longest values.
    var long: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0xFF, 0xFF]
    for _ in 0..<0xFFFF { long += [0x02, 0x01, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 8] }
    long += [0, 0, 0, 8]
    #expect(edited(long).count == long.count)
  }
}
#endif

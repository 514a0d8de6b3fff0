#if Images
import Testing

@testable import StintImages

@Suite("The orientation in EXIF data")
struct ExifOrientationTests {
  /// EXIF data with two entries, the second the orientation.
  func exif(
    _ orientation: UInt8, isBig: Bool, marker: Bool = false, kind: Int = 3, count: Int = 1
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBig ? bytes.reversed() : bytes
    }
    var bytes: [UInt8] = marker ? Array("Exif\0\0".utf8) : []
    bytes += Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
    bytes += number(2, 2)
    bytes += number(0x0100, 2) + number(3, 2) + number(1, 4) + number(640, 2) + [0, 0]
    let value = [1, 6].contains(kind) ? 1 : [4, 9].contains(kind) ? 4 : 2
    bytes += number(0x0112, 2) + number(kind, 2) + number(count, 4)
    bytes += number(Int(orientation), value) + [UInt8](repeating: 0, count: 4 - value)
    return bytes + number(0, 4)
  }

  @Test("it is replaced in both orders of bytes, with and without the marker")
  func replaced() {
    for isBig in [false, true] {
      for marker in [false, true] {
        for orientation in UInt8(1)...8 {
          let old = exif(orientation, isBig: isBig, marker: marker)
          let new = ExifOrientation.replacing(in: old, with: 1)
          #expect(new == exif(1, isBig: isBig, marker: marker))
        }
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
        #expect(ExifOrientation.replacing(in: old, with: 1) == exif(1, isBig: isBig))
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
    #expect(ExifOrientation.replacing(in: twice(0, 6), with: 1) == twice(1, 1))
    #expect(ExifOrientation.replacing(in: twice(1, 8), with: 1) == twice(1, 1))
  }

  @Test(
    "what is no EXIF, or has no orientation, stays as it is; every cut and every flipped byte is survived"
  )
  func hostile() {
    for bytes in [[], [0], Array("II*\0".utf8), Array("Exif\0\0II".utf8)] as [[UInt8]] {
      #expect(ExifOrientation.replacing(in: bytes, with: 1) == bytes)
    }
    let whole = exif(6, isBig: false)
    for end in whole.indices {
      #expect(ExifOrientation.replacing(in: Array(whole[..<end]), with: 1).count == end)
    }
    for offset in whole.indices {
      for flip in [UInt8(1), 0x80, 0xff] {
        var changed = whole
        changed[offset] ^= flip
        let replaced = ExifOrientation.replacing(in: changed, with: 1)
        let places = changed.indices.filter { changed[$0] != replaced[$0] }
        // Nothing but the kind, the number of values and the value of one entry.
        #expect(replaced.count == changed.count)
        #expect((places.last ?? 0) - (places.first ?? 0) < 10)
      }
    }
  }
}
#endif

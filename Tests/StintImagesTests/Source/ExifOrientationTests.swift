#if Images
import Testing

@testable import StintImages

@Suite("The orientation in EXIF data")
struct ExifOrientationTests {
  /// EXIF data with two entries, the second the orientation.
  func exif(_ orientation: UInt8, isBig: Bool, marker: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBig ? bytes.reversed() : bytes
    }
    var bytes: [UInt8] = marker ? Array("Exif\0\0".utf8) : []
    bytes += Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
    bytes += number(2, 2)
    bytes += number(0x0100, 2) + number(3, 2) + number(1, 4) + number(640, 2) + [0, 0]
    bytes += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(Int(orientation), 2) + [0, 0]
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
        let differences = zip(changed, replaced).filter { $0 != $1 }.count
        #expect(replaced.count == changed.count && differences <= 2)
      }
    }
  }
}
#endif

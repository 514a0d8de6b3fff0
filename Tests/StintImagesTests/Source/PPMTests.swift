#if Images
import StintCore
import Testing

@testable import StintImages

@Suite("PPM, where it is trusted")
struct PPMTests {
  private static func pixels(_ bytes: [UInt8]) throws -> [UInt8] {
    let folder = try ImageFolder()
    let source = try ImageSource(SourceFile(folder.write(bytes, "image")))
    return try source.openSequentially().pixels()
  }

  @Test("every kind is read, with comments")
  func kinds() async throws {
    await #expect(processExitsWith: .success) {
      try VipsLibrary.trust([.ppm])
      for (head, body, pixels) in [
        ("P1\n# a comment\n3 2\n", Array("1 0 0\n0 1 1".utf8), [0, 255, 255, 255, 0, 0]),
        ("P2 2 # two\n1 255\n", Array("7\n200".utf8), [7, 200]),
        ("P3\n1 1\n255\n", Array("1 2 3\n".utf8), [1, 2, 3]),
        ("P4\n3 2\n", [0x80, 0x60], [0, 255, 255, 255, 0, 0]), ("P5\n2 1\n255\n", [9, 8], [9, 8]),
        ("P5\n1 1\n65535\n", [1, 2], [2, 1]), ("P6\n1 1\n255\n", [10, 32, 13], [10, 32, 13]),
        ("Pf\n1 1\n-1.0\n", [0, 0, 0x80, 0x3F], [0, 0, 0x80, 0x3F]),
      ] as [(String, [UInt8], [UInt8])] {
        #expect(try Self.pixels(Array(head.utf8) + body) == pixels, "\(head)")
      }
    }
  }

  @Test("what libvips would take for one pixel, or for black, is refused as damaged")
  func damaged() async throws {
    await #expect(processExitsWith: .success) {
      try VipsLibrary.trust([.ppm])
      for file in [
        "P1\n3 2\n100011", "P1\n3 2\n1 0 0 0 1", "P2\n2 1\n255\n7", "P3\n1 1\n255\n1 2",
        "P4\n9 2\nabc",
        "P5\n2 1\n255\n7", "P6\n1 1\n255Xabc", "P6\n1 x\n255\nabc", "P6", "P6\n1", "Portable",
        "Pf\n1 1\n-1.0\nabc", "P6\n99999999999999999999 1\n255\nabc",
      ] {
        let error = #expect(throws: StintError.self, "\(file)") {
          try Self.pixels(Array(file.utf8))
        }
        #expect(error?.code == .damaged, "\(file)")
      }
    }
  }
}
#endif

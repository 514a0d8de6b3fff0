import Foundation
import Testing

extension EndToEnd {
  @Suite("What is said of the images of a set")
  struct ImageSetNoticeTests {
    /// Two frames of one pixel each, in two colours (GIF89a).
    private static let animation: [UInt8] =
      Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
      + [0x00, 0x01].flatMap { pixel -> [UInt8] in
        [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
          + [2, 2, 0x44 | pixel << 3, 1, 0]
      } + [0x3B]

    @Test("of many images only the first notices are shown, and still what is said of the set")
    func many() async throws {
      let scratch = try Scratch()
      let names = (10..<35).map { "\($0).gif" }
      for name in names {
        try Data(Self.animation).write(to: URL(fileURLWithPath: scratch(name)))
      }
      let words = ["--output-dir", "out", "--format", "png", "--filter", "invert"]
      let all = try await scratch.image(names + words).expectExit(0)
      let shown = all.errors.components(separatedBy: "has 2 pages or frames").count - 1
      #expect(shown == 20, "\(all.errors)")
      #expect(all.errors.components(separatedBy: "More notices").count == 2, "\(all.errors)")

      for name in names {
        // Changed, so that each is made again and spoken of again.
        try Data(Self.animation + [0]).write(to: URL(fileURLWithPath: scratch(name)))
      }
      try await scratch.image(names.dropLast(2) + words)
        .expectExit(0, saying: "More notices", "33.png, 34.png")

      let quiet = try await scratch.image(names.dropLast(3) + words + ["--quiet"])
      #expect(quiet.end == .exited(0) && quiet.errors.isEmpty, "\(quiet.errors)")
    }
  }
}

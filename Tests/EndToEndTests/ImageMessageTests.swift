import Foundation
import Testing

extension EndToEnd {
  @Suite("What is said of images that cannot be read or written")
  struct ImageMessageTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: scratch(name)))
    }

    @Test("messages name files, and no descriptor, and damage is told from what libheif lacks")
    func names() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 90, height: 60)
      for (ending, isCut) in [("webp", true), ("avif", true), ("heic", false), ("gif", true)] {
        try await scratch.image(["in.tif", "whole.\(ending)", "-q"]).requireExit(0)
        var bytes = [UInt8](try scratch.bytes("whole.\(ending)"))
        if isCut {
          bytes.removeLast(40)
        } else {
          // VVC, which this format holds as well, in the place of HEVC.
          let entry = try #require(bytes.firstRange(of: Array("infe".utf8))).upperBound
          let type = try #require(bytes[entry...].firstRange(of: Array("hvc1".utf8)))
          bytes.replaceSubrange(type, with: Array("vvc1".utf8))
        }
        try write(bytes, "cut.\(ending)")
        let alone = try await scratch.image(["cut.\(ending)", "out.png"])
          .expectExit(65, saying: "cut.\(ending)")
        let many = try await scratch.image([
          "cut.\(ending)", "in.tif", "--output-dir", "out", "--force",
        ]).expectExit(1, saying: "cut.\(ending)")
        for said in [alone.errors, many.errors] {
          #expect(!said.contains("/proc/") && !said.contains("gave no reason"), "\(said)")
          #expect(!isCut || !said.contains("another program"), "\(said)")
          #expect(
            isCut || said.contains("if another program shows it") && !said.contains("damaged"))
        }
      }
    }

    @Test("of images that fail at once, each is said with what is wrong with it")
    func together() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 300, height: 400)
      try scratch.makeFolder("in")
      for ending in ["png", "jpg"] {
        try await scratch.image(["in.tif", "whole.\(ending)", "-q"]).requireExit(0)
        let bytes = [UInt8](try scratch.bytes("whole.\(ending)"))
        for index in 0..<60 {
          try write(bytes.dropLast(900 + index), "in/\(index)\(ending).\(ending)")
        }
      }
      let run = try await scratch.image([
        "--recursive", "in", "--output-dir", "out", "--format", "tiff", "--threads", "4",
      ]).expectExit(1)
      let lines = run.errors.split(separator: "\n").filter { $0.contains("is damaged") }.dropLast()
      #expect(lines.count == 120, "\(run.errors)")
      let wrong = lines.filter {
        $0.contains("png.png") ? $0.contains("VipsJpeg") : $0.contains("vipspng")
      }
      // Words that come between failing and asking for the reason are still taken for one's own.
      #expect(wrong.count <= 6, "\(wrong.joined(separator: "\n"))")
      #expect(lines.filter { $0.contains("cannot be told") }.count <= 6)
    }

    @Test(
      "whole numbers that no format holds are said with what to do, and one band is no bands",
      arguments: [
        (format: 2, bits: 16, words: "samples of signed 16-bit; convert"),
        (format: 2, bits: 32, words: "samples of signed 32-bit; convert"),
        (format: 1, bits: 32, words: "samples of unsigned 32-bit; convert"),
      ])
    func integers(format: UInt8, bits: UInt8, words: String) async throws {
      func field(_ tag: UInt16, _ type: UInt8, _ value: UInt8) -> [UInt8] {
        [UInt8(truncatingIfNeeded: tag), UInt8(tag >> 8), type, 0, 1, 0, 0, 0, value, 0, 0, 0]
      }
      // TIFF 6.0, section 2, with SampleFormat of section 19.
      let fields = [
        field(256, 4, 4), field(257, 4, 4), field(258, 3, bits), field(259, 3, 1),
        field(262, 3, 1), field(273, 4, 146), field(277, 3, 1), field(278, 4, 4),
        field(279, 4, 2 * bits), field(284, 3, 1), field(339, 3, format),
      ].joined()
      try write(
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, 11, 0] + fields + [0, 0, 0, 0]
          + [UInt8](repeating: 7, count: 2 * Int(bits)), "in.tif")
      let run = try await scratch.image(["in.tif", "out.tif"]).expectExit(64, saying: words)
      #expect(!run.errors.contains("1 bands"), "\(run.errors)")
    }

    @Test("a file that is called jfif is a JPEG, in a folder, too, and keeps its ending")
    func jfif() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 30, height: 20)
      try scratch.makeFolder("in")
      try await scratch.image(["in.tif", "in/a.jfif", "-q"]).requireExit(0)
      try await scratch.image(["--recursive", "in", "--output-dir", "out"]).expectExit(0)
      #expect(scratch.names(in: "out") == ["a.jfif"])
      #expect(try scratch.bytes("out/a.jfif").starts(with: [0xFF, 0xD8]))
    }
  }
}

import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("Formats of images")
  struct ImageFormatTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Makes a file of a format; PPM and those of libvips are made of a TIFF by the program.
    private static func source(
      _ ending: String, in scratch: Scratch, width: Int = 300, height: Int = 500
    ) async throws -> String {
      let name = "in.\(ending)"
      let url = URL(fileURLWithPath: scratch(name))
      switch ending {
      case "jxl": try Picture.jxl.write(to: url)
      case "jp2": try Picture.jp2.write(to: url)
      case _:
        try Picture.write(to: "in.tif", in: scratch, width: width, height: height)
        try await scratch.image(["in.tif", name, "--quiet"]).requireExit(0)
      }
      return name
    }

    /// Encoders of AVIF take all processors, and the tests beside would wait for them.
    private static let longKills: [(String, String, [String])] = [
      ("webp", "avif", []), ("jxl", "webp", ["--trust", "jxl"]),
      ("jp2", "avif", ["--trust", "jp2"]), ("webp", "jxl", ["--trust", "jxl"]),
    ]

    @Test(
      "R1 SIGKILL at any instant, whatever is read and written: nothing but whole results, equal bytes",
      arguments: (EndToEnd.isFull ? longKills : [])
        + [("avif", "webp", []), ("ppm", "jp2", ["--trust", "ppm", "--trust", "jp2"])])
    func killed(input: String, output: String, trust: [String]) async throws {
      let name = try await Self.source(input, in: scratch)
      let options = ["--filter", "median:7", "--filter", "gaussian-blur:2", "--quiet"] + trust
      try await scratch.image([name, "whole.\(output)"] + options).requireExit(0)
      let expected = try scratch.bytes("whole.\(output)")
      var numbers = SplitMix64(seed: 23)
      var last = ProcessEnd.exited(-1)
      var (kills, longest) = (0, 100.0)
      // Under a budget the source is decoded first; without one it is filtered as it is decoded.
      while last != .exited(0), kills < 40 {
        let budget = kills % 2 == 0 ? [] : ["--budget", "1min"]
        let process = try scratch.start(
          ["run", "image", name, "cut.\(output)", "--checkpoint-every", "50ms"] + budget + options)
        try await Task.sleep(
          for: .milliseconds(Int.random(in: 0...Int(longest), using: &numbers)))
        // A busy machine does little in that time, so that the next has more.
        longest *= 1.25
        process.send(SIGKILL)
        let finished = try await process.wait()
        last = finished.end
        try #require([.exited(0), .signalled(SIGKILL)].contains(last), "\(finished.errors)")
        if last == .signalled(SIGKILL) { kills += 1 }
        // R18: nothing stands under the final name before it is whole.
        if scratch.exists("cut.\(output)") {
          #expect(try scratch.bytes("cut.\(output)") == expected)
        }
      }
      #expect(last == .exited(0) && kills > 0)
      #expect(try scratch.bytes("cut.\(output)") == expected)
    }

    @Test("R1 one image: refused with what to type, and a job goes on without being told again")
    func one() async throws {
      _ = try await Self.source("ppm", in: scratch, width: 1500, height: 2500)
      let filters = ["--filter", "median:7", "--filter", "equalise"]
      let words = ["in.ppm", "out.tif"] + filters
      try await scratch.image(words).expectExit(65, saying: "is PPM, which", "add --trust ppm")
      let other = try await scratch.image(words + ["--trust", "jp2"])
      #expect(other.end == .exited(65) && other.errors.contains("add --trust ppm"))
      for word in ["bmp", "png"] {
        let unknown = try await scratch.image(words + ["--trust", word])
        #expect(unknown.end == .exited(64) && unknown.errors.contains("jxl, jp2, ppm"))
      }
      let begun = try scratch.start(
        ["run", "image", "--trust", "ppm", "--checkpoint-every", "50ms", "--events", "e"] + words)
      try await begun.wait(until: "a checkpoint") {
        Journal(text: scratch.text("e")).newestCheckpoint > 0
      }
      begun.send(SIGTERM)
      try await begun.wait(atMost: .seconds(120)).requireExit(75)
      // The same command without it, once the job is begun.
      let again = try await scratch.image(words)
      #expect(again.end == .exited(65) && again.errors.contains("add --trust ppm"))
      let status = try await scratch.stint("status", "out.tif")
      #expect(status.end == .exited(0) && status.text.contains("in.ppm"), "\(status.text)")
      try await scratch.start(["resume", "out.tif", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      // What the source does not need makes no other job.
      let more = try await scratch.image(words + ["--trust", "jp2", "--trust", "ppm"])
      #expect(more.end == .exited(0) && more.errors.contains("Finished before"))
      try await scratch.image(["in.ppm", "whole.tif", "--trust", "ppm"] + filters).expectExit(0)
      #expect(try scratch.bytes("out.tif") == scratch.bytes("whole.tif"))
    }

    @Test("R1 a set tries again what failed when more is trusted, and resume knows what was")
    func set() async throws {
      // More than 32 MiB with its result: made by itself, whatever the machine takes for it.
      let large = try await Self.source("ppm", in: scratch, width: 2400, height: 2400)
      try Picture.write(to: "small.tif", in: scratch, width: 60, height: 90)
      try await scratch.image(["small.tif", "other.ppm", "--quiet"]).requireExit(0)
      let words = [
        "small.tif", "other.ppm", large, "--output-dir", "out", "--format", "tiff",
        "--filter", "median:9", "--filter", "equalise", "--quiet",
      ]
      try await scratch.image(words).expectExit(1, saying: "add --trust ppm")
      #expect(scratch.names(in: "out") == ["small.tif"])
      var before = stat()
      stat(scratch("out/small.tif"), &before)
      let begun = try scratch.start(
        ["run", "image", "--trust", "ppm", "--checkpoint-every", "50ms"] + words)
      try await begun.wait(until: "an image that is trusted now") {
        scratch.exists("out/other.tif")
      }
      begun.send(SIGTERM)
      try await begun.wait(atMost: .seconds(120)).requireExit(75)
      let untold = try await scratch.image(words)
      #expect(untold.end == .exited(65) && untold.errors.contains("add --trust ppm"))
      try await scratch.start(["resume", "out", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      #expect(scratch.names(in: "out") == ["in.tif", "other.tif", "small.tif"])
      var after = stat()
      stat(scratch("out/small.tif"), &after)
      #expect(before.st_ino == after.st_ino)
    }

    @Test("folders are searched for files of trusted formats as well; what a file is decides")
    func folders() async throws {
      try scratch.makeFolder("in")
      try Picture.write(to: "in/a.tif", in: scratch, width: 60, height: 90)
      try Picture.jxl.write(to: URL(fileURLWithPath: scratch("in/b.jxl")))
      try Picture.jp2.write(to: URL(fileURLWithPath: scratch("in/c.png")))
      try await scratch.image(["in/b.jxl", "b.png"])
        .expectExit(65, saying: "is JPEG XL, which", "add --trust jxl")
      let words = [
        "--recursive", "in", "--output-dir", "out", "--format", "png", "--filter", "invert",
      ]
      try await scratch.image(words)
        .expectExit(
          1, saying: "1 file has no extension of an image", "add --trust jxl", "is JPEG 2000, which"
        )
      let trusting = words + ["--trust", "jxl", "--trust", "jp2"]
      try await scratch.image(trusting).expectExit(0)
      #expect(scratch.names(in: "out") == ["a.png", "b.png", "c.png"])
      // Without it the file would not be found any more, and its result would be an orphan.
      let untold = try await scratch.image(words + ["--trust", "jp2", "--delete-orphans"])
      #expect(untold.end == .exited(65) && untold.errors.contains("add --trust jxl"))
      #expect(scratch.names(in: "out") == ["a.png", "b.png", "c.png"])
      let fresh = try await scratch.image(words + ["--trust", "jp2", "--fresh"])
      #expect(fresh.errors.contains("1 file has no extension"), "\(fresh.errors)")
    }

    @Test(
      "R1 a format that has to be trusted is written with trust alone, and resume knows that",
      arguments: ["jxl", "jp2"])
    func written(ending: String) async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      let words = ["in.tif", "out.\(ending)", "--filter", "median:7", "--filter", "equalise"]
      let refused = try await scratch.image(words)
      #expect(refused.end == .exited(64) && !scratch.exists("out.\(ending)"))
      #expect(refused.errors.contains("add --trust \(ending)"), "\(refused.errors)")
      try await scratch.interruptedImage(words + ["--trust", ending, "--quiet"]).requireExit(75)
      try await scratch.start(["resume", "out.\(ending)", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      try await scratch.image(
        ["in.tif", "whole.\(ending)", "--trust", ending] + words.dropFirst(2)
      )
      .expectExit(0)
      #expect(try scratch.bytes("out.\(ending)") == scratch.bytes("whole.\(ending)"))
      try await scratch.image(["out.\(ending)", "back.png", "--trust", ending]).expectExit(0)
    }

    /// A gray TIFF of 1.2 GB whose strips all have the same bytes, which the format allows.
    private static func writeShared(to name: String, in scratch: Scratch) throws {
      func number(_ number: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      }
      let (width, height, rows) = (40_000, 30_000, 50)
      let strips = height / rows
      let listsAt = 8 + 2 + 9 * 12 + 4
      let pixelsAt = listsAt + 8 * strips
      let fields = [
        (256, 1, width), (257, 1, height), (258, 1, 8), (259, 1, 1), (262, 1, 1),
        (273, strips, listsAt), (277, 1, 1), (278, 1, rows), (279, strips, listsAt + 4 * strips),
      ]
      var file = Array("II".utf8) + number(42, 2) + number(8) + number(fields.count, 2)
      for (tag, count, value) in fields {
        file += number(tag, 2) + number(4, 2) + number(count) + number(value)
      }
      file += number(0)
      for value in [pixelsAt, width * rows] {
        for _ in 0..<strips { file += number(value) }
      }
      file += (0..<width * rows).map { UInt8(truncatingIfNeeded: $0 / 7) }
      try Data(file).write(to: URL(fileURLWithPath: scratch(name)))
    }

    @Test("R1 a size that its file cannot hold is refused with what to type, and taken on trust")
    func size() async throws {
      try Self.writeShared(to: "in.tif", in: scratch)
      let filters = ["--filter", "crop:40000x600+0+0", "--filter", "median:5"]
      let words = ["in.tif", "out.png"] + filters
      try await scratch.image(words)
        .expectExit(65, saying: "declares 40000 x 30000 pixels", "add --trust size")
      try await scratch.interruptedImage(words + ["--trust", "size", "--quiet"]).requireExit(75)
      try await scratch.start(["resume", "out.png", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      let again = try await scratch.image(words + ["--trust", "size", "--trust", "ppm"])
      #expect(again.end == .exited(0) && again.errors.contains("Finished before"))
      let set = ["in.tif", "--output-dir", "out", "--format", "png", "--filter", "crop:9x9+0+0"]
      try await scratch.image(set).expectExit(1, saying: "add --trust size")
      try await scratch.image(set + ["--trust", "size"]).expectExit(0)
      #expect(scratch.names(in: "out") == ["in.png"])
      let thumbnail = ["in.tif", "small.png", "--filter", "thumbnail:64"]
      try await scratch.image(thumbnail).expectExit(65, saying: "add --trust size")
      try await scratch.image(thumbnail + ["--trust", "size"]).expectExit(0)
      try scratch.write("image in.tif a.png --filter crop:9x9+0+0 --trust size\n", to: "lines")
      try await scratch.stint("batch", "lines", "--quiet").expectExit(0)
    }

    @Test("what one line of a batch trusts, no other line does")
    func batch() async throws {
      _ = try await Self.source("ppm", in: scratch, width: 60, height: 90)
      _ = try await Self.source("jp2", in: scratch)
      try scratch.write(
        """
        image in.ppm a.png --trust ppm
        image in.ppm b.png
        image in.jp2 c.png --trust ppm
        image in.jp2 --output-dir out --format png --trust jp2

        """, to: "lines")
      try scratch.makeFolder("out")
      let batch = try await scratch.stint("batch", "lines", "-j", "1").expectExit(1)
      #expect(["a.png", "b.png", "c.png"].filter(scratch.exists) == ["a.png"])
      #expect(scratch.names(in: "out") == ["in.png"])
      #expect(batch.errors.contains("add --trust jp2"), "\(batch.errors)")
    }
  }
}

extension Picture {
  /// A JPEG XL of 600 x 900 pixels: four areas of one colour each.
  static let jxl =
    Data(
      base64Encoded: """
        /woaHOhKgEgIAgEA0AAAAMACLMABLEADJMACSEACHAADFABLKDPd5IOa82AjHotRUFDQUCoxTahE1saNMXhe1I1trGLsBYIA\
        UJbUAqBxTL4zAlw4CACA047ZABAgiEOEfwozD7mVHSCIQ4R/CrMUmUoA/xTTjtkAECCIQ4R/CvPsgdfA0IA7h0OEfwqDFrEE\
        IPUN/xTTjtkAECCIQ4R/CheAAQB45PCDdCtdpQhpHCL8U8MbrwSAwcgaBON6h5iCfwoXAAEgxpATzP4S/FMDADABAA==
        """) ?? Data()

  /// A JPEG 2000 of as many pixels, in four tiles.
  static let jp2 =
    Data(
      base64Encoded: """
        AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAADhAAAAlgAAwcHAAAAAAAPY29scgEA\
        AAAAABAAAAEwanAyY/9P/1EALwAAAAACWAAAA4QAAAAAAAAAAAAAAgAAAAIAAAAAAAAAAAAAAwcBAQcBAQcBAf9SABABAgAB\
        AQMEBAAAiIiIiP9cABdCZzhnUGdQZ2hQBVAFUEdX01fTV2L/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41\
        LjD/kAAKAAAAAAAtAAH/k4CAxUgRUFSuIbH/f/qAgICAgICAgICAgICAgICAgID/kAAKAAEAAAAkAAH/k4CAxMAUAFyv/36A\
        gICAgICAgICAgID/kAAKAAIAAAAsAAH/k4CAxUARUFSuIbH/f4CAgICAgICAgICAgICAgICAgP+QAAoAAwAAACQAAf+TgIDE\
        wBQAXK//JYCAgICAgICAgICAgP/Z
        """) ?? Data()
}

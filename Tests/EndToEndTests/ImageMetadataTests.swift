import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("What images say besides their pixels")
  struct ImageMetadataTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let formats = ["jpg", "png", "tif", "webp", "avif"]

    private func holds(_ file: String, _ text: String) throws -> Bool {
      try scratch.bytes(file).range(of: Data(text.utf8)) != nil
    }

    /// What is wrong with a result of the photograph, which was turned upright.
    private func problems(of file: String, strip: String, _ width: Int, _ height: Int) throws
      -> [String]
    {
      let isStripped = strip == "all"
      var problems = try Photograph.thumbnails.filter { try holds(file, $0) }.map {
        "\($0) is there"
      }
      // Of a fraction only its bytes tell.
      let latitude = try scratch.bytes(file).range(of: Data([0x1A, 0x2B, 0x3C, 0x4D])) != nil
      let places = try Photograph.places.map { try holds(file, $0) } + [latitude]
      if places != Array(repeating: strip == "none", count: 5) {
        problems.append("places \(places)")
      }
      for text in [Photograph.note, Photograph.title] where try holds(file, text) == isStripped {
        problems.append("\(text) is \(isStripped ? "there" : "gone")")
      }
      let numbers = try Photograph.numbers(inExifOf: scratch.bytes(file))
      // A TIFF says how large it is in its own fields.
      let sides = [numbers[40962] ?? width, numbers[40963] ?? height, numbers[274] ?? 1]
      if sides != [width, height, 1] { problems.append("EXIF says \(sides)") }
      if !isStripped {
        if numbers[40962] == nil { problems.append("EXIF says no width") }
        if try !holds(file, #"tiff:Orientation="1""#) { problems.append("XMP's orientation") }
        if try !holds(file, "tiff:ImageWidth='\(width)'") { problems.append("XMP's width") }
        if try !holds(file, "<exif:PixelXDimension>\(width)</") { problems.append("XMP's pixels") }
        if try holds(file, "Headline") != ["jpg", "tif"].contains(where: file.hasSuffix) {
          problems.append("IPTC")
        }
      }
      return problems
    }

    @Test(
      "no small image of the source is left, and orientation and sides are those of the result",
      arguments: ["none", "gps", "all"])
    func stripped(strip: String) async throws {
      try await Photograph.write(to: "in.jpg", in: scratch, width: 300, height: 200)
      let words = strip == "none" ? [] : ["--strip", strip]
      let crop = ["--filter", "crop:120x90+0+0"]
      let small = ["--filter", "thumbnail:60"]
      for format in Self.formats {
        try await scratch.image(["in.jpg", "one.\(format)"] + crop + words).expectExit(0)
        #expect(try problems(of: "one.\(format)", strip: strip, 120, 90) == [], "\(format)")
        try await scratch.image(["in.jpg", "small.\(format)"] + small + words).expectExit(0)
        #expect(try problems(of: "small.\(format)", strip: strip, 40, 60) == [], "\(format)")
        try await scratch.image(
          ["in.jpg", "--output-dir", "out", "--format", format] + crop + words
        ).expectExit(0)
        #expect(try problems(of: "out/in.\(format)", strip: strip, 120, 90) == [], "\(format)")
      }
      let line = (["image", "in.jpg", "line.png"] + crop + words).joined(separator: " ")
      let set = ["image in.jpg --output-dir lines --format tiff"] + crop + words
      try scratch.write(line + "\n" + set.joined(separator: " ") + "\n", to: "lines.txt")
      try scratch.makeFolder("lines")
      try await scratch.stint("batch", "lines.txt", "--quiet").expectExit(0)
      #expect(try problems(of: "line.png", strip: strip, 120, 90) == [])
      #expect(try problems(of: "lines/in.tif", strip: strip, 120, 90) == [])
    }

    @Test("R11 resume leaves out what the job began without, and another choice is another job")
    func resumed() async throws {
      try await Photograph.write(to: "in.jpg", in: scratch, width: 2400, height: 2400)
      let filters = ["--filter", "median:9", "--filter", "equalise", "--quiet"]
      let words = ["in.jpg", "out.png"] + filters
      let begun = try scratch.start(
        ["run", "image", "--strip", "gps", "--checkpoint-every", "50ms", "--events", "e"] + words)
      try await begun.wait(until: "a checkpoint") {
        Journal(text: scratch.text("e")).newestCheckpoint > 0
      }
      begun.send(SIGTERM)
      try await begun.wait(atMost: .seconds(120)).requireExit(75)
      try await scratch.start(["resume", "out.png", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      #expect(try problems(of: "out.png", strip: "gps", 2400, 2400) == [])
      let again = try await scratch.image(
        ["in.jpg", "out.png"] + filters.dropLast() + ["--strip", "GPS"])
      #expect(again.end == .exited(0) && again.errors.contains("Finished before"))
      try await scratch.image(words + ["--force"]).expectExit(0)
      #expect(try problems(of: "out.png", strip: "none", 2400, 2400) == [])
      try await scratch.image(words + ["--strip", "exif"]).expectExit(64, saying: "none, gps, all")
    }

    @Test("R11 so does that of a set")
    func resumedSet() async throws {
      try await Photograph.write(to: "a.jpg", in: scratch, width: 300, height: 200)
      try await Photograph.write(to: "b.jpg", in: scratch, width: 2400, height: 2400)
      let words = [
        "run", "image", "a.jpg", "b.jpg", "--output-dir", "out", "--format", "png", "--filter",
        "median:9", "--filter", "equalise", "--quiet",
      ]
      let begun = try scratch.start(words + ["--strip", "all", "--checkpoint-every", "50ms"])
      try await begun.wait(until: "the first image") { scratch.exists("out/a.png") }
      begun.send(SIGTERM)
      try await begun.wait(atMost: .seconds(120)).requireExit(75)
      try await scratch.start(["resume", "out", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      #expect(try problems(of: "out/a.png", strip: "all", 200, 300) == [])
      #expect(try problems(of: "out/b.png", strip: "all", 2400, 2400) == [])
    }

    @Test("an orientation that is kept is there, whatever is left out")
    func keptOrientation() async throws {
      try await Photograph.write(to: "in.jpg", in: scratch, width: 300, height: 200)
      for format in Self.formats {
        for strip in ["none", "all"] {
          let words = ["--keep-orientation", "--strip", strip, "--force"]
          try await scratch.image(["in.jpg", "out.\(format)"] + words).expectExit(0)
          let numbers = try Photograph.numbers(inExifOf: scratch.bytes("out.\(format)"))
          #expect(
            numbers[274] ?? Self.bigEndianOrientation(scratch, format) == 6, "\(format) \(strip)")
          #expect(try holds("out.\(format)", #"tiff:Orientation="6""#) == (strip == "none"))
        }
      }
      try await scratch.image(["in.jpg", "out.gif", "--keep-orientation"])
        .expectExit(0, saying: "GIF cannot hold the orientation")
    }

    /// The orientation in the EXIF data that a PNG has for nothing else.
    private static func bigEndianOrientation(_ scratch: Scratch, _ format: String) -> Int {
      let bytes = (try? scratch.bytes("out.\(format)")) ?? Data()
      guard format == "png", let found = bytes.range(of: Data([1, 18, 0, 3, 0, 0, 0, 1, 0])) else {
        return 0
      }
      return Int(bytes[found.upperBound])
    }

    @Test("the texts of a PNG are kept in a PNG, and others say that they cannot")
    func texts() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 70, height: 90)
      try await scratch.image(["in.tif", "plain.png"]).expectExit(0)
      var png = try scratch.bytes("plain.png")
      var chunks = Data()
      for text in ["Title\0Caf\u{E9}", "Comment\0", "exif:GPSInfo\0 1", "GPSPosition\0here"] {
        let body = Data("tEXt".utf8) + Data(text.unicodeScalars.map { UInt8($0.value) })
        chunks += Self.bigEndian(UInt32(body.count - 4)) + body + Self.bigEndian(Self.crc(body))
      }
      // Behind the signature and IHDR.
      png.insert(contentsOf: chunks, at: 33)
      try png.write(to: URL(fileURLWithPath: scratch("in.png")))
      let title = Data("tEXtTitle\0Caf".utf8) + [0xE9]
      for (words, isThere) in [
        ([], true), (["--strip", "gps"], true), (["--strip", "all"], false),
      ] {
        try await scratch.image(["in.png", "out.png", "--force", "--filter", "invert"] + words)
          .expectExit(0)
        let bytes = try scratch.bytes("out.png")
        #expect((bytes.range(of: title) != nil) == isThere, "\(words)")
        #expect(try holds("out.png", "tEXtComment\0") == isThere)
        #expect(try holds("out.png", "GPSPosition") == words.isEmpty)
        #expect(try !holds("out.png", "exif:"))
      }
      try await scratch.image(["in.png", "out.tif"])
        .expectExit(0, saying: "TIFF cannot hold the texts")
      let stripped = try await scratch.image(["in.png", "bare.jpg", "--strip", "all"])
      #expect(stripped.end == .exited(0) && !stripped.errors.contains("texts"))
    }

    private static func bigEndian(_ number: UInt32) -> Data {
      withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    /// The CRC of PNG's chunks (ISO/IEC 15948, annex D), bit by bit.
    private static func crc(_ bytes: Data) -> UInt32 {
      ~bytes.reduce(~0) { crc, byte in
        (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
          crc & 1 == 1 ? 0xedb8_8320 ^ (crc >> 1) : crc >> 1
        }
      }
    }
  }
}

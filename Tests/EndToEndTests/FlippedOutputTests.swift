import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  /// A bit of partial output that flips while no process works on the job.
  @Suite("Flipped partial output of programs")
  struct FlippedOutputTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let filter = ["--filter", "median:3", "--quiet"]

    /// Where a bit flips.
    struct Flip: CustomTestStringConvertible, Sendable {
      var file: String
      /// Which of the parts that the checkpoint counts on; the last one if there are fewer.
      var part: Int
      /// How much of the part is before it.
      var share: Double

      var testDescription: String { "\(file), part \(part), at \(share)" }
    }

    /// Of a TIFF, part 1 is a list of places or lengths, and the last one the pixels.
    private static let flips =
      [(0, 0.2), (1, 0), (9, 0.3), (9, 0.6), (9, 1)].map {
        Flip(file: "result", part: $0.0, share: $0.1)
      } + [0.1, 1].map { Flip(file: "decoded", part: 0, share: $0) }

    private func image(_ output: String) -> [String] { ["in.png", output] + Self.filter }

    /// Begins a job under a budget and stops it when its newest checkpoint counts on a file.
    private func begin(_ arguments: [String], countsOn file: String, atLeast bytes: Int)
      async throws
    {
      let process = try scratch.start(
        ["run"] + arguments + ["--budget", "10min", "--checkpoint-every", "50ms"])
      try await process.wait(until: "a checkpoint that counts on \(file)") {
        counted(file).reduce(0) { $0 + $1.count } >= bytes
      }
      process.send(SIGKILL)
      try #require(try await process.wait().end == .signalled(SIGKILL))
    }

    /// The parts of a partial file of which the newest checkpoint has checksums, read as another
    /// program would (`docs/formats/checkpoint.md`).
    private func counted(_ file: String) -> [Range<Int>] {
      guard let job = scratch.job,
        let newest = scratch.names(in: job + "/checkpoints").last(where: { $0.hasSuffix(".ckpt") }),
        let data = try? scratch.bytes(job + "/checkpoints/" + newest), data.count > 144,
        data[8] == 2
      else { return [] }
      let bytes = Array(data)
      func word(_ offset: Int) -> Int {
        (0..<8).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
      }
      var place = bytes.count - 16 - word(bytes.count - 16)
      let count = word(place + 8)
      place += 16
      var parts: [Range<Int>] = []
      for _ in 0..<count {
        let length = word(place)
        let name = String(decoding: bytes[(place + 8)..<(place + 8 + length)], as: UTF8.self)
        place += 8 + length
        let range = word(place + 8)..<word(place + 16)
        if name == file { parts.append(range) }
        place += 24 + 16 * ((range.count + (4 << 20) - 1) / (4 << 20))
      }
      return parts
    }

    private func flip(_ flip: Flip) throws {
      let parts = counted(flip.file)
      let part = try #require(parts.isEmpty ? nil : parts[min(flip.part, parts.count - 1)])
      let offset = part.lowerBound + Int(flip.share * Double(part.count - 1))
      let path = scratch(try #require(scratch.job) + "/partial/" + flip.file)
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      var byte: UInt8 = 0
      try #require(pread(descriptor, &byte, 1, offset) == 1)
      byte ^= 4
      try #require(pwrite(descriptor, &byte, 1, offset) == 1)
    }

    /// What `stint verify` says of a partial file.
    private func verified(_ file: String) async throws -> String {
      let text = try await scratch.stint("verify", try scratch.key, "--json").text
      struct Report: Decodable {
        struct Item: Decodable { var name: String, state: String }
        var items: [Item]
      }
      let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
      return report.items.first { $0.name == "partial/" + file }?.state ?? "missing"
    }

    /// Either the flip is found and nothing is published, or an older checkpoint gave the right
    /// bytes.
    private func expectNothingWrong(
      _ arguments: [String], _ output: String, whole: String
    ) async throws {
      let run = try await scratch.start(["run"] + arguments + ["--budget", "10min"]).wait()
      switch run.end {
      case .exited(0):
        #expect(try scratch.bytes(output) == scratch.bytes(whole))
        #expect(run.errors.contains("set aside"), "\(run.errors)")
      case .exited(65):
        #expect(!scratch.exists(output))
        #expect(run.errors.contains("--fresh"), "\(run.errors)")
        try await scratch.start(["run"] + arguments + ["--fresh"]).wait().expectExit(0)
        #expect(try scratch.bytes(output) == scratch.bytes(whole))
      default:
        Issue.record("\(run.end): \(run.errors)")
      }
    }

    private func makeSource() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      try await scratch.image(["in.tif", "in.png", "--quiet"]).requireExit(0)
    }

    @Test(
      "C9 a flipped bit of an image's partial files gives no wrong image, and verify finds it",
      arguments: ["png", "tif"], flips)
    func image(ending: String, flip: Flip) async throws {
      try await makeSource()
      try await scratch.image(["in.png", "whole.\(ending)", "--budget", "10min"] + Self.filter)
        .requireExit(0)
      try await scratch.stint("clean").requireExit(0)
      let arguments = ["image"] + image("out.\(ending)")
      try await begin(arguments, countsOn: "result", atLeast: 300_000)
      #expect(try await verified(flip.file) == "ok")
      try self.flip(flip)
      #expect(try await verified(flip.file) == "damaged")
      try await expectNothingWrong(arguments, "out.\(ending)", whole: "whole.\(ending)")
    }

    @Test(
      "C9 a flipped bit of the pixels of a format that is written at once gives no wrong image",
      arguments: [
        Flip(file: "pixels", part: 0, share: 0.2), Flip(file: "decoded", part: 0, share: 0.5),
      ])
    func pixels(flip: Flip) async throws {
      try await makeSource()
      try await scratch.image(["in.png", "whole.webp", "--budget", "10min"] + Self.filter)
        .requireExit(0)
      try await scratch.stint("clean").requireExit(0)
      let arguments = ["image"] + image("out.webp")
      try await begin(arguments, countsOn: "pixels", atLeast: 5 << 20)
      try self.flip(flip)
      #expect(try await verified(flip.file) == "damaged")
      try await expectNothingWrong(arguments, "out.webp", whole: "whole.webp")
    }

    @Test("C9 a flipped bit of the lines of a sequence is found, by verify too")
    func sequence() async throws {
      let whole = ["fibonacci", "--sequence", "0..12000", "--quiet", "-o"]
      try await scratch.start(["run"] + whole + ["whole.txt"]).wait().requireExit(0)
      try await scratch.stint("clean").requireExit(0)
      let arguments = whole + ["out.txt"]
      try await begin(arguments, countsOn: "result", atLeast: 1 << 20)
      let flip = Flip(file: "result", part: 0, share: 0.1)
      #expect(try await verified("result") == "ok")
      try self.flip(flip)
      #expect(try await verified("result") == "damaged")
      try await expectNothingWrong(arguments, "out.txt", whole: "whole.txt")
    }

    @Test("C2 a flipped bit or a cut of a set's ledger is named, and no result is lost")
    func ledger() async throws {
      for name in ["a.tif", "b.tif", "c.tif"] {
        try Picture.write(to: name, in: scratch, width: 8, height: 8)
      }
      let arguments = [
        "a.tif", "b.tif", "c.tif", "--output-dir", "out", "--filter", "invert",
      ]
      try await scratch.image(arguments).requireExit(0)
      #expect(try await verified("set") == "ok")
      let path = try #require(scratch.job) + "/partial/set"
      let whole = try scratch.bytes(path)
      let results = try ["a.tif", "b.tif", "c.tif"].map { try scratch.bytes("out/" + $0) }
      var flipped = whole
      flipped[whole.count / 2] ^= 4
      for bytes in [flipped, Data(whole.dropLast(100)), Data()] {
        try bytes.write(to: URL(filePath: scratch(path)))
        #expect(try await verified("set") == "damaged")
        let check = try await scratch.stint("verify", try scratch.key).expectExit(65)
        #expect(check.text.contains("partial/set"))
        let run = try await scratch.image(arguments).expectExit(0)
        #expect(run.errors.contains("partial/set, is damaged"), "\(run.errors)")
        #expect(try await verified("set") == "ok")
        #expect(
          try ["a.tif", "b.tif", "c.tif"].map { try scratch.bytes("out/" + $0) } == results)
      }
    }

    @Test("C9 in a set, a large image whose partial files have changed is made anew")
    func set() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 3000, height: 3000)
      try await scratch.image(["in.tif", "in.png", "--quiet"]).requireExit(0)
      let filter = ["--filter", "median:5", "--quiet"]
      try await scratch.image(["in.png", "whole.png", "--budget", "10min"] + filter)
        .requireExit(0)
      try await scratch.stint("clean").requireExit(0)
      let arguments = ["image", "in.png", "--output-dir", "out"] + filter
      // With more time it would be made in memory, as a small one; a stop cuts its one chunk.
      let process = try scratch.start(["run"] + arguments + ["--budget", "16s"])
      try await process.wait(until: "decoded pixels") {
        var status = stat()
        let path = scratch((scratch.job ?? "") + "/partial/decoded")
        return stat(path, &status) == 0 && status.st_size > 12 << 20
      }
      process.send(SIGTERM)
      try await process.wait(atMost: .seconds(60)).requireExit(75)
      try flip(Flip(file: "decoded", part: 0, share: 0.1))
      #expect(try await verified("decoded") == "note")
      let loud = arguments.filter { $0 != "--quiet" }
      let run = try await scratch.start(["run"] + loud + ["--budget", "10min"])
        .wait(atMost: .seconds(120)).expectExit(0)
      #expect(run.errors.contains("made anew"), "\(run.errors)")
      #expect(try scratch.bytes("out/in.png") == scratch.bytes("whole.png"))
    }
  }
}

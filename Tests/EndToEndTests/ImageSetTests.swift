import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("Many images")
  struct ImageSetTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Small pictures, and one among them that takes several stints.
    private static func pictures(in scratch: Scratch, small: Int = 20, height: Int = 2200) throws
      -> [String]
    {
      try scratch.makeFolder("in")
      var names: [String] = []
      for index in 0..<small {
        let name = "in/\(index < 10 ? "0" : "")\(index).tif"
        try Picture.write(
          to: name, in: scratch, width: 60 + index, height: 90, seed: UInt64(index))
        names.append(name)
      }
      try Picture.write(to: "in/05-large.tif", in: scratch, width: 1400, height: height)
      return (names + ["in/05-large.tif"]).sorted()
    }

    private static let filters = [
      "--format", "png", "--filter", "median:5", "--filter", "equalise",
    ]

    @Test(
      "R1 SIGKILL at any instant of short stints: every file whole at all times, none made twice, equal bytes"
    )
    func killed() async throws {
      let inputs = try Self.pictures(in: scratch, height: 3600)
      try await scratch.image(inputs + ["--output-dir", "whole"] + Self.filters).requireExit(0)
      let expected = try Self.contents(of: "whole", in: scratch)
      #expect(expected.count == inputs.count)
      var numbers = SplitMix64(seed: 11)
      var last = ProcessEnd.exited(-1)
      var (runs, seen) = (0, 0)
      while last != .exited(0), runs < 150 {
        // A busy machine does too little in a second, so that each has a little more.
        let process = try scratch.start(
          ["run", "image"] + inputs + ["--output-dir", "cut"] + Self.filters
            + ["--budget", "\(1000 + 20 * runs)ms", "--quiet"])
        runs += 1
        if runs % 3 != 0 {
          try await Task.sleep(for: .milliseconds(Int(numbers.next() % 1000)))
          process.send(SIGKILL)
        }
        let finished = try await process.wait()
        last = finished.end
        let isStarved =
          last == .exited(1) && finished.errors.contains("takes longer than a stint")
        #expect(
          [.exited(0), .exited(75), .signalled(SIGKILL)].contains(last) || isStarved,
          "\(finished.errors)")
        // R18: what stands under a final name is complete, and what is done stays.
        let found = try Self.contents(of: "cut", in: scratch)
        for (name, bytes) in found {
          #expect(bytes == expected[name], "\(name) after \(runs) runs")
        }
        #expect(found.count >= seen)
        seen = found.count
      }
      #expect(last == .exited(0))
      #expect(runs > 2)
      #expect(try Self.contents(of: "cut", in: scratch) == expected)
      #expect(scratch.names(in: "cut").allSatisfy { !$0.hasPrefix(".") })
    }

    private static func contents(of folder: String, in scratch: Scratch) throws -> [String: Data] {
      var contents: [String: Data] = [:]
      for name in scratch.names(in: folder) where !name.hasPrefix(".") {
        contents[name] = try scratch.bytes("\(folder)/\(name)")
      }
      return contents
    }

    @Test("a finished set says so and exits with 0, and nothing is made again")
    func finishedBefore() async throws {
      let inputs = try Self.pictures(in: scratch, small: 5)
      let words = inputs + ["--output-dir", "out"] + Self.filters
      let first = try await scratch.image(words + ["--json", "--events", scratch("events")])
      try #require(first.end == .exited(0), "\(first.errors)")
      #expect(first.text.contains("\"inputs\":6,\"inputsDone\":6,\"inputsFailed\":0,\"files\":6"))
      #expect(first.text.contains("\"filesMadeNow\":6"))
      let events = scratch.text("events").split(separator: "\n").filter {
        $0.contains("\"event\":\"image\"")
      }
      #expect(events.count == 6)
      #expect(events.allSatisfy { $0.contains("\"outcome\":\"done\"") && $0.contains("/out/") })
      var before = stat()
      stat(scratch("out/00.png"), &before)
      try await scratch.image(words).expectExit(0, saying: "Finished before")
      var after = stat()
      stat(scratch("out/00.png"), &after)
      #expect(before.st_ino == after.st_ino)
      // One that is gone is made again, alone.
      unlink(scratch("out/00.png"))
      let third = try await scratch.image(words + ["--json"]).expectExit(0)
      #expect(third.text.contains("\"filesMadeNow\":1"), "\(third.text)")
      try await scratch.stint("status", "out").expectExit(0)
      try await scratch.stint("verify", "out").expectExit(0)
    }

    @Test("a broken and a missing input are named, the others are made, and the exit status is 1")
    func failures() async throws {
      let inputs = try Self.pictures(in: scratch, small: 3)
      try scratch.write("no image", to: "in/broken.png")
      let words =
        inputs + ["in/broken.png", "in/missing.png", "--output-dir", "out"] + Self.filters
      let run = try await scratch.image(words + ["--json", "--quiet"])
        .expectExit(1, saying: "2 of 6 images failed")
      #expect(run.errors.contains("in/broken.png") && run.errors.contains("in/missing.png"))
      #expect(run.text.contains("\"inputsFailed\":2") && run.text.contains("\"failures\":[{"))
      #expect(scratch.names(in: "out").sorted() == ["00.png", "01.png", "02.png", "05-large.png"])
      // Repaired, they are all that is left to do.
      for name in ["in/broken.png", "in/missing.png"] {
        try scratch.bytes("in/01.tif").write(to: URL(fileURLWithPath: scratch(name)))
      }
      let again = try await scratch.image(words + ["--json"]).expectExit(0)
      #expect(again.text.contains("\"filesMadeNow\":2"), "\(again.text)")
    }

    @Test("an input that changed after its image was made is made again, and the others are not")
    func changed() async throws {
      let inputs = try Self.pictures(in: scratch, small: 6)
      let words = inputs + ["--output-dir", "out", "--quiet"] + Self.filters
      var runs = 0
      while !(scratch.exists("out/00.png") && scratch.exists("out/01.png")), runs < 50 {
        // A busy machine may need longer to begin with; then the next has more.
        runs += 1
        try await scratch.image(words + ["--budget", "\(400 * runs)ms"]).requireExit(75)
      }
      try #require(scratch.exists("out/00.png") && scratch.exists("out/01.png"))
      let before = try [scratch.bytes("out/00.png"), scratch.bytes("out/01.png")]
      // The same bytes in another file, and other bytes.
      try scratch.bytes("in/01.tif").write(to: URL(fileURLWithPath: scratch("in/01.tif")))
      try Picture.write(to: "in/00.tif", in: scratch, width: 80, height: 70, seed: 9)
      var (old, new) = (stat(), stat())
      stat(scratch("out/01.png"), &old)
      try await scratch.image(words).expectExit(0)
      stat(scratch("out/01.png"), &new)
      #expect(old.st_ino == new.st_ino)
      #expect(try scratch.bytes("out/00.png") != before[0])
      #expect(try scratch.bytes("out/01.png") == before[1])
      try await scratch.image(inputs + ["--output-dir", "fresh", "--quiet"] + Self.filters)
        .expectExit(0)
      #expect(
        try Self.contents(of: "out", in: scratch) == Self.contents(of: "fresh", in: scratch))
    }

    @Test(
      "R1 a set grows, shrinks and changes while its runs are killed: each result is the one of its input, and no other goes"
    )
    func grown() async throws {
      let all = try Self.pictures(in: scratch, small: 8)
      var numbers = SplitMix64(seed: 20)
      var runs = 0
      func settle(_ words: [String]) async throws {
        var last = ProcessEnd.exited(-1)
        var tries = 0
        while last != .exited(0), tries < 60 {
          let process = try scratch.start(
            ["run", "image"] + words + [
              "--output-dir", "cut", "--budget", "\(1500 + 50 * tries)ms",
            ]
              + Self.filters)
          (runs, tries) = (runs + 1, tries + 1)
          if tries % 3 != 0 {
            try await Task.sleep(for: .milliseconds(Int(numbers.next() % 900)))
            process.send(SIGKILL)
          }
          last = try await process.wait().end
        }
        #expect(last == .exited(0))
      }
      try await settle(Array(all.prefix(4)))
      try await settle(all.reversed())
      try Picture.write(to: "in/02.tif", in: scratch, width: 77, height: 33, seed: 44)
      try scratch.write("no image", to: "in/notes.txt")
      try await settle(["--recursive", "in"])
      unlink(scratch("in/03.tif"))
      try await settle(["--recursive", "in"])
      #expect(scratch.exists("cut/03.png"))
      try await settle(["--recursive", "in", "--delete-orphans"])
      #expect(runs > 5)
      try await scratch.image(
        ["--recursive", "in", "--output-dir", "whole", "--quiet"] + Self.filters
      ).expectExit(0)
      #expect(try Self.contents(of: "cut", in: scratch) == Self.contents(of: "whole", in: scratch))
    }

    @Test("folders keep their tree, and lists are lines or NUL-separated; names may have newlines")
    func folders() async throws {
      for folder in ["photos/2024/may", "photos/.hidden"] {
        try scratch.makeFolder(folder)
      }
      for name in ["photos/a.tif", "photos/2024/a.tif", "photos/2024/may/b c.tif", "odd\nname.tif"]
      {
        try Picture.write(to: name, in: scratch, width: 30, height: 20)
      }
      try scratch.write("x", to: "photos/2024/notes.txt")
      try Picture.write(to: "photos/.hidden/x.tif", in: scratch, width: 30, height: 20)
      // The folder of the results is within that of the inputs.
      let words = ["--recursive", "photos", "--output-dir", "photos/small", "--filter", "invert"]
      try await scratch.image(words)
        .expectExit(0, saying: "1 file has no extension of an image")
      #expect(scratch.names(in: "photos/small").sorted() == ["2024", "a.tif"])
      #expect(scratch.names(in: "photos/small/2024").sorted() == ["a.tif", "may"])
      #expect(scratch.names(in: "photos/small/2024/may") == ["b c.tif"])
      let again = try await scratch.image(words + ["--json"])
      #expect(again.text.contains("\"filesMadeNow\":0"), "\(again.text)")
      let listed = try await scratch.shell(
        """
        run() { "$STINT" run image --output-dir "$1" --filter invert --files-from - -q; echo "$1 $?"; }
        find photos -maxdepth 1 -name '*.tif' | run lines
        find . -maxdepth 1 -name '*.tif' -print0 | run nul
        printf '' | run none 2>/dev/null
        printf 'a\\377.tif\\n' | run other 2>/dev/null
        find photos -name a.tif -maxdepth 1 > list
        "$STINT" run image --output-dir file --filter invert --files-from list -q; echo "file $?"
        "$STINT" run image --output-dir no --filter invert --files-from - --isolated 2>/dev/null
        echo "no $?"
        """)
      #expect(
        listed.text == "lines 0\nnul 0\nnone 64\nother 64\nfile 0\nno 64\n",
        "\(listed.text)\(listed.errors)")
      #expect(scratch.names(in: "nul") == ["odd\nname.tif"])
      #expect(scratch.names(in: "lines") == ["a.tif"])
    }

    @Test("results whose inputs are gone are named, kept, and removed with --delete-orphans")
    func orphans() async throws {
      let inputs = try Self.pictures(in: scratch, small: 3).filter { !$0.contains("large") }
      let words = ["--output-dir", "out"] + Self.filters
      try #require(try await scratch.image(inputs + words).end == .exited(0))
      let named = try await scratch.image([inputs[0]] + words + ["--json"])
        .expectExit(0, saying: "01.png, 02.png", "--delete-orphans removes them")
      #expect(
        named.text.contains("\"orphans\":[\"01.png\",\"02.png\"],\"orphansDeleted\":false"),
        "\(named.text)")
      #expect(scratch.names(in: "out").count == 3)
      let removed = try await scratch.image([inputs[0]] + words + ["--delete-orphans", "--json"])
      #expect(removed.text.contains("\"orphansDeleted\":true"), "\(removed.text)")
      #expect(scratch.names(in: "out") == ["00.png"])
    }

    @Test("inputs that cannot be seen now cost no result, whatever is asked of orphans")
    func unseen() async throws {
      let inputs = try Self.pictures(in: scratch, small: 3).filter { !$0.contains("large") }
      let words = ["--output-dir", "out", "--delete-orphans"] + Self.filters
      try #require(try await scratch.image(inputs + words).end == .exited(0))
      let results = scratch.names(in: "out")
      // What the shell hands over where a pattern matches nothing.
      try await scratch.image(["gone/*.tif"] + words).expectExit(1)
      #expect(scratch.names(in: "out").count == 3)
      try await scratch.image(["--recursive", "gone"] + words).expectExit(74)
      #expect(scratch.names(in: "out").count == 3)
      // A link that leads nowhere, where an input was; and one that cannot be looked at.
      let path = scratch(inputs[1])
      for target in ["nowhere", URL(filePath: path).lastPathComponent] {
        unlink(path)
        try #require(symlink(target, path) == 0)
        for operands in [["--recursive", "in"], inputs] {
          let run = try await scratch.image(operands + words).expectExit(1)
          #expect(run.errors.contains(inputs[1]), "\(run.errors)")
          #expect(scratch.names(in: "out").filter { results.contains($0) } == results)
        }
      }
    }

    @Test(
      "W13 an image of which a step is longer than any stint fails by name, and the others are made"
    )
    func tooLong() async throws {
      let inputs = try Self.pictures(in: scratch, small: 8)
      // Lossless WebP is written in one go, for longer than the budget, which is enough to start.
      try Picture.write(to: "in/03-huge.tif", in: scratch, width: 6000, height: 6000)
      let words =
        (inputs + ["in/03-huge.tif"]).sorted().filter { $0 != "in/05-large.tif" }
        + ["--output-dir", "out", "--format", "webp", "--compression", "lossless"]
        + ["--filter", "invert"]
      var (last, runs, errors) = (ProcessEnd.exited(75), 0, "")
      while last == .exited(75), runs < 50 {
        let run = try await scratch.image(words + ["--budget", "2s"])
        (last, errors, runs) = (run.end, run.errors, runs + 1)
      }
      #expect(last == .exited(1), "\(errors)")
      #expect(errors.contains("1 of 9 images failed"), "\(errors)")
      #expect(errors.contains("03-huge.tif"), "\(errors)")
      #expect(errors.contains("budget"), "\(errors)")
      #expect(scratch.names(in: "out").sorted() == (0..<8).map { "0\($0).webp" })
      try await scratch.image(words).expectExit(0)
      #expect(scratch.exists("out/03-huge.webp"))
    }

    @Test("resume goes on with a set by its folder alone")
    func resumed() async throws {
      let inputs = try Self.pictures(in: scratch, small: 6)
      try await scratch.interruptedImage(
        inputs + ["--output-dir", "out", "--quiet"] + Self.filters
      )
      .requireExit(75)
      let list = try await scratch.stint("list")
      #expect(list.text.contains("images median:size=5+equalise"), "\(list.text)")
      try await scratch.start(["resume", "out", "--quiet"]).wait(atMost: .seconds(120))
        .expectExit(0)
      #expect(scratch.names(in: "out").count == inputs.count)
    }

    @Test(
      "what cannot be done with many images is refused before the work",
      arguments: [
        (["in/a.tif", "other/a.tif", "--output-dir", "out"], 64, "would both be a.tif"),
        (["in/a.tif", "in/a.tif", "--output-dir", "out"], 64, "given twice"),
        (["in/a.tif", "--output-dir", "in"], 64, "would replace it"),
        (["in/a.xyz", "--output-dir", "out"], 64, "add --format"),
        (["--output-dir", "out"], 64, "inputs are missing"),
        (["in/a.tif", "--output-dir", "out", "--output", "x.tif"], 64, "not both"),
        (["in/a.tif", "--output-dir", "no/out"], 73, "No such file"),
        (["in/a.tif", "--output-dir", "in/a.tif"], 73, "Not a directory"),
        (["in/a.tif", "--output-dir", "taken"], 73, "a.tif exists and is not this job's result"),
        (["in/a.tif", "x.png", "--frames"], 64, "add --output-dir"),
        (["in/a.tif", "b.tif", "c.tif"], 64, "--output-dir"),
        (["in/a.tif", "--output-dir", "out", "--frames", "--page", "1"], 64, "give one"),
        (["in/a.tif", "--output-dir", "out", "--suffix", "a/b"], 64, "has a slash"),
        (["in/a.tif", "--output-dir", "out", "--filter", "inwert"], 64, "invert"),
        (["in", "--output-dir", "out"], 64, "add --recursive"),
        (["--recursive", "empty", "--output-dir", "out"], 64, "no image in empty"),
        (["--files-from", "none", "--output-dir", "out"], 74, "No such file"),
        (["in/a.tif", "x.png", "--delete-orphans"], 64, "add --output-dir"),
        (["in/a.tif", "x.png", "--recursive"], 64, "add --output-dir"),
      ] as [([String], Int32, String)])
    func refused(arguments: [String], status: Int32, part: String) async throws {
      for folder in ["in", "other", "taken", "empty"] {
        try scratch.makeFolder(folder)
        if folder == "empty" { continue }
        try Picture.write(to: "\(folder)/a.tif", in: scratch, width: 30, height: 20)
      }
      let before = try scratch.bytes("taken/a.tif")
      let run = try await scratch.image(arguments).expectExit(status)
      #expect(run.errors.contains(part), "\(run.errors)")
      #expect(try scratch.bytes("taken/a.tif") == before)
      #expect(scratch.names(in: "out").isEmpty)
    }

    @Test("--suffix, --format and endings make the names; --dry-run makes nothing")
    func names() async throws {
      try Picture.write(to: "a.TIFF", in: scratch, width: 30, height: 20)
      try Picture.write(to: "b.png", in: scratch, width: 30, height: 20)
      let dry = try await scratch.image(["a.TIFF", "b.png", "--output-dir", "out", "--dry-run"])
      #expect(dry.end == .exited(0), "\(dry.errors)")
      #expect(dry.text.contains("2 inputs"), "\(dry.text)")
      #expect(!scratch.exists("out"))
      try await scratch.image(["a.TIFF", "b.png", "--output-dir", "out"]).expectExit(0)
      #expect(scratch.names(in: "out").sorted() == ["a.TIFF", "b.png"])
      try await scratch.image([
        "a.TIFF", "b.png", "--output-dir", ".", "--suffix", "-x", "--format", "tiff",
      ]).expectExit(0)
      #expect(scratch.exists("a-x.TIFF") && scratch.exists("b-x.tif"))
    }
  }
}

import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("What a set of images takes for inputs, and what it calls the results")
  struct ImageSetInputTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pictures(_ names: String...) throws {
      for (index, name) in names.enumerated() {
        let folder = FilePath(name).folder.map { "\($0)" } ?? ""
        if !folder.isEmpty, !scratch.exists(folder) { try scratch.makeFolder(folder) }
        try Picture.write(
          to: name, in: scratch, width: 30 + index, height: 20, seed: UInt64(index))
      }
    }

    private func inode(_ name: String) -> ino_t {
      var status = stat()
      return stat(scratch(name), &status) == 0 ? status.st_ino : 0
    }

    private static let invert = ["--filter", "invert"]

    // MARK: Results

    @Test("results are no inputs, neither of their own set nor of another, however often it runs")
    func results() async throws {
      try pictures("photos/a.tif", "photos/b.tif")
      let sets = [
        ["--recursive", "photos", "--output-dir", "photos/small", "--suffix", "-s"],
        ["--recursive", "photos", "--output-dir", "photos/grey", "--suffix", "-g"],
        ["--recursive", "photos", "--output-dir", "photos", "--suffix", "-here"],
        ["--recursive", "photos/", "--output-dir", "photos", "--format", "webp", "--frames"],
      ]
      for round in 0..<3 {
        for words in sets {
          let run = try await scratch.image(words + Self.invert + ["--json"]).expectExit(0)
          #expect(run.text.contains("\"inputs\":2,"), "\(run.text)")
          #expect(run.text.contains("\"filesMadeNow\":\(round == 0 ? 2 : 0)"), "\(run.text)")
          if round == 1 {
            #expect(run.errors.contains("results of this set or of"), "\(run.errors)")
          }
        }
      }
      #expect(
        scratch.names(in: "photos").sorted() == [
          "a-0.webp", "a-here.tif", "a.tif", "b-0.webp", "b-here.tif", "b.tif", "grey", "small",
        ])
      // What was changed since is somebody's picture.
      try Picture.write(to: "photos/small/a-s.tif", in: scratch, width: 90, height: 9)
      let changed = try await scratch.image(sets[1] + Self.invert + ["--json"]).expectExit(0)
      #expect(changed.text.contains("\"inputs\":3,"), "\(changed.text)")
      // The set of a job that is gone is not known.
      try await scratch.stint("clean", "--all", "photos/grey").expectExit(0)
      let cleaned = try await scratch.image(
        ["--recursive", "photos", "--output-dir", "out"] + Self.invert + ["--json"]
      ).expectExit(0)
      #expect(cleaned.text.contains("\"inputs\":6,"), "\(cleaned.text)")
    }

    @Test("a result that is named is an input of another set, and left out of its own")
    func namedResults() async throws {
      try pictures("a.tif", "b.tif")
      let words = ["--output-dir", ".", "--suffix", "-s"] + Self.invert
      try await scratch.image(["a.tif", "b.tif"] + words).expectExit(0)
      // What the shell makes of *.tif then.
      let all = ["a-s.tif", "a.tif", "b-s.tif", "b.tif"]
      let again = try await scratch.image(all + words + ["--json"])
        .expectExit(0, saying: "2 inputs are results of this set or of another one")
      #expect(again.text.contains("\"inputs\":2,"), "\(again.text)")
      try scratch.write(all.joined(separator: "\n"), to: "list")
      try await scratch.image(["--files-from", "list"] + words).expectExit(0)
      #expect(scratch.names(in: ".").filter { $0.hasSuffix("s-s.tif") }.isEmpty)
      try await scratch.image(["a-s.tif"] + words).expectExit(64, saying: "nothing to do")
      // By name they are inputs of another one.
      try await scratch.image(["a-s.tif", "--output-dir", ".", "--suffix", "-t"] + Self.invert)
        .expectExit(0)
      #expect(scratch.exists("a-s-t.tif"))
    }

    @Test("a folder of results that is named itself is the source of the next set")
    func chained() async throws {
      try pictures("in/a.tif", "in/b.tif")
      try await scratch.image(["--recursive", "in", "--output-dir", "small"] + Self.invert)
        .expectExit(0)
      for _ in 0..<2 {
        try await scratch.image(
          ["--recursive", "small", "--output-dir", "small/webp", "--format", "webp"] + Self.invert
        ).expectExit(0)
      }
      #expect(scratch.names(in: "small/webp").sorted() == ["a.webp", "b.webp"])
    }

    @Test("shards leave out the results of all shards")
    func shards() async throws {
      try pictures("p/a.tif", "p/b.tif", "p/c.tif", "p/d.tif")
      for round in 0..<2 {
        for shard in ["1/2", "2/2"] {
          try await scratch.image(
            ["--recursive", "p", "--output-dir", "p", "--suffix", "-s", "--shard", shard]
              + Self.invert
          ).expectExit(0)
        }
        #expect(scratch.names(in: "p").count == 8, "after round \(round)")
      }
    }

    // MARK: Exclusion

    @Test(
      "--exclude leaves names out at any depth, and paths below the folder, with all in them",
      arguments: [
        (["*-old.*"], ["a.tif", "raw/a.tif", "raw/deep/ü.tif"]),
        (["raw"], ["a-old.tif", "a.tif"]),
        (["/raw/deep/"], ["a-old.tif", "a.tif", "raw/a.tif"]),
        (["deep/*"], ["a-old.tif", "a.tif", "raw/a.tif", "raw/deep/ü.tif"]),
        (["raw/*.tif"], ["a-old.tif", "a.tif", "raw/deep/ü.tif"]),
        (["raw/**/*.tif"], ["a-old.tif", "a.tif"]),
        (["?.tif"], ["a-old.tif"]),
        (["A.tif", "[b-z]*"], ["a-old.tif", "a.tif"]),
      ] as [([String], [String])])
    func excluded(patterns: [String], left: [String]) async throws {
      try pictures("in/a.tif", "in/a-old.tif", "in/raw/a.tif", "in/raw/deep/ü.tif")
      try await scratch.image(
        ["--recursive", "in", "--output-dir", "out"] + Self.invert
          + patterns.flatMap { ["--exclude", $0] }
      ).expectExit(0)
      let made = try await scratch.shell("cd out && find . -name '*.tif' | LC_ALL=C sort")
      #expect(made.text == left.map { "./\($0)\n" }.joined())
      // Another choice is the same set with other inputs.
      let all = try await scratch.image(
        ["--recursive", "in", "--output-dir", "out", "--json"] + Self.invert
      ).expectExit(0)
      #expect(all.text.contains("\"filesMadeNow\":\(4 - left.count)"), "\(all.text)")
    }

    @Test("--exclude leaves alone what is named, and is refused where it would do nothing")
    func notExcluded() async throws {
      try pictures("in/a.tif", "a.tif")
      try await scratch.image(
        ["--recursive", "in", "a.tif", "--output-dir", "out", "--exclude", "*"] + Self.invert
      ).expectExit(0)
      #expect(scratch.names(in: "out") == ["a.tif"])
      for (words, part) in [
        (["a.tif", "--exclude", "x"], "add --recursive"),
        (["in", "--recursive", "--exclude", "/"], "has no name"),
        (["in", "--recursive", "--exclude", "*"], "no image in in"),
        (["a.tif", "--on-collision", "replace"], "neither number nor refuse"),
      ] {
        try await scratch.image(words + ["--output-dir", "out"]).expectExit(64, saying: part)
      }
      for option in ["--exclude", "--on-collision"] {
        try await scratch.image(["a.tif", "b.tif", option, "number"])
          .expectExit(64, saying: "add --output-dir")
      }
    }

    // MARK: Names

    @Test("all names that collide are said, up to a number, and what to do")
    func collisions() async throws {
      let names = (0..<7).flatMap { ["in/\($0).tif", "in/\($0).tiff"] }
      for name in names { try pictures(name) }
      let words = ["--recursive", "in", "--output-dir", "out", "--format", "webp"] + Self.invert
      let run = try await scratch.image(words).expectExit(
        64, saying: "/in/0.tif and ", "/in/0.tiff would both be 0.webp; of ",
        "4.webp (and 2 more); number them with --on-collision number, or give them")
      #expect(!run.errors.contains("5.webp") && !scratch.exists("out"), "\(run.errors)")
      try await scratch.image(
        ["in/0.tif", "in/0.tif", "in/1.tif", "in/1.tif"] + words.dropFirst(2)
      )
      .expectExit(64, saying: "in/0.tif, ", "in/1.tif are given twice")
    }

    @Test("numbers keep names apart, and stay when inputs come and go")
    func numbered() async throws {
      try pictures("in/a.tif", "in/a.tiff", "in/a-2.tif", "in/b.tif")
      let words =
        ["--recursive", "in", "--output-dir", "out", "--format", "png", "--on-collision", "number"]
        + Self.invert
      try await scratch.image(words).expectExit(0)
      #expect(
        scratch.names(in: "out").sorted() == ["a-2.png", "a-3.png", "a.png", "b.png"])
      let before = ["a-2.png", "a-3.png", "a.png", "b.png"].map { inode("out/\($0)") }
      // One that would come first, one that has the name of a number, and one that goes.
      try pictures("in/a.tI", "in/a-3.tif", "in/a.tif~")
      rename(scratch("in/a.tI"), scratch("in/a.TIF"))
      unlink(scratch("in/b.tif"))
      let second = try await scratch.image(words + ["--json"]).expectExit(0)
      #expect(second.text.contains("\"filesMadeNow\":2"), "\(second.text)")
      #expect(["a-2.png", "a-3.png", "a.png", "b.png"].map { inode("out/\($0)") } == before)
      #expect(
        scratch.names(in: "out").sorted()
          == ["a-2.png", "a-3-2.png", "a-3.png", "a-4.png", "a.png", "b.png"])
      try await scratch.stint("resume", "out").expectExit(0, saying: "Finished before")
      // Without it they are refused as before, and nothing is lost.
      try await scratch.image(words.filter { $0 != "--on-collision" && $0 != "number" })
        .expectExit(64, saying: "would all be a.png")
      let fourth = try await scratch.image(words + ["--json"]).expectExit(0)
      #expect(fourth.text.contains("\"filesMadeNow\":0"), "\(fourth.text)")
      try await scratch.image(words + ["in/a.tif", "in/a.tif"])
        .expectExit(64, saying: "given twice")
    }

    @Test("shards give the same numbers, whichever runs first")
    func numberedShards() async throws {
      try pictures("in/a.tif", "in/a.tiff", "in/b.tif", "in/b.tiff", "in/c.tif", "in/c.tiff")
      let words =
        ["--recursive", "in", "--format", "png", "--on-collision", "number"] + Self.invert
      for shard in ["3/3", "1/3", "2/3"] {
        try await scratch.image(words + ["--output-dir", "cut", "--shard", shard, "--frames"])
          .expectExit(0)
      }
      try await scratch.image(words + ["--output-dir", "whole", "--frames"]).expectExit(0)
      #expect(scratch.names(in: "cut").sorted() == scratch.names(in: "whole").sorted())
      for name in scratch.names(in: "cut") {
        #expect(try scratch.bytes("cut/\(name)") == scratch.bytes("whole/\(name)"), "\(name)")
      }
      #expect(scratch.names(in: "cut").sorted().prefix(2) == ["a-0.png", "a-2-0.png"])
    }

    // MARK: What fails by itself

    @Test("a name that cannot be used fails by itself, and the others are made")
    func badNames() async throws {
      try pictures("in/a.tif", "in/b.tif")
      let made = try await scratch.shell(
        """
        cp in/a.tif $'in/c\\xff.tif'; echo x > $'in/d\\xff.txt'; mkdir $'in/e\\xfe'
        cp in/a.tif $'in/e\\xfe/a.tif'; cp in/a.tif in/$(printf 'l%.0s' $(seq 250)).tif
        cp in/a.tif in/f.xyz
        find in -name '*.tif' -print0 -o -name '*.xyz' -print0 > list
        run() { "$STINT" run image --output-dir "$1" --suffix -s --filter invert "${@:2}"; echo "$1 $?"; }
        run tree --recursive in
        run listed --files-from list --json
        run named in/*.tif in/f.xyz
        run again in/*.tif in/f.xyz --delete-orphans
        "$STINT" resume named; echo "resume $?"
        """, atMost: .seconds(120))
      for folder in ["tree", "listed", "named", "again"] {
        #expect(made.text.contains("\(folder) 1\n"), "\(made.text)\(made.errors)")
        #expect(scratch.names(in: folder).sorted() == ["a-s.tif", "b-s.tif"], "\(folder)")
      }
      #expect(made.text.contains("resume 1\n"), "\(made.text)")
      // Each when it fails and at the end, also by resume.
      let shown = made.errors.components(separatedBy: "in/c\\xff.tif").count - 1
      #expect(shown == 5 * 2, "\(made.errors)")
      #expect(made.errors.components(separatedBy: "in/e\\xfe: ").count - 1 == 2, "\(made.errors)")
      #expect(!made.errors.contains("d\\xff") && !made.errors.contains("\u{FFFD}"))
      #expect(made.errors.contains("would have 256 bytes"), "\(made.errors)")
      #expect(made.errors.contains("f.xyz is not one of an output format"), "\(made.errors)")
      #expect(
        made.text.contains("\"inputs\":6,\"inputsDone\":2,\"inputsFailed\":4"), "\(made.text)")
    }

    @Test("a folder that cannot be read fails by itself, and costs no result of what is in it")
    func closedFolder() async throws {
      // Root reads every folder; a loop of links nobody.
      try pictures("in/a.tif", "in/sub/b.tif", "other/c.tif", "other/c.tiff")
      let words =
        [
          "--recursive", "in", "other", "--output-dir", "out", "--format", "png",
          "--delete-orphans",
          "--on-collision", "number", "--json",
        ] + Self.invert
      try await scratch.image(words).expectExit(0)
      let results = try await scratch.shell("cd out && find . -name '*.png' | sort")
      #expect(results.text == "./a.png\n./c-2.png\n./c.png\n./sub/b.png\n")
      rename(scratch("other"), scratch("kept"))
      try #require(symlink("other", scratch("other")) == 0)
      unlink(scratch("in/a.tif"))
      try pictures("in/d.tif", "in/c.tif")
      let run = try await scratch.image(words).expectExit(
        1, saying: "other", "Too many levels of symbolic links", "The input of 1 result")
      #expect(run.text.contains("\"orphans\":[\"a.png\"],\"orphansDeleted\":false"), "\(run.text)")
      #expect(run.text.contains("\"inputs\":4,\"inputsDone\":3,\"inputsFailed\":1"), "\(run.text)")
      #expect(
        scratch.names(in: "out").sorted() == [
          "a.png", "c-2.png", "c-3.png", "c.png", "d.png", "sub",
        ])
      unlink(scratch("other"))
      rename(scratch("kept"), scratch("other"))
      let back = try await scratch.image(words).expectExit(0)
      #expect(back.text.contains("\"filesMadeNow\":0"), "\(back.text)")
      #expect(back.text.contains("\"orphans\":[\"a.png\"],\"orphansDeleted\":true"), "\(back.text)")
    }
  }
}

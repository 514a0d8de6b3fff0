import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  /// Names are bytes, and others choose them.
  @Suite("Names of files")
  struct NameTests {
    /// Sets the title of a terminal's window.
    private static let hostile = "x\u{1b}]0;PWN\u{7}\u{9b}"
    private static let shown = "x\\x1b]0;PWN\\x07\\x9b"
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"

    private static func expectHarmless(_ run: FinishedProcess) {
      for text in [run.text, run.errors] {
        #expect(!text.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{7}" || $0 == "\u{9b}" })
      }
    }

    @Test("no verb gives a terminal the control characters of a name")
    func controlCharacters() async throws {
      let scratch = try Scratch()
      let name = Self.hostile
      var runs: [FinishedProcess] = []
      runs.append(try await scratch.stint("run", "fibonacci", "1000000", "-o", name, "--keep"))
      #expect(runs[0].end == .exited(0) && scratch.exists(name))
      for words in [
        ["run", "fibonacci", "1000000", "-o", name], ["run", "fibonacci", "7", "-o", name],
        ["run", "fibonacci", "7", "-o", name + "/f"], ["batch", name + ".txt"], ["list"],
        ["run", "image", name + ".png", "out.png", "--filter", "invert"],
        ["run", "image", name, "out.png", "--filter", "invert", "--dry-run"],
        ["exec", "--budget", "5s", "--", "./" + name], ["status", name], ["verify", name],
        ["report", name], ["watch", name], ["clean", name + name], ["run", "fibonacci", name],
      ] {
        runs.append(try await scratch.start(words).wait())
      }
      runs.forEach(Self.expectHarmless)
      let finished = runs.filter { ($0.errors + $0.text).contains(Self.shown) }
      #expect(finished.count >= 10, "\(runs.map(\.errors))")
    }

    @Test("no JSON has the control characters of a name as they are, and all of it reads back")
    func controlCharactersInJSON() async throws {
      let scratch = try Scratch()
      let name = "x\u{1b}\u{7f}\u{85}\u{9b}\u{61c}\u{200f}\u{202e}gnp\u{2066}"
      let escaped = #"x\u001b\u007f\u0085\u009b\u061c\u200f\u202egnp\u2066"#
      try await scratch.stint("run", "fibonacci", "1000", "-o", name, "--keep", "--events", "e")
        .expectExit(0)
      try scratch.write(
        "fibonacci 7 -o '\(name)7'\nexec -- sh -c 'exit 3' '\(name)'\n", to: "lines")
      let batch = try await scratch.stint("batch", "lines", "--json", "--joblog", "log")
        .expectExit(1)
      let record = scratch.names(in: "jobs").first { $0.hasPrefix("fibonacci-") } ?? "none"
      var texts = [batch.text, scratch.text("log"), scratch.text("jobs/\(record)/job.json")]
      for words in [
        ["run", "fibonacci", "1000", "-o", name, "--json"], ["list", "--json"],
        ["status", name, "--json"], ["verify", name, "--json"],
      ] {
        texts.append(try await scratch.start(words).wait().text)
      }
      let raw = Set(name.unicodeScalars).subtracting("xgnp".unicodeScalars)
      for text in texts {
        #expect(text.contains(escaped), "\(text.debugDescription)")
        #expect(raw.isDisjoint(with: text.unicodeScalars), "\(text.debugDescription)")
      }
      #expect(try JSONObject(Array(texts[3].utf8)).text("output") == scratch(name))
    }

    @Test("two spellings that look the same are two inputs, two results and two jobs")
    func spellings() async throws {
      let scratch = try Scratch()
      for (name, seed) in [(Self.composed, 1), (Self.decomposed, 2)] {
        try Picture.write(to: name + ".tif", in: scratch, width: 40, height: 30, seed: UInt64(seed))
      }
      try await scratch.stint(
        "run", "image", Self.composed + ".tif", Self.decomposed + ".tif", "--output-dir", "out",
        "--filter", "invert"
      ).expectExit(0)
      #expect(scratch.names(in: "out").count == 2)
      try await scratch.stint(
        "run", "image", Self.composed + ".tif", "out/\(Self.decomposed).tif", "--filter", "invert",
        "--force"
      ).expectExit(0)
      try scratch.write(
        "fibonacci 10 -o \(Self.composed)\nfibonacci 20 -o \(Self.decomposed)\n", to: "lines")
      try await scratch.stint("batch", "lines").expectExit(0)
      #expect(scratch.text(Self.composed) == "55\n" && scratch.text(Self.decomposed) == "6765\n")
      // The events of one are not written into the result of the other.
      try await scratch.stint("run", "fibonacci", "30", "-o", "e\u{301}", "--events", "\u{e9}")
        .expectExit(0)
    }

    @Test("a working directory whose name is not UTF-8 is said")
    func workingDirectory() async throws {
      let scratch = try Scratch()
      for words in ["run fibonacci 5 -o f", "batch lines", "run image a.tif b.tif --filter invert"]
      {
        let run = try await scratch.shell(
          "mkdir -p $'d\\xff' && cd $'d\\xff' && echo 'fibonacci 5 -o f' > lines && "
            + "cp /dev/null a.tif && exec \"$STINT\" \(words)")
        #expect(run.end == .exited(64) || run.errors.contains("empty"), "\(run.errors)")
        #expect(run.errors.contains("UTF-8") || run.errors.contains("empty"), "\(run.errors)")
      }
      try await scratch.shell("cd $'d\\xff' && exec \"$STINT\" exec --budget 9s -- /bin/true")
        .expectExit(0)
    }

    @Test(
      "another user's file under the temporary name does not block a result in a sticky folder",
      .enabled(if: geteuid() == 0, "only root can be two users"),
      arguments: [
        (work: "fibonacci 1000 -o shared/f", temporary: "\\.f\\.[0-9a-f]{16}\\.stint"),
        (
          work: "image f.tif --output-dir shared --filter invert",
          temporary: "\\.stint-[0-9a-f]{16}-0-0"
        ),
      ])
    func stickyFolder(work: String, temporary: String) async throws {
      let scratch = try Scratch()
      try Picture.write(to: "f.tif", in: scratch, width: 8, height: 8)
      for name in ["shared", "jobs"] {
        try scratch.makeFolder(name)
      }
      for name in [".", "shared", "jobs"] { chmod(scratch(name), 0o1777) }
      let run = "setpriv --reuid 65534 --regid 65534 --clear-groups \"$STINT\" run \(work)"
      let first = try await scratch.shell(
        "strace -f -e trace=rename,renameat,renameat2 -o trace \(run)")
      let trace = scratch.text("trace")
      guard first.end == .exited(0),
        let range = trace.range(of: temporary, options: .regularExpression)
      else {
        // Where programs may not be traced, or nobody may run ours, there is nothing to see.
        return
      }
      for name in scratch.names(in: "shared") {
        try FileManager.default.removeItem(atPath: scratch("shared/" + name))
      }
      try scratch.write("another's", to: "shared/" + trace[range])
      for _ in 1...2 {
        try await scratch.shell("exec \(run)").expectExit(0)
        #expect(scratch.text("shared/" + trace[range]) == "another's")
        #expect(scratch.names(in: "shared").count == 2)
      }
    }
  }
}

import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Where the result goes")
  struct OutputTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static let run = ["run", "fibonacci", "100", "--quiet", "--output"]
    static let value = "354224848179261915075\n"

    /// Runs F(100) into a path and expects an exit status.
    static func run(
      into path: String, _ more: String..., in scratch: Scratch, expecting status: Int32
    ) async throws {
      let ended = try await scratch.start(run + [path] + more).wait()
      #expect(ended.end == .exited(status), "\(path): \(ended.errors)")
      if status == 0 {
        #expect(ended.errors == "")
      } else {
        #expect(ended.sentences.count == 1, "\(ended.errors)")
        #expect(ended.errors.hasPrefix("stint: "))
      }
    }

    @Test("a missing folder, a folder, a loop of links: 73, and nothing is left")
    func cannotCreate() async throws {
      try scratch.makeFolder("d")
      symlink("loop", scratch("loop"))
      for path in ["missing/f", "d", "d/", "loop"] {
        try await Self.run(into: path, in: scratch, expecting: 73)
      }
      #expect(scratch.names(in: "d") == [])
      #expect(!scratch.exists("jobs"))
    }

    @Test(
      "a folder that cannot be written: 73", .enabled(if: geteuid() == 0, "it needs another user"))
    func notWritable() async throws {
      try await scratch.shell(
        """
        chmod 755 .; mkdir -m 755 locked; mkdir -m 777 own; cd /
        setpriv --reuid 65534 --regid 65534 --clear-groups \
          "$STINT" run fibonacci 100 --output "$HOME/locked/f" --jobs-dir "$HOME/own/jobs"
        """
      ).expectExit(73, saying: "locked")
    }

    @Test("a file that is not this job's result is left alone without --force")
    func exists() async throws {
      try scratch.write("mine", to: "f")
      try await Self.run(into: "f", in: scratch, expecting: 73)
      #expect(scratch.text("f") == "mine")
      try await Self.run(into: "f", "--force", in: scratch, expecting: 0)
      #expect(scratch.text("f") == Self.value)
    }

    @Test("the result of a job with other parameters is not this job's result")
    func otherParameters() async throws {
      try await Self.run(into: "f", in: scratch, expecting: 0)
      try await scratch.stint("run", "fibonacci", "101", "--output", "f").expectExit(73)
      #expect(scratch.text("f") == Self.value)
    }

    @Test("run again: finished before; deleted: made again; changed: refused and untouched")
    func finishedBefore() async throws {
      try await Self.run(into: "f", in: scratch, expecting: 0)
      let written = try FileManager.default.attributesOfItem(atPath: scratch("f"))[
        .systemFileNumber]
      try await scratch.stint("run", "fibonacci", "100", "--output", "f")
        .expectExit(0, saying: "Finished before")
      let kept = try FileManager.default.attributesOfItem(atPath: scratch("f"))[.systemFileNumber]
      #expect(written as? UInt64 == kept as? UInt64)
      try FileManager.default.removeItem(atPath: scratch("f"))
      try await Self.run(into: "f", in: scratch, expecting: 0)
      #expect(scratch.text("f") == Self.value)
      // The same length: only the checksum can tell.
      let changed = Self.value.replacingOccurrences(of: "3", with: "4")
      try scratch.write(changed, to: "f")
      try await Self.run(into: "f", in: scratch, expecting: 73)
      #expect(scratch.text("f") == changed)
    }

    @Test("after checkpoints, a result that is gone is made again, and a stream gets it each time")
    func againAfterCheckpoints() async throws {
      let expected = try await Yardstick.shared.bytes(of: 5_000_000)
      let run = ["run", "fibonacci", "5000000", "-q", "--checkpoint-every", "50ms"]
      // A budget, so that the last state is saved while the result is delivered.
      for _ in 1...3 {
        try await scratch.start(run + ["--budget", "60s", "-o", "f"]).wait().expectExit(0)
        #expect(try scratch.bytes("f") == expected)
        try FileManager.default.removeItem(atPath: scratch("f"))
        let stream = try await scratch.start(run + ["--budget", "60s"]).wait().expectExit(0)
        #expect(stream.output == expected)
      }
    }

    @Test("a link is resolved and kept; one that points nowhere makes its target")
    func links() async throws {
      try scratch.write("mine", to: "target")
      symlink("target", scratch("link"))
      symlink("nowhere", scratch("dangling"))
      try await Self.run(into: "link", in: scratch, expecting: 73)
      #expect(scratch.text("target") == "mine")
      try await Self.run(into: "link", "--force", in: scratch, expecting: 0)
      try await Self.run(into: "dangling", in: scratch, expecting: 0)
      for (link, target) in [("link", "target"), ("dangling", "nowhere")] {
        #expect(
          try FileManager.default.destinationOfSymbolicLink(atPath: scratch(link)) == target)
        #expect(scratch.text(target) == Self.value)
      }
    }

    @Test("devices and pipes are written and never replaced")
    func streams() async throws {
      try await Self.run(into: "/dev/null", in: scratch, expecting: 0)
      try await Self.run(into: "/dev/full", in: scratch, expecting: 74)
      let toStandardOutput = try await scratch.start(Self.run + ["/dev/stdout"]).wait()
      #expect(toStandardOutput.text == Self.value)
      let run = try await scratch.shell(
        "mkfifo p; cat p & \"$STINT\" run fibonacci 100 -q -o p; status=$?; wait; exit $status")
      #expect(run.end == .exited(0), "\(run.errors)")
      #expect(run.text == Self.value)
      var status = stat()
      for (path, type) in [("/dev/null", S_IFCHR), ("/dev/full", S_IFCHR), (scratch("p"), S_IFIFO)]
      {
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & S_IFMT == type, "\(path)")
      }
    }

    @Test(
      "a reader that goes away ends it quietly", arguments: ["10000000", "--sequence 1..200000"])
    func head(what: String) async throws {
      let run = try await scratch.shell(
        "\"$STINT\" run fibonacci \(what) -q | head -c 5 >taken; echo ${PIPESTATUS[0]}")
      #expect(scratch.text("taken").count == 5)
      #expect(run.errors == "")
      #expect(run.text == "141\n")
    }

    @Test("a complete result whose reader has gone is nobody's work any more")
    func readerGone() async throws {
      let run = try await scratch.shell(
        "\"$STINT\" run fibonacci \(StintsTests.n) -q --checkpoint-every 50ms | head -c 5 >taken; "
          + "echo ${PIPESTATUS[0]}")
      #expect(run.text == "141\n", "\(run.errors)")
      let list = try await scratch.stint("list", "--json")
      let jobs = try #require(
        JSONSerialization.jsonObject(with: list.output) as? [[String: Any]], "\(list.text)")
      #expect(!jobs.isEmpty)
      #expect(jobs.allSatisfy { $0["state"] as? String == "finished" }, "\(list.text)")
      let status = try await scratch.stint("status", "fibonacci")
      #expect(!status.text.contains("0 bytes, XXH3"), "\(status.text)")
      // A reader may have gone because a connection broke: the result is still there for another
      // one.
      let again = try await scratch.stint("run", "fibonacci", "\(StintsTests.n)", "-q")
      #expect(
        try await again.output == Yardstick.shared.bytes(of: StintsTests.n), "\(again.errors)")
    }

    /// Its digits are four times what a pipe takes.
    private static let streamed = 20_000_000

    /// Runs a number into a pipe whose reader sleeps, again while it asks for that.
    private static func intoSleepingReader(_ options: String, wakes: String) -> String {
      """
      for i in $(seq 20); do
        rm -f ended
        { "$STINT" run fibonacci \(streamed) \(options); echo $? >status; touch ended; } \\
          | { \(wakes); cat >taken; }
        [ $(cat status) = 75 ] && ! [ -s taken ] || break
      done
      """
    }

    @Test("W9 a stream of which a part went out is not begun again: no 75, and said beforehand")
    func cutStream() async throws {
      let run = try await scratch.shell(
        Self.intoSleepingReader("--budget 2s", wakes: "until test -e ended; do sleep 0.1; done"),
        atMost: .seconds(90))
      let whole = try await Yardstick.shared.bytes(of: Self.streamed)
      let taken = try scratch.bytes("taken")
      let status = scratch.text("status")
      // On a machine that is busy enough the kernel is faster than the last words.
      #expect(["74\n", "137\n"].contains(status), "\(run.errors)")
      #expect(!taken.isEmpty && taken.count < whole.count && whole.starts(with: taken))
      #expect(run.errors.contains("The result goes to a pipe"), "\(run.errors)")
      #expect(status == "137\n" || run.errors.contains("already written to the pipe"))
      // What was computed is kept, and a file gets all of it.
      try await scratch.untilTimeSuffices { _ in
        try scratch.start([
          "run", "fibonacci", "\(Self.streamed)", "--budget", "20s", "-o", "f",
        ])
      }.expectExit(0)
      #expect(try scratch.bytes("f") == whole)
    }

    @Test("W9 with --until-done a stream goes out once, over as many stints as its reader takes")
    func streamUntilDone() async throws {
      var errors = ""
      // On a busy machine the kernel may end a stint at its deadline; the stream then begins again.
      for _ in 1...5 where scratch.text("status") != "0\n" {
        errors = try await scratch.shell(
          Self.intoSleepingReader("--budget 2s --until-done --rest 10ms -q", wakes: "sleep 6"),
          atMost: .seconds(90)
        ).errors
        guard scratch.text("status") == "137\n" else { break }
      }
      #expect(scratch.text("status") == "0\n", "\(errors)")
      #expect(try await scratch.bytes("taken") == Yardstick.shared.bytes(of: Self.streamed))
    }
  }
}

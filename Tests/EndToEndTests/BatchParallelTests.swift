import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// The twenty tasks of GNU parallel's manual that `docs/batch.md` lists, each by one command.
  @Suite("Batches that do what GNU parallel's manual does")
  struct BatchParallelTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs a batch of values, whose options come first.
    private func batch(
      _ template: String, _ options: String..., values: [String]
    ) async throws -> FinishedProcess {
      try await scratch.start(
        ["batch", "--template", template] + options + [":::"] + values
      ).wait()
    }

    @Test("compress every file that find finds, whatever its name")
    func compress() async throws {
      try scratch.makeFolder("deep")
      let names = ["a.html", "deep/b c.html", "it's \"quoted\".html", "two\nlines.html"]
      for name in names { try scratch.write(name, to: name) }
      try await scratch.shell(
        "find . -name '*.html' -print0 | \"$STINT\" batch - --template 'gzip --best {}'"
      ).expectExit(0)
      for name in names {
        #expect(scratch.exists(name + ".gz") && !scratch.exists(name), "\(name)")
      }
      #expect(try await scratch.shell("gzip -dc 'deep/b c.html.gz'").text == "deep/b c.html")
    }

    @Test("make a small copy of each picture, without the extension in its name")
    func thumbnails() async throws {
      let names = ["a.tif", "b c.tif"]
      for name in names { try Picture.write(to: name, in: scratch, width: 300, height: 200) }
      try await batch("image {} {.}_thumb.png --filter thumbnail:20", values: names).expectExit(0)
      for name in ["a_thumb.png", "b c_thumb.png"] {
        #expect(try scratch.bytes(name).prefix(4) == Data([0x89, 0x50, 0x4e, 0x47]), "\(name)")
      }
    }

    @Test("run all combinations of several lists, as nested loops do")
    func combinations() async throws {
      let run = try await batch(
        "echo {1} {2}", "--keep-order", values: ["red", "green", ":::", "S", "M", "L"]
      ).expectExit(0)
      #expect(run.text == "red S\nred M\nred L\ngreen S\ngreen M\ngreen L\n")
    }

    @Test("take the values of two lists in pairs, as many as the shorter one has")
    func pairs() async throws {
      let run = try await batch(
        "echo {1}={2}", "--keep-order", values: ["A", "B", "C", ":::+", "1", "2"]
      ).expectExit(0)
      #expect(run.text == "A=1\nB=2\n")
    }

    @Test(
      "read the values from a file or from standard input",
      arguments: [
        "abc --template 'echo {}'", "--template 'echo {}' --files-from abc",
        "--template 'echo {}' :::: abc", "- --template 'echo {}' <abc",
        "--template 'echo {}' - <abc",
      ])
    func fromFile(words: String) async throws {
      try scratch.write("A\nB C\nD\n", to: "abc")
      let run = try await scratch.shell("\"$STINT\" batch --keep-order \(words)").expectExit(0)
      #expect(run.text == "A\nB C\nD\n")
    }

    @Test("pass on values with spaces, quotes and dollar signs as they are")
    func quotes() async throws {
      let value = "My brother's 12\" records are worth <$$$>!"
      let run = try await batch(
        "printf '%s\\n' {}", "--keep-order", values: [value, "Foo Bar"]
      ).expectExit(0)
      #expect(run.text == value + "\nFoo Bar\n")
    }

    @Test("print the output in the order of the values, whichever ends first")
    func keepOrder() async throws {
      // Each but the last waits for the end of the one after it.
      let run = try await batch(
        "test {2} = 0 || until test -e end{2}; do sleep 0.01; done; touch end{1}; echo {1}",
        "--shell", "--keep-order", "-j", "3", values: ["1", "2", "3", ":::+", "2", "3", "0"]
      ).expectExit(0)
      #expect(run.text == "1\n2\n3\n")
    }

    @Test("begin every line of output with the value")
    func tag() async throws {
      let run = try await batch(
        "printf '%s\\n' foo-{} end", "--tag", "--keep-order", values: ["A", "B"]
      ).expectExit(0)
      #expect(run.text == "A\tfoo-A\nA\tend\nB\tfoo-B\nB\tend\n")
    }

    @Test("try again what fails, so many times", arguments: [(2, Int32(1)), (3, 0)])
    func retries(times: Int, status: Int32) async throws {
      try scratch.write(
        "echo x >>\"runs-$1\"; test \"$(grep -c x \"runs-$1\")\" -ge 3", to: "flaky")
      let run = try await batch(
        "sh flaky {}", "--retries", "\(times)", "--retry-delay", "200ms", values: ["a", "b"])
      run.expectExit(status)
      for value in ["a", "b"] {
        #expect(scratch.text("runs-\(value)") == String(repeating: "x\n", count: times))
      }
      #expect(run.took >= .milliseconds(200 * (times - 1)))
    }

    @Test(
      "start no more after failures: so many, or so many of a hundred and at least three",
      arguments: [("soon,fail=1", 1), ("soon,fail=2", 2), ("soon,fail=50%", 3), ("never", 6)])
    func haltSoon(limit: String, runs: Int) async throws {
      try scratch.write("echo \"$1\" >>ran; test -e ok", to: "job")
      let values = ["1", "2", "3", "4", "5", "6"]
      try await batch("sh job {}", "-j", "1", "--halt", limit, values: values).expectExit(1)
      #expect(
        scratch.text("ran").split(separator: "\n").map(String.init) == Array(values.prefix(runs)))
      // The same command continues: those that failed, and those that did not begin.
      try scratch.write("", to: "ok")
      try FileManager.default.removeItem(atPath: scratch("ran"))
      try await batch("sh job {}", "-j", "1", "--halt", limit, values: values).expectExit(0)
      #expect(scratch.text("ran").split(separator: "\n").map(String.init).sorted() == values)
    }

    @Test("stop at the first failure, together with what still runs")
    func haltNow() async throws {
      try scratch.write(
        """
        test -e ok && { echo "$1"; exit 0; }
        case $1 in
        slow) trap 'echo >told; exit 143' TERM; echo >slow; while :; do sleep 0.01; done ;;
        wrong) until test -e slow; do sleep 0.01; done; exit 1 ;;
        later) echo >later ;;
        esac
        """, to: "job")
      func run() async throws -> FinishedProcess {
        try await batch(
          "sh job {}", "-j", "2", "--halt", "now,fail=1", "--keep-order",
          values: ["slow", "wrong", "later"])
      }
      try await run().expectExit(1)
      #expect(scratch.exists("told") && !scratch.exists("later"))
      // What was stopped is unfinished and has not failed.
      try scratch.write("", to: "ok")
      #expect(try await run().expectExit(0).text == "slow\nwrong\nlater\n")
    }

    @Test("end a command after its time, even one that ignores that", arguments: [false, true])
    func timeout(isDeaf: Bool) async throws {
      try scratch.write((isDeaf ? "trap '' TERM\n" : "") + "sleep \"$1\"", to: "job")
      let run = try await batch(
        "sh job {}", "--timeout", "500ms", "--stop-grace", "200ms", "--joblog", "log",
        values: ["1000"]
      ).expectExit(1)
      #expect(run.took >= .milliseconds(500))
      #expect(scratch.text("log").contains("\"exitStatus\":124"), "\(scratch.text("log"))")
      #expect(scratch.text("log").contains("\"outcome\":\"failed\""))
    }

    @Test("leave time between two starts")
    func delay() async throws {
      let run = try await batch(
        "echo {}", "--delay", "300ms", "-j", "3", "--keep-order", values: ["a", "b", "c"]
      ).expectExit(0)
      #expect(run.took >= .milliseconds(600))
      #expect(run.text == "a\nb\nc\n")
    }

    @Test("write a job log in parallel's form")
    func jobLog() async throws {
      try await batch(
        "sh -c 'exit \"$1\"' sh {}", "-j", "1", "--joblog", "log", "--joblog-format", "parallel",
        values: ["0", "3"]
      ).expectExit(1)
      let rows = scratch.text("log").split(separator: "\n")
        .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
      try #require(rows.count == 3 && rows.allSatisfy { $0.count == 9 }, "\(rows)")
      #expect(
        rows[0] == [
          "Seq", "Host", "Starttime", "JobRuntime", "Send", "Receive", "Exitval", "Signal",
          "Command",
        ])
      #expect(rows[1...].map { [$0[0], $0[6], $0[7]] } == [["1", "0", "0"], ["2", "3", "0"]])
      #expect(rows[1...].allSatisfy { $0[8].contains("exit") })
      #expect(rows[1...].allSatisfy { (Double($0[2]) ?? 0) > 1_000_000_000 })
    }

    @Test("keep the output of each command in files")
    func results() async throws {
      let run = try await batch(
        "sh -c 'echo \"$1\"; echo \"no $1\" >&2' sh {}", "--results", "out", "--keep-order",
        values: ["A", "B"]
      ).expectExit(0)
      #expect(run.text == "A\nB\n")
      for (number, value) in [(1, "A"), (2, "B")] {
        #expect(scratch.text("out/\(number)/stdout") == value + "\n")
        #expect(scratch.text("out/\(number)/stderr") == "no \(value)\n")
        #expect(scratch.text("out/\(number)/command").contains(value))
      }
    }

    @Test("start a command only while memory is free and the machine is not busy")
    func room() async throws {
      let free = try await batch(
        "echo {}", "--memory-free", "1M", "--load", "100000", "--keep-order", values: ["a", "b"])
      #expect(free.expectExit(0).text == "a\nb\n")
      func expectNothingBegins(_ option: String, _ limit: String) async throws {
        let run = try await batch("touch {}", option, limit, "--budget", "2s", values: ["made"])
        // On a busy machine the kernel may end a batch at its deadline.
        #expect([.exited(75), .signalled(SIGKILL)].contains(run.end), "\(option): \(run.errors)")
        #expect(!scratch.exists("made"), "\(option)")
      }
      let memory = try String(contentsOfFile: "/proc/meminfo", encoding: .utf8)
      let size = memory.firstMatch(of: /MemTotal: +(\d+) kB/).flatMap { Int($0.1) }
      let total = try #require(size)
      // All memory is never free.
      try await expectNothingBegins("--memory-free", "\(total / 1024 - 1)M")
      let loads = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        .split(separator: " ").map { Double($0) ?? 0 }
      let processors = Double(ProcessInfo.processInfo.activeProcessorCount)
      // On a machine that rests the commands would begin.
      if loads[0] > 0.03 * processors { try await expectNothingBegins("--load", "1%") }
    }

    @Test("give each command the same standard input, all of it")
    func standardInput() async throws {
      try scratch.write("b\na\nb\n", to: "words")
      let run = try await batch(
        "grep -c {}", "--stdin-from", "words", "--keep-order", values: ["a", "b"]
      ).expectExit(0)
      #expect(run.text == "1\n2\n")
      #expect(try await batch("wc -c --", values: ["-"]).expectExit(0).text == "0 -\n")
    }

    @Test("run pipes and redirections with a shell")
    func pipes() async throws {
      for name in ["a b", "it's"] {
        try scratch.write(name + "\n", to: name)
        try await StintProcess(["/bin/gzip", name], in: scratch).wait().requireExit(0)
      }
      try await batch(
        "gzip -dc {} | tr a-z A-Z >{.}.out && rm {}", "--shell", values: ["a b.gz", "it's.gz"]
      ).expectExit(0)
      #expect(scratch.text("a b.out") == "A B\n" && scratch.text("it's.out") == "IT'S\n")
      #expect(!scratch.exists("a b.gz") && !scratch.exists("it's.gz"))
    }

    @Test("number the commands")
    func numbers() async throws {
      let run = try await batch("echo {#}. {}", "--keep-order", values: ["A", "B", "C"])
      #expect(run.expectExit(0).text == "1. A\n2. B\n3. C\n")
    }

    @Test(
      "take a path apart",
      arguments: [
        ("dir/file.tar.gz", ["dir/file.tar", "file.tar.gz", "dir", "file.tar"]),
        ("sub.dir/foo.jpg", ["sub.dir/foo", "foo.jpg", "sub.dir", "foo"]),
        ("sub.dir/bar", ["sub.dir/bar", "bar", "sub.dir", "bar"]),
        ("plain", ["plain", "plain", ".", "plain"]), ("/top.c", ["/top", "top.c", "/", "top"]),
      ])
    func paths(path: String, parts: [String]) async throws {
      let run = try await batch("printf '%s\\n' {.} {/} {//} {/.}", values: [path]).expectExit(0)
      #expect(run.text.split(separator: "\n").map(String.init) == parts)
      let second = try await batch(
        "printf '%s\\n' {2.} {2/} {2//} {2/.}", values: ["other", ":::", path])
      #expect(second.expectExit(0).text == run.text)
    }

    /// A line's program: it waits while it is held, and fails once with an even number.
    private static let job = """
      echo >"started-$1"
      while test -e "hold-$1"; do sleep 0.01; done
      case $1 in *[02468]) test -e "failed-$1" || { echo >"failed-$1"; exit 1; } ;; esac
      echo "line $1"
      """

    @Test(
      "R11 a kill in the middle: both runs print together what one alone prints",
      arguments: [[1, 5, 6], [3]], [false, true])
    func killed(held: [Int], isTagged: Bool) async throws {
      let words =
        ["batch", "-j", "3", "--keep-order", "--retries", "2", "--quiet"]
        + (isTagged ? ["--tag"] : []) + ["--template", "sh job {}", ":::"]
        + (1...8).map(String.init)
      let whole = try Scratch()
      for place in [whole, scratch] { try place.write(Self.job, to: "job") }
      let expected = try await whole.start(words).wait().expectExit(0).text
      #expect(expected.split(separator: "\n").count == 8)

      for number in held { try scratch.write("", to: "hold-\(number)") }
      let first = try scratch.start(words, output: scratch("first"))
      // Three that wait have all places; beside one, all others end.
      try await first.wait(until: "the lines that wait") {
        held.allSatisfy { scratch.exists("started-\($0)") }
          && scratch.text("first").split(separator: "\n").count == held[0] - 1
          && (held.count == 3 || BatchTests.finished(in: scratch) == 7)
      }
      first.send(SIGKILL)
      #expect(try await first.wait().end == .signalled(SIGKILL))
      try await waitUntil("the end of the lines' processes") {
        BatchTests.processes(of: scratch).isEmpty
      }
      #expect(scratch.text("first").split(separator: "\n").count == held[0] - 1)

      for number in held { try FileManager.default.removeItem(atPath: scratch("hold-\(number)")) }
      try await scratch.start(words, output: scratch("second")).wait().expectExit(0)
      #expect(scratch.text("first") + scratch.text("second") == expected)
    }
  }
}

import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("What becomes of a batch's lines, seen from outside")
  struct BatchStatusTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// One line that is done, one that fails, one that runs until it may end, one that comes after.
    private static let lines = """
      exec -- sh -c 'echo fine'
      exec -- sh -c 'echo out; echo why >&2; test -e fixed'
      exec -- sh -c 'echo >third; until test -e go; do sleep 0.05; done'
      exec -- sh -c 'echo last'

      """

    private func counts(_ object: [String: Any]) -> [Int?] {
      let lines = object["lines"] as? [String: Int]
      return ["count", "done", "failed", "running", "waiting"].map { lines?[$0] }
    }

    private func firstFailure(of object: [String: Any]) -> [String: Any]? {
      (object["failures"] as? [[String: Any]])?.first
    }

    private func contents(_ path: Any?) -> String? {
      (path as? String).flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
    }

    @Test("while it runs, its lines are counted, and the one that failed is named with its output")
    func whileItRuns() async throws {
      try scratch.write(Self.lines, to: "jobs.txt")
      let batch = try scratch.start(["batch", "jobs.txt", "-j", "1", "-q"])
      try await batch.wait(until: "the third line") { scratch.exists("third") }
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      for verb in ["status", "report"] {
        let object = try await scratch.stint(verb, key, "--json").object
        #expect(counts(object) == [4, 1, 1, 1, 1], "\(verb)")
        let failure = try #require(firstFailure(of: object))
        #expect(failure["number"] as? Int == 2)
        #expect(failure["why"] as? String == "exit status 1, why")
        #expect(contents(failure["outputPath"]) == "out\n")
        #expect(contents(failure["errorPath"]) == "why\n")
        let text = try await scratch.stint(verb, key).text
        #expect(text.contains("1/4 done, 1 failed, 1 running, 1 waiting"), "\(text)")
        #expect(text.contains("errors: \(failure["errorPath"] as? String ?? "?")"), "\(text)")
      }
      let list = try await scratch.stint("list", "--kind", "batch", "--state", "running")
      #expect(list.text.contains("1/4 done, 1 failed"), "\(list.text)")
      batch.send(SIGKILL)
      #expect(try await batch.wait().end == .signalled(SIGKILL))
      let killed = try await scratch.stint("status", key, "--json").object
      #expect(killed["state"] as? String == "waiting")
      #expect(counts(killed) == [4, 1, 1, 0, 2])
    }

    @Test("when every line has ended it failed; run again, the line's output goes and comes once")
    func again() async throws {
      try scratch.write(Self.lines, to: "jobs.txt")
      try scratch.write("", to: "go")
      let first = try await scratch.stint("batch", "jobs.txt", "-j", "1").expectExit(1)
      #expect(first.text == "fine\nout\nlast\n")
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      let failed = try await scratch.stint("list", "--json", "--state", "failed", "--since", "1h")
      let listed = try #require(
        try JSONSerialization.jsonObject(with: failed.output) as? [[String: Any]])
      #expect(listed.map { $0["job"] as? String } == [key])
      #expect(counts(try #require(listed.first)) == [4, 3, 1, 0, 0])
      let before = try await scratch.stint("status", key, "--json").object
      let path = firstFailure(of: before)?["errorPath"]
      #expect(contents(path) == "why\n")
      #expect(scratch.names(in: "jobs/\(key)/partial").count == 2)
      // A line is new, one has gone, and the others have other numbers.
      let kept = Self.lines.split(separator: "\n")[1...2].joined(separator: "\n")
      try scratch.write("exec -- true\n# a remark\n\(kept)\n", to: "jobs.txt")
      let second = try await scratch.stint("batch", "jobs.txt", "-j", "1").expectExit(1)
      #expect(second.text == "out\n")
      let object = try await scratch.stint("status", key, "--json").object
      #expect(counts(object) == [3, 2, 1, 0, 0])
      #expect(firstFailure(of: object)?["number"] as? Int == 3)
      try scratch.write("", to: "fixed")
      let third = try await scratch.stint("batch", "jobs.txt", "-j", "1").expectExit(0)
      #expect(third.text == "out\n")
      #expect(scratch.names(in: "jobs/\(key)/partial") == [])
      let finished = try await scratch.stint("status", key, "--json").object
      #expect(finished["state"] as? String == "finished")
      #expect(counts(finished) == [3, 3, 0, 0, 0])
    }

    @Test("a line that goes on where it was does not pass on again what it wrote when it failed")
    func goesOn() async throws {
      try scratch.write(
        "exec --checkpoint-file s -- sh -c 'echo s >>s; echo $(wc -l <s); test $(wc -l <s) -gt 2'\n",
        to: "jobs.txt")
      var texts: [String] = []
      for status in [1, 1, 0] as [Int32] {
        texts.append(try await scratch.stint("batch", "jobs.txt").expectExit(status).text)
      }
      #expect(texts == ["1\n", "2\n", "3\n"])
    }

    @Test("what failed and is in the file no more is gone, with its output")
    func removed() async throws {
      try scratch.write("exec -- sh -c 'echo x; exit 3'\nexec -- true\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "-q").expectExit(1)
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      #expect(scratch.names(in: "jobs/\(key)/partial").count == 1)
      try scratch.write("exec -- true\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "-q").expectExit(0)
      #expect(scratch.names(in: "jobs/\(key)/partial") == [])
      #expect(counts(try await scratch.stint("status", key, "--json").object) == [1, 1, 0, 0, 0])
      // The line comes back, and runs again.
      try scratch.write("exec -- true\nexec -- sh -c 'echo x; exit 3'\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "-q").expectExit(1)
      #expect(counts(try await scratch.stint("status", key, "--json").object) == [2, 1, 1, 0, 0])
    }

    @Test("a line whose result was deleted waits in the next run, and does not count as done")
    func deletedResult() async throws {
      let old = "exec -- true\nfibonacci 1000 -o f\n"
      try scratch.write(old, to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "-q").expectExit(0)
      try FileManager.default.removeItem(atPath: scratch("f"))
      try scratch.write(
        "exec -- sh -c 'echo >begun; until test -e go; do sleep 0.05; done'\n" + old,
        to: "jobs.txt")
      let batch = try scratch.start(["batch", "jobs.txt", "-j", "1", "-q"])
      try await batch.wait(until: "the new line") { scratch.exists("begun") }
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      let object = try await scratch.stint("status", key, "--json").object
      #expect(counts(object) == [3, 1, 0, 1, 1])
      #expect(object["runningLines"] as? [Int] == [1])
      try scratch.write("", to: "go")
      #expect(try await batch.wait().end == .exited(0))
      #expect(counts(try await scratch.stint("status", key, "--json").object) == [3, 3, 0, 0, 0])
    }

    @Test("a batch without lines is finished, and a shard has counts of its own")
    func fewLines() async throws {
      try scratch.write("# nothing yet\n", to: "none.txt")
      try await scratch.stint("batch", "none.txt", "-q").expectExit(0)
      #expect(counts(try await scratch.stint("status", "batch", "--json").object).first == 0)
      try scratch.write("exec -- false\nexec -- true\nexec -- sh -c 'exit 0'\n", to: "lines")
      try await scratch.stint("batch", "lines", "--shard", "1/2", "-q").expectExit(1)
      let whole = try await scratch.stint("list", "--json", "--state", "failed")
      let shard = try #require(
        (try JSONSerialization.jsonObject(with: whole.output) as? [[String: Any]])?.first)
      #expect(counts(shard) == [2, 1, 1, 0, 0])
      let status = try await scratch.stint("status", shard["whole"] as? String ?? "", "--json")
        .object
      #expect(status["left"] as? Int == 1)
      let parts = status["parts"] as? [[String: Any]]
      #expect(parts?.map { $0["state"] as? String } == ["failed", "notBegun"])
    }

    @Test("watch shows one line of counts and names what fails, until the batch has ended")
    func watch() async throws {
      try scratch.write(Self.lines, to: "jobs.txt")
      let batch = try scratch.start(["batch", "jobs.txt", "-j", "1", "-q"])
      try await batch.wait(until: "the third line") { scratch.exists("third") }
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      let terminal = try PseudoTerminal()
      let watch = try terminal.start(
        [Programs.stint(), "watch", key, "--tick", "50ms", "--jobs-dir", scratch.jobs], in: scratch)
      let programs = try StintProcess(
        ["sh", "-c", "exec \"$0\" watch \"$1\" --jobs-dir \"$2\" --tick 50ms --json >events"]
          + [Programs.stint(), key, scratch.jobs], in: scratch)
      try await waitUntil("the counts") {
        terminal.text.contains("1/4 done, 1 failed, 1 running, 1 waiting") || watch.hasEnded
      }
      try await waitUntil("the counts as JSON") {
        scratch.text("events").contains("\"event\":\"lines\"") || programs.hasEnded
      }
      try scratch.write("", to: "go")
      #expect(try await batch.wait().end == .exited(1))
      #expect(try await terminal.end(of: watch).end == .exited(0))
      let text = terminal.text
      #expect(text.contains("Line 2 failed: exec -- sh -c"), "\(text)")
      #expect(text.contains("Failed: 3/4 done, 1 failed; 1 stint."), "\(text)")
      try await programs.wait().expectExit(0)
      let lines = try scratch.text("events").split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      #expect(lines.count { $0?["event"] as? String == "lineFailed" } == 1)
      #expect(lines.contains { $0?["event"] as? String == "lines" && $0?["done"] as? Int == 3 })
      #expect(lines.last??["state"] as? String == "failed")
    }

    @Test("on a terminal no line of the list is wider than that, and a name has no power over it")
    func list() async throws {
      let name = String(repeating: "wide日本", count: 20) + "\u{1B}[31m"
      try await scratch.stint("run", "fibonacci", "1000", "-o", name).expectExit(0)
      let terminal = try PseudoTerminal()
      let list = try terminal.start(
        [Programs.stint(), "list", "--jobs-dir", scratch.jobs], in: scratch)
      #expect(try await terminal.end(of: list).end == .exited(0))
      let lines = terminal.text.split(separator: "\r\n")
      #expect(lines.count == 2)
      #expect(lines.allSatisfy { $0.count <= 100 && !$0.contains("\u{1B}") }, "\(lines)")
      #expect(try await scratch.stint("list").text.contains("wide日本wide"))
      try await scratch.stint("list", "--state", "finnished").expectExit(64, saying: "finished")
    }
  }
}

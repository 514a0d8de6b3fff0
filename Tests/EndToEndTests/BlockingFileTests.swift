import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// FIFOs that nobody opens at their other end: opening one for writing waits for its reader.
  @Suite("Files that block")
  struct BlockingFileTests {
    /// A command line in a scratch directory with a FIFO `p` and a batch `jobs.txt`.
    struct Case: Sendable, CustomTestStringConvertible {
      var words: String
      /// The exit status when its time is up.
      var status: Int32
      var testDescription: String { words }
    }

    private static let long = [
      Case(words: "run fibonacci 1000000000 -o f --events p", status: 75),
      Case(words: "exec --events p --budget 100s -- sleep 100", status: 124),
      Case(words: "batch jobs.txt --joblog p", status: 75),
      Case(words: "batch p", status: 75),
    ]

    private static func scratch() throws -> Scratch {
      let scratch = try Scratch()
      try #require(mkfifo(scratch("p"), 0o600) == 0)
      try scratch.write("exec -- sleep 100\n", to: "jobs.txt")
      return scratch
    }

    private static func words(_ text: String, budget: String? = nil) -> [String] {
      var words = text.replacing(
        "--budget 100s ", with: budget.map { "--budget \($0) " } ?? "--budget 100s "
      )
      .split(separator: " ").map(String.init)
      if let budget, !text.contains("--budget") { words += ["--budget", budget] }
      return words
    }

    @Test("A9 the budget counts while a file waits for its reader", arguments: long)
    func budget(of command: Case) async throws {
      let scratch = try Self.scratch()
      let run = try await scratch.start(Self.words(command.words, budget: "1s")).wait()
      // On a busy machine a second holds no step, or the kernel is faster than the last words.
      let isInTime =
        [.exited(command.status), .signalled(SIGKILL)].contains(run.end)
        || run.end.isForWantOfTime(run.errors)
      #expect(isInTime, "\(run.end): \(run.errors)")
    }

    @Test(
      "W11 SIGTERM ends what waits for the reader of a file", arguments: long, [SIGTERM, SIGINT])
    func signal(to command: Case, number: Int32) async throws {
      let scratch = try Self.scratch()
      let process = try scratch.start(Self.words(command.words))
      // Started, and as far as it comes without a reader.
      try await process.wait(until: "its threads") { scratch.threads(of: process.pid) > 1 }
      process.send(number)
      let end = try await process.wait(atMost: .seconds(10)).end
      #expect(end != .exited(0) && end != .signalled(SIGKILL), "\(end)")
    }

    @Test("what nobody reads holds up no work, and a reader that comes late gets all of it")
    func lateReader() async throws {
      let scratch = try Self.scratch()
      try await scratch.stint("run", "fibonacci", "1000", "-q", "-o", "f", "--events", "p")
        .expectExit(0)
      try await scratch.stint("exec", "--events", "p", "--budget", "20s", "--", "true")
        .expectExit(0)
      try await scratch.shell(
        """
        "$STINT" exec --events p --budget 20s -- sh -c 'until test -e go; do sleep 0.1; done' &
        sleep 0.5; (sleep 0.5; touch go) & cat p >taken; wait $!
        """
      ).expectExit(0)
      #expect(scratch.text("taken").contains("stintBegan"))
      #expect(scratch.text("taken").contains("stintEnded"))
    }

    @Test("a device that cannot be written is refused, and a terminal takes events")
    func devices() async throws {
      let scratch = try Self.scratch()
      try await scratch.stint("run", "fibonacci", "10", "--events", ".").expectExit(73)
      let terminal = try PseudoTerminal()
      try await scratch.stint(
        "run", "fibonacci", "1000", "-q", "-o", "f", "--events", terminal.path
      ).expectExit(0)
      #expect(terminal.text.contains("stintBegan"), "\(terminal.text)")
    }
  }
}

extension Scratch {
  /// How many threads a process has.
  fileprivate func threads(of pid: pid_t) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []).count
  }
}

import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("On a terminal")
  struct TerminalTests {
    private static func start(
      _ terminal: PseudoTerminal, in scratch: Scratch, _ more: String...
    ) throws -> StintProcess {
      try terminal.start(
        [
          Programs.stint(), "run", "fibonacci", "30000000", "--tick", "50ms", "--output", "f",
        ] + more, in: scratch)
    }

    @Test("W3 a live line with the remaining time, and a clean terminal at the end")
    func liveLine() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let process = try Self.start(
        terminal, in: scratch, "--budget", "4s", "--until-done", "--rest", "100ms")
      #expect(try await terminal.end(of: process).end == .exited(0))
      let text = terminal.text
      #expect(text.contains("s left"), "\(text)")
      #expect(text.contains("%"))
      #expect(text.contains("\r"))
      let last = try #require(text.split(separator: "\r\n").last)
      #expect(text.hasSuffix("\r\n"))
      #expect(last.contains("Finished"), "\(last)")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 30_000_000))
    }

    @Test("a result on the terminal stands on lines of its own; run again, it is there again")
    func resultOnTerminal() async throws {
      let scratch = try Scratch()
      // The first leaves checkpoints behind it and removes them, the second must not miss them.
      for run in 1...2 {
        let terminal = try PseudoTerminal()
        let process = try terminal.start(
          [
            Programs.stint(), "run", "fibonacci", "5000000", "--tick", "50ms", "--budget", "60s",
            "--checkpoint-every", "50ms",
          ], in: scratch)
        #expect(
          try await terminal.end(of: process).end == .exited(0), "run \(run): \(terminal.text)")
        // What the terminal shows of a line is what comes after its last return.
        let lines = terminal.text.split(separator: "\r\n").map {
          ($0.split(separator: "\r").last ?? "").replacing("\u{1B}[J", with: "")
        }
        // The first digits come from logarithms, the last from doubling modulo a power of ten:
        // neither from this program.
        let result = try #require(lines.dropLast().last, "run \(run): \(terminal.text)")
        #expect(result.hasPrefix("71082859720") && result.hasSuffix("453125"), "\(result)")
        #expect(lines.last?.hasPrefix("1,044,938 digits, XXH3-128 ") == true, "\(lines)")
        #expect(terminal.text.hasSuffix("\r\n"))
      }
    }

    @Test("W11 Ctrl-C saves and ends it")
    func interrupt() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let process = try Self.start(terminal, in: scratch)
      // Before anything is done there is nothing to save.
      try await waitUntil("some progress") {
        terminal.text.contains(/(0\.[1-9]|[1-9]\d*\.\d)%  doubling/)
      }
      terminal.type("\u{3}")
      #expect(try await terminal.end(of: process).end == .signalled(SIGINT))
      #expect(terminal.text.contains("Run the same command again"), "\(terminal.text)")
      #expect(terminal.text.hasSuffix("\r\n"))
    }

    @Test("W7 Ctrl-Z saves and stops it, and fg goes on")
    func stop() async throws {
      let scratch = try Scratch()
      let terminal = try PseudoTerminal()
      let process = try Self.start(terminal, in: scratch)
      try await waitUntil("a first look") { terminal.text.contains("doubling") }
      terminal.type("\u{1A}")
      try await process.wait(until: "the stop") { process.state == "T" }
      #expect(!process.hasEnded)
      // Stopped in a job shell it would leave the prompt a line of its own.
      let stopped = terminal.text
      #expect(stopped.hasSuffix("\n") || stopped.hasSuffix("\u{1B}[J"), "\(stopped.suffix(80))")
      process.send(SIGCONT)
      #expect(try await terminal.end(of: process).end == .exited(0))
      #expect(terminal.text.count > stopped.count)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 30_000_000))
    }
  }
}

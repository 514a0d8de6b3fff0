import Foundation
import Testing

extension EndToEnd {
  @Suite("Bad options")
  struct OptionTests {
    static let durations = ["budget", "lead", "stop-grace", "tick", "rest", "checkpoint-every"]
    static let others = [
      "until", "policy", "threads", "format", "unfinished-exit-code", "sequence",
    ]
    static let values = [
      "", "-1s", "-1", "nan", "NaN", "inf", "1e400", "bogus", "10", "0x10s", "1.2.3s", " ", "１s",
      "99999999999999999999999s", "s",
    ]

    @Test(
      "R14 a duration that is none is refused in one sentence that names the option",
      arguments: durations)
    func duration(option: String) async throws {
      for value in Self.values {
        let extra = option == "rest" ? ["--until-done", "--budget", "1s"] : []
        try await Self.expectRefused(
          ["run", "fibonacci", "100", "--\(option)", value] + extra, naming: "--\(option)")
      }
    }

    @Test("any other bad value is refused in one sentence that names the option", arguments: others)
    func other(option: String) async throws {
      let number = option == "sequence" ? [] : ["100"]
      // A value that is good for one of them: ten threads, the exit status 10.
      let wrong = Self.values.filter {
        $0 != "10" || !["threads", "unfinished-exit-code"].contains(option)
      }
      for value in wrong + ["0", "99999999999999999999999"] {
        try await Self.expectRefused(
          ["run", "fibonacci"] + number + ["--\(option)", value], naming: "--\(option)")
      }
    }

    @Test(
      "an empty path is refused in one sentence that names the option",
      arguments: ["output", "events", "jobs-dir"])
    func path(option: String) async throws {
      try await Self.expectRefused(
        ["run", "fibonacci", "100", "--\(option)", ""], naming: "--\(option)")
    }

    @Test("R14 budgets at and beyond the edges", arguments: ["0s", "0ms", "1ns", "99ms"])
    func shortBudget(budget: String) async throws {
      try await Self.expectRefused(
        ["run", "fibonacci", "100", "--budget", budget], naming: "--budget")
    }

    @Test("R14 a budget of a century is a budget")
    func longBudget() async throws {
      let run = try await Scratch().stint("run", "fibonacci", "10", "--budget", "876000h", "-q")
      #expect(run.end == .exited(0), "\(run.errors)")
      #expect(run.text == "55\n")
    }

    @Test(
      "options that contradict each other are refused",
      arguments: [
        (["--budget", "1s", "--lead", "1s"], "--lead"), (["--lead", "1s"], "--lead"),
        (["--until-done"], "--until-done"), (["--rest", "1s"], "--rest"),
        (["--sequence", "1..5"], "--sequence"), (["--json"], "--json"),
        (["--bugdet", "1s"], "--budget"), (["--budget"], "--budget"), (["-x"], "-x"),
        (["--quiet=yes"], "--quiet"), (["7"], "7"),
      ])
    func contradiction(options: [String], name: String) async throws {
      try await Self.expectRefused(["run", "fibonacci", "100"] + options, naming: name)
    }

    @Test(
      "an N that is none is refused",
      arguments: [
        "", "-1", "-5", "abc", "nan", "1.5", "1e400", "197000000001", "18446744073709551616", "5x",
      ])
    func position(n: String) async throws {
      try await Self.expectRefused(["run", "fibonacci", n], naming: n.isEmpty ? "N" : n)
    }

    @Test("what cannot fit is refused with the figure")
    func tooLarge() async throws {
      try await Scratch().stint("run", "fibonacci", "196000000000").expectExit(69, saying: "GB")
    }

    @Test("without arguments, with an unknown verb, with an unknown computation: a sentence and 64")
    func words() async throws {
      try await Self.expectRefused([], naming: "stint help")
      try await Self.expectRefused(["runn"], naming: "run?")
      try await Self.expectRefused(["run"], naming: "fibonacci")
      try await Self.expectRefused(["run", "fibonaci", "5"], naming: "fibonacci?")
    }

    static func expectRefused(_ arguments: [String], naming name: String) async throws {
      let scratch = try Scratch()
      let run = try await scratch.start(arguments).wait()
      let told: Comment = "\(arguments): \(run.end) \(run.errors)"
      #expect(run.end == .exited(64), told)
      #expect(run.output.isEmpty, told)
      #expect(run.errors.hasPrefix("stint: "), told)
      #expect(run.errors.contains(name), told)
      #expect(run.errors.split(separator: "\n").count == 1, told)
      #expect(run.errors.count < 300, told)
      #expect(!scratch.exists("jobs"), told)
    }
  }
}

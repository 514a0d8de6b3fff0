import StintCore
import StintFibonacci
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Options of run")
struct RunOptionsTests {
  @Test("a bare run has the documented defaults")
  func defaults() throws {
    let options = try CommandLine.run(["fibonacci", "1000"])
    let work = try #require(try CommandLine.work(["fibonacci", "1000"]) as? FibonacciWork)
    #expect(work.index == (try FibonacciIndex(1000)))
    #expect(work.format == .decimal)
    #expect(options.output == nil)
    #expect(options.time.grant() == nil)
    #expect(options.time.stopGrace == .seconds(5))
    #expect(options.time.tick == .milliseconds(500))
    #expect(options.time.rest == .seconds(1))
    #expect(options.time.preset == .commandLine)
    #expect(options.time.checkpointEvery == nil)
    #expect(!options.time.untilDone)
    #expect(options.threads == nil)
    #expect(options.unfinishedExitCode == 75)
    #expect(options.jobsDirectory == "/home/somebody/.local/state/stint/jobs")
    #expect(!options.isDryRun && !options.force && !options.fresh && !options.keep)
    #expect(!options.display.json && !options.display.quiet && options.display.events == nil)
  }

  @Test("every option arrives where it belongs")
  func everyOption() throws {
    let words = [
      "fibonacci", "--sequence", "3..7", "--budget", "30s", "--lead", "2s", "--stop-grace", "3s",
      "--tick", "1s", "--until-done", "--rest", "0s", "--policy", "iOS13", "--checkpoint-every",
      "1m", "--threads", "2", "--dry-run", "--jobs-dir", "jobs", "-o", "f.txt", "-f", "--fresh",
      "--keep", "--json", "-q", "--events", "e.jsonl", "--unfinished-exit-code", "85", "--until",
      "07:00",
    ]
    let options = try CommandLine.run(words)
    let work = try #require(try CommandLine.work(words) as? FibonacciSequenceWork)
    #expect(work.range == (try FibonacciRange(from: 3, to: 7)))
    #expect(try #require(options.time.grant()) == (.seconds(30), .budget))
    #expect(options.time.requestedLead == .seconds(2))
    #expect(options.time.stopGrace == .seconds(3))
    #expect(options.time.tick == .seconds(1))
    #expect(options.time.untilDone)
    #expect(options.time.rest == .zero)
    #expect(options.time.preset == .iOS13)
    #expect(options.time.checkpointEvery == .seconds(60))
    let later = Instant(nanoseconds: 0).advanced(by: .seconds(3599))
    #expect(try #require(options.time.grant(since: later)) == (.seconds(1), .until))
    #expect(options.threads == 2)
    #expect(options.isDryRun && options.force && options.fresh && options.keep)
    #expect(options.jobsDirectory == "/somewhere/jobs")
    #expect(options.output == "f.txt")
    #expect(options.display.json && options.display.quiet)
    #expect(options.display.events == "e.jsonl")
    #expect(options.unfinishedExitCode == 85)
  }

  @Test(
    "R14 values that make no sense are refused with a sentence",
    arguments: [
      "--budget": [
        "0", "0s", "1ns", "99ms", "-1s", "10", "nan", "NaNs", "inf", "1e9s", "-0s", "s",
      ],
      "--lead": ["0s", "-1s", "5", "nan", "1s"],
      "--stop-grace": ["0s", "1ms", "-1s", "x"],
      "--tick": ["0s", "49ms", "-1s", "nan", "1"],
      "--rest": ["-1s", "nan", "1s"],
      "--checkpoint-every": ["0s", "-1s", "nan"],
      "--until": [
        "", "25:00", "06:60", "nan", "-1", "2020-01-01T00:00", "2026-02-30T00:00", " 6:00",
      ],
      "--policy": ["ios14", "-1", "nan", "99999999999999999999"],
      "--threads": ["0", "-1", "1025", "nan", "1.5", "99999999999999999999", "0x10"],
      "--format": ["octal", "-1", "nan", "decimall"],
      "--sequence": ["1", "..", "1..", "..2", "7..3", "-1..3", "1...3", "a..b", "1..1e99"],
      "--unfinished-exit-code": ["0", "126", "-1", "nan", "99999999999999999999"],
      "--events": ["-"],
      "--no-such-option": ["1"],
    ])
  func refused(option: String, values: [String]) {
    let needs = option == "--sequence" ? ["run", "fibonacci"] : ["run", "fibonacci", "10"]
    for value in values + [""] {
      let error = CommandLine.refusal(needs + ["\(option)=\(value)"])
      #expect(error?.code == .usage, "\(option) \(value) was accepted")
      let sentence = error?.message ?? ""
      #expect(sentence.hasSuffix(".") || sentence.hasSuffix("?"), "\(sentence)")
      #expect(sentence.contains(option.dropFirst(2)), "\(sentence)")
    }
  }

  @Test(
    "R14 a number out of range is told the range, however far out it is",
    arguments: [
      ("threads", "1 to 1024"), ("unfinished-exit-code", "1 to 125"),
    ],
    [
      "0", "-1", "-0", "-99999999999999999999", "1025", "9223372036854775807",
      "9223372036854775808",
      "18446744073709551615", "18446744073709551616", String(repeating: "9", count: 400),
    ])
  func outOfRange(option: (name: String, range: String), value: String) throws {
    let sentence = try #require(
      CommandLine.refusal(["run", "fibonacci", "10", "--\(option.name)=\(value)"])?.message)
    #expect(sentence.hasSuffix("is out of range; it goes from \(option.range)."), "\(sentence)")
    #expect(sentence.count < 160, "\(sentence)")
  }

  @Test("R14 a flag takes no value", arguments: ["--until-done", "--dry-run", "--force", "--json"])
  func flags(flag: String) {
    #expect(CommandLine.refusal(["run", "fibonacci", "1", flag + "=1"])?.code == .usage)
  }

  @Test("R14 a budget of 100 years is accepted, and of 300 refused")
  func centuries() throws {
    let long = try CommandLine.run(["fibonacci", "1", "--budget", "36525d"])
    #expect(long.time.grant()?.0 == .seconds(36525 * 86400))
    #expect(CommandLine.refusal(["run", "fibonacci", "1", "--budget", "109575d"])?.code == .usage)
  }

  @Test(
    "the operands of run are checked",
    arguments: [
      ([], "Say what to compute"), (["fibonaci", "1"], "Did you mean fibonacci?"),
      (["fibonacci"], "N is missing"), (["fibonacci", ""], "not a position"),
      (["fibonacci", "-3"], "-3 is negative"), (["fibonacci", "--", "-3"], "is negative"),
      (["fibonacci", "ten"], "not a position"), (["fibonacci", "1.5"], "not a position"),
      (["fibonacci", "٣"], "not a position"), (["fibonacci", "nan"], "not a position"),
      (["fibonacci", "18446744073709551616"], "beyond"),
      (["fibonacci", "1", "2"], "one argument too many"),
      (["fibonacci", "1", "--sequence", "1..2"], "not both"),
      (["fibonacci", "--sequence", "1..2", "--format", "hex"], "leave --format out"),
    ] as [([String], String)])
  func operands(words: [String], part: String) {
    let error = CommandLine.refusal(["run"] + words)
    #expect(error?.code == .usage)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "accepted")")
  }

  @Test("a hyphen as output is standard output")
  func hyphen() throws {
    #expect(try CommandLine.run(["fibonacci", "1", "-o", "-"]).output == nil)
  }

  @Test("the jobs directory: option, variable, state directory, home, in this order")
  func jobsDirectory() throws {
    func path(_ words: [String], _ environment: [String: String]) throws -> String {
      try JobsDirectory.path(
        CommandLine.parsed(["list"] + words, environment: environment).options,
        in: Surroundings(
          environment: environment, workingDirectory: "/w",
          wallTime: WallTime(
            nanosecondsSince1970: CommandLine.now, calendar: .fixed(secondsFromUTC: 0))))
    }
    let all = ["STINT_JOBS": "/env", "XDG_STATE_HOME": "/xdg", "HOME": "/home/a"]
    #expect(try path(["--jobs-dir", "/opt"], all) == "/opt")
    #expect(try path(["--jobs-dir", "here"], all) == "/w/here")
    #expect(try path([], all) == "/env")
    #expect(try path([], ["XDG_STATE_HOME": "/xdg", "HOME": "/home/a"]) == "/xdg/stint/jobs")
    #expect(
      try path([], ["XDG_STATE_HOME": "no", "HOME": "/h"]) == "/h/.local/state/stint/jobs")
    #expect(try path([], ["HOME": "/"]) == "/.local/state/stint/jobs")
    #expect(throws: StintError.self) { try path([], [:]) }
    // What was no UTF-8 names another folder; it does no harm where it is not asked.
    for name in ["STINT_JOBS", "XDG_STATE_HOME", "HOME"] {
      expectError(.usage, saying: "$\(name) \"/\u{FFFD}\" is not UTF-8") {
        try path([], [name: "/\u{FFFD}"])
      }
      #expect(try path(["--jobs-dir", "/opt"], [name: "/\u{FFFD}"]) == "/opt")
    }
    #expect(try path([], ["STINT_JOBS": "/env", "HOME": "/\u{FFFD}"]) == "/env")
  }
}

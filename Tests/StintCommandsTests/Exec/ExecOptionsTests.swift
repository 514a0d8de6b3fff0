import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("The command line of exec")
struct ExecOptionsTests {
  private static func options(_ words: String...) throws -> ExecOptions {
    try options(words)
  }

  private static func options(_ words: [String]) throws -> ExecOptions {
    try ExecOptions(
      CommandLine.parsed(["exec"] + words).options, words: words.map { Array($0.utf8) },
      in: CommandLine.surroundings)
  }

  private static func refusal(_ words: String...) -> String? {
    do {
      _ = try options(words)
      return nil
    } catch {
      return StintError(wrapping: error, while: "reading").message
    }
  }

  private static func text(_ options: ExecOptions) -> [String] {
    options.command.words.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a duration first is timeout's form: the signal after it, the kill after -k")
  func timeoutForm() throws {
    let options = try Self.options("-k", "5", "-s", "INT", "1m", "sleep", "-k", "7")
    #expect(Self.text(options) == ["sleep", "-k", "7"])
    #expect(options.rules.style == .timeout)
    #expect(options.rules.stopSignal == SIGINT)
    #expect(options.grantOfTimeout == .seconds(65))
    #expect(options.policy.grant == .seconds(65))
    #expect(options.policy.lead == .seconds(5))
    #expect(options.rules.stopGrace == .seconds(5))
    try options.policy.validate()
    let endless = try Self.options("10", "true")
    #expect(endless.rules.stopGrace == nil)
    #expect(endless.grantOfTimeout.map { $0 - endless.policy.lead } == .seconds(10))
    try endless.policy.validate()
    #expect(try Self.options("0", "true").grantOfTimeout == nil)
  }

  @Test(
    "a file that the command could never write is refused",
    arguments: ["--progress-file", "--checkpoint-file"])
  func missingFolder(option: String) throws {
    let refusal = Self.refusal("--budget", "20s", option, "/nope/x", "--", "true")
    #expect(refusal?.contains("\(option) /nope/x: its folder /nope: No such file") == true)
    _ = try Self.options("--budget", "20s", option, "x", "--", "true")
    _ = try Self.options("--budget", "20s", option, "/tmp/x", "--", "true")
  }

  @Test(
    "a budget is the whole of the time: the stop signal at the lead, or halfway after a warning")
  func budgetForm() throws {
    let plain = try Self.options("--budget", "20s", "--", "true")
    #expect(plain.rules.style == .budget)
    #expect(plain.policy.grant == .seconds(20))
    #expect(plain.policy.lead == .seconds(5))
    #expect(plain.rules.stopLead == .seconds(5))
    #expect(!plain.rules.isJob)
    #expect(plain.jobsDirectory == nil)
    let warned = try Self.options("--budget", "20s", "--warn-signal", "usr1", "true")
    #expect(warned.rules.warnSignal == SIGUSR1)
    #expect(warned.rules.stopLead == .milliseconds(2500))
    let exact = try Self.options(
      "--budget", "20s", "--lead", "4s", "-k", "1", "--warn-signal", "10", "true")
    #expect(exact.rules.stopLead == .seconds(1))
    #expect(exact.policy.lead == .seconds(4))
    // With a budget the first word is the command, even one that reads as a duration.
    #expect(Self.text(try Self.options("--budget", "20s", "5", "true")) == ["5", "true"])
  }

  @Test("without either nothing ends it but a signal")
  func unlimited() throws {
    let options = try Self.options("--", "true")
    #expect(options.policy.grant == nil)
    #expect(options.rules.style == .budget)
    #expect(options.rules.stopGrace == .seconds(5))
    #expect(options.mistakenDuration == nil)
    #expect(try Self.options("7z", "x").mistakenDuration == "7z")
    #expect(try Self.options("./5", "x").mistakenDuration == nil)
  }

  @Test("what can be gone on with is a job")
  func jobs() throws {
    for words in [["--checkpoint-file", "c"], ["--progress-file", "p"]] {
      let options = try Self.options(words + ["--", "./a b", "it's"])
      #expect(options.rules.isJob)
      #expect(options.jobsDirectory == "/home/somebody/.local/state/stint/jobs")
      #expect(options.parameters.values["command"] == "'./a b' 'it'\\''s'")
      #expect(options.parameters.values["directory"] == "/somewhere")
    }
    let untilDone = try Self.options("--budget", "1s", "--until-done", "--rest", "2s", "--", "a")
    #expect(untilDone.rules.isJob)
    #expect(untilDone.rules.rest == .seconds(2))
    #expect(untilDone.rules.maximumRestarts == 3)
    // Budgets do not make another job.
    #expect(
      try Self.options("--budget", "9s", "--until-done", "--", "a").parameters
        == untilDone.parameters)
  }

  @Test("R14 what makes no sense is refused with a sentence that says what would")
  func refusals() {
    #expect(
      Self.refusal()
        == "Say what to run, for example: stint exec 30s COMMAND, or stint exec --budget 30s -- COMMAND."
    )
    #expect(Self.refusal("10")?.hasPrefix("Say what to run") == true)
    #expect(Self.refusal("--suspend", "10", "a")?.contains("--suspend needs --budget") == true)
    #expect(Self.refusal("--suspend", "--", "a")?.contains("add --budget") == true)
    #expect(Self.refusal("--until-done", "--", "a")?.contains("add --budget") == true)
    #expect(Self.refusal("--rest", "1s", "--", "a")?.contains("--until-done or --suspend") == true)
    #expect(
      Self.refusal("--max-restarts", "1", "--budget", "1s", "--", "a")?.contains("--until-done")
        == true)
    #expect(
      Self.refusal("--suspend", "--until-done", "--budget", "1s", "--", "a")?.contains(
        "leave --until-done out") == true)
    #expect(
      Self.refusal("--suspend", "--foreground", "--budget", "1s", "--", "a")?.contains(
        "leave --foreground out") == true)
    #expect(Self.refusal("--fresh", "--", "a")?.contains("needs a job") == true)
    #expect(Self.refusal("-s", "nope", "--", "a")?.contains("is not a signal") == true)
    #expect(Self.refusal("-s", "65", "--", "a")?.contains("is not a signal") == true)
    #expect(Self.refusal("-k", "-1", "1", "a")?.contains("is not a duration") == true)
    for budget in ["0s", "1ns", "-1s", "10", "", "nan"] {
      #expect(Self.refusal("--budget", budget, "--", "a") != nil, "\(budget)")
    }
    #expect(Self.refusal("--budget", "100d", "--", "a") == nil)
  }

  @Test("options of the command are the command's")
  func commandOptions() throws {
    #expect(
      Self.text(try Self.options("ls", "--help", "-v", "--", "x")) == [
        "ls", "--help", "-v", "--", "x",
      ])
    guard case .help = try CommandLineRequest(arguments: ["exec", "--help", "x"], environment: [:])
    else {
      Issue.record("not help")
      return
    }
  }
}

@Suite("Durations as timeout reads them")
struct TimeoutDurationTests {
  @Test(
    "R14 numbers with fractions, exponents and units",
    arguments: [
      ("5", Duration.seconds(5)), ("0.5", .milliseconds(500)), (".5s", .milliseconds(500)),
      ("1e3", .seconds(1000)), ("2m", .seconds(120)), ("1.5h", .seconds(5400)),
      ("1d", .seconds(86_400)), ("+3", .seconds(3)), ("0x10", .seconds(16)),
      ("0x.8", .milliseconds(500)), ("250ms", .milliseconds(250)), ("1h30m", .seconds(5400)),
      ("1ns", .nanoseconds(1)), ("1e-300", .nanoseconds(1)), (" \t\n5", .seconds(5)),
    ])
  func reads(text: String, duration: Duration) {
    #expect(TimeoutDuration(text) == .after(duration))
  }

  @Test(
    "R14 zero and what nobody lives to see never come",
    arguments: [
      "0", "0s", "0.000", "0d", "inf", "1e99", "99999999999d", "0x0", "1e-400", "-0", "+inf",
    ])
  func never(text: String) {
    #expect(TimeoutDuration(text) == .never)
  }

  @Test(
    "R14 what is no duration is none",
    arguments: [
      "", "-1", "-0.1", "nan", "x", "5x", "5 s", "5 ", "-inf", "+nan", "1e", "s", "d", "--", "5ss",
      "1m30",
    ])
  func refuses(text: String) {
    #expect(TimeoutDuration(text) == nil)
  }
}

@Suite("Names of signals")
struct SignalNameTests {
  @Test("with and without SIG, in any case, and back")
  func names() {
    #expect(SignalName.number("TERM") == SIGTERM)
    #expect(SignalName.number("SIGterm") == SIGTERM)
    #expect(SignalName.number("15") == SIGTERM)
    #expect(SignalName.number("RTMIN") == 34)
    #expect(SignalName.number("rtmin+2") == 36)
    #expect(SignalName.number("RTMAX-1") == 63)
    // As timeout takes them: what a shell makes of a wait status; 0 sends nothing.
    for (text, number) in [("143", SIGTERM), ("271", SIGTERM), ("0", 0), ("EXIT", 0), ("256", 0)] {
      #expect(SignalName.number(text) == number, "\(text)")
    }
    for text in [
      "", "32", "33", "65", "200", "127", " 9", "-1", "SIG", "SIGSIG", "RTMIN-1", "RTMAX+1",
      "RTMIN+99", "TERMX",
    ] {
      #expect(SignalName.number(text) == nil, "\(text)")
    }
    for number in Int32(1)...31 { #expect(SignalName.number(SignalName.name(number)) == number) }
    for number in Int32(34)...64 { #expect(SignalName.number(SignalName.name(number)) == number) }
  }
}

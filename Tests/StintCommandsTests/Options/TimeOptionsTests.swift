import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Time options")
struct TimeOptionsTests {
  func time(_ words: String...) throws -> TimeOptions {
    try CommandLine.run(["fibonacci", "1"] + words).time
  }

  @Test(
    "the lead is a quarter of the budget, at least 50 ms and at most 5 s",
    arguments: [("1s", 250), ("100ms", 50), ("20s", 5_000), ("600s", 5_000)])
  func defaultLead(budget: String, milliseconds: Int) throws {
    let policy = try time("--budget", budget).systemPolicy
    #expect(policy.lead == .milliseconds(milliseconds))
    #expect(try policy.grant == Duration(text: budget))
    #expect(throws: Never.self) { try policy.validate() }
    #expect(try time("--budget", budget, "--lead", "60ms").systemPolicy.lead == .milliseconds(60))
  }

  @Test("of --budget and --until the earlier end decides, and says so")
  func earlier() throws {
    // It is 06:00 in the zone of these tests.
    let options = try time("--budget", "30m", "--until", "07:00")
    #expect(try #require(options.grant()) == (.seconds(1800), .budget))
    #expect(try #require(options.grant(since: after(3000))) == (.seconds(600), .until))
    #expect(try #require(options.grant(since: after(9999))) == (.zero, .until))
    #expect(try #require(time("--until", "07:00").grant()) == (.seconds(3600), .until))
  }

  /// An instant after the command line was read.
  private func after(_ seconds: Int) -> Instant {
    Instant(nanoseconds: 0).advanced(by: .seconds(seconds))
  }

  /// How long a run waits at some time after it began.
  private func patience(
    _ options: TimeOptions, after elapsed: Duration, offered: Duration? = nil
  ) throws -> JobLock.Patience {
    let launch = Instant(nanoseconds: 0)
    let now = launch.advanced(by: elapsed)
    return options.patience(
      try options.sources(), launchedAt: launch,
      offered: offered.map { now.advanced(by: $0) }, now: { now })
  }

  @Test("R13 a worker that is dying is waited for in half of the time that is left")
  func patience() throws {
    let short = try time("--budget", "6s")
    #expect(try patience(short, after: .zero).duration == .seconds(3))
    #expect(try patience(short, after: .seconds(2), offered: .seconds(9)).duration == .seconds(2))
    #expect(
      try patience(short, after: .seconds(2), offered: .seconds(1)).duration == .milliseconds(500))
    #expect(try patience(short, after: .seconds(7)).duration == .zero)
    #expect(try patience(time("--budget", "10h"), after: .zero).duration == .seconds(10))
    #expect(try patience(time("--until", "07:00"), after: .seconds(3605)).duration == .zero)
    #expect(try patience(time(), after: .seconds(99)).duration == .seconds(10))
    #expect(try patience(time(), after: .zero, offered: .seconds(-1)).duration == .zero)
    #expect(try !patience(short, after: .seconds(7)).waitsForLiving)
  }

  @Test("E5 --wait-lock waits for one that lives, as long as there is time to work then")
  func waitLock() throws {
    let endless = try time("--budget", "60s", "--wait-lock")
    #expect(try patience(endless, after: .zero).waitsForLiving)
    #expect(try !patience(endless, after: .seconds(54)).isOver())
    #expect(try patience(endless, after: .seconds(55)).isOver())
    #expect(try !patience(endless, after: .zero, offered: .seconds(5)).isOver())
    #expect(
      try patience(endless, after: .milliseconds(2_500), offered: .milliseconds(2_500)).isOver())
    let limited = try patience(time("--wait-lock=3m"), after: .zero)
    #expect(limited.duration == .seconds(180))
    #expect(!limited.isOver())
    #expect(throws: StintError.self) { try time("--wait-lock=soon") }
  }

  /// The options of a process in an allocation of Slurm.
  private static func inAllocation(_ words: String..., isGrantedTime: Bool = false) throws
    -> TimeOptions
  {
    let surroundings = Surroundings(
      environment: ["HOME": "/", "SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n1"],
      workingDirectory: "/",
      wallTime: CommandLine.surroundings.wallTime, isGrantedTime: isGrantedTime)
    let parsed = try CommandLine.parsed(["run", "fibonacci", "1"] + words).options
    return try RunOptions(parsed, in: surroundings).time
  }

  @Test("E2 in an allocation the engine's end counts; --lead and --until-done go with it")
  func engine() throws {
    let options = try Self.inAllocation("--lead", "2s", "--until-done")
    #expect(!options.isUnlimited)
    #expect(!options.hasOwnEnd)
    #expect(options.systemPolicy.lead == .seconds(2))
    #expect(try Self.inAllocation("--no-engine").isUnlimited)
    // Who is granted time by a supervisor has that one's word alone.
    #expect(try Self.inAllocation(isGrantedTime: true).isUnlimited)
  }

  @Test("E1 a deadline file that cannot be followed is an error, never silence")
  func noDescriptorForFile() async {
    await #expect(processExitsWith: .success) {
      let options = try CommandLine.run(["fibonacci", "1", "--deadline-file", "d"]).time
      let sources = Self.withoutDescriptors { Result { try options.sources() } }
      #expect(throws: StintError.self) { try sources.get() }
    }
  }

  @Test("E2 an engine that cannot be asked is a notice, never silence")
  func noDescriptorForEngine() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let options = try Self.inAllocation()
      let sources = Self.withoutDescriptors { Result { try options.sources() } }
      #expect(try !sources.get().mayChange)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("is not followed") && said.contains("ulimit -n"), "\(said)")
  }

  /// Lets this process open nothing meanwhile; at its end a sanitizer has to.
  private static func withoutDescriptors<T>(_ body: () -> T) -> T {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let usual = limit.rlim_cur
    limit.rlim_cur = rlim_t(STDERR_FILENO) + 1
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    defer {
      limit.rlim_cur = usual
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return body()
  }

  @Test(
    "options that contradict each other are refused",
    arguments: [
      (["--budget", "1s", "--lead", "1s"], "--lead 1s is not shorter than --budget"),
      (["--budget", "2h", "--until", "07:00", "--lead", "1h"], "not shorter than --until"),
      (["--lead", "1s"], "add --budget, --policy, --until or --deadline-file."),
      (["--rest", "1s", "--budget", "9s"], "needs --until-done"),
      (["--until-done"], "add --budget, --policy or --deadline-file."),
      (["--until-done", "--until", "07:00"], "add --budget, --policy or --deadline-file."),
    ])
  func contradictions(words: [String], part: String) {
    let error = CommandLine.refusal(["run", "fibonacci", "1"] + words)
    #expect(error?.code == .usage)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "accepted")")
  }

  @Test("a policy's grant and lead hold where no option says otherwise")
  func policies() throws {
    let plain = try time("--policy", "iOS13").systemPolicy
    #expect(plain == .iOS13)
    let shorter = try time("--policy", "ios13", "--budget", "8s").systemPolicy
    #expect(shorter.grant == .seconds(8) && shorter.lead == .seconds(2))
    #expect(shorter.terminationPoint == SystemPolicy.iOS13.terminationPoint)
    let warned = try time("--policy", "ios13", "--lead", "9s").systemPolicy
    #expect(warned.grant == .seconds(30) && warned.lead == .seconds(9))
    #expect(try time().systemPolicy == .commandLine)
    #expect(try #require(time("--policy", "ios6").grant()) == (.seconds(600), .policy))
    #expect(try time("--policy", "ios6", "--until-done").untilDone)
    #expect(
      CommandLine.refusal(["run", "fibonacci", "1", "--policy", "ios13", "--lead", "30s"]) != nil)
    #expect(
      CommandLine.refusal(["run", "fibonacci", "1", "--policy", "unlimited", "--until-done"]) != nil
    )
  }

  @Test("E1 another source is an entry of the table: its option, its end and its name in messages")
  func anotherSource() throws {
    let choices =
      BudgetChoice.all + [
        BudgetChoice(
          options: [OptionSpecification("tide", argument: "TIME", group: .time, help: "Tide")]
        ) { parsed, surroundings in
          try parsed.duration("tide").map { .steady(Tide(surroundings.wallTime.instant, in: $0)) }
        }
      ]
    func time(_ words: String...) throws -> TimeOptions {
      let options = choices.options + OptionTable.ofTime.filter { !choices.options.contains($0) }
      return try TimeOptions(
        try OptionScanner.scan(words, options: options), in: CommandLine.surroundings,
        choices: choices)
    }
    let tide = try time("--tide", "20s", "--budget", "30s", "--lead", "2s", "--until-done")
    #expect(try #require(tide.grant()) == (.seconds(20), BudgetName(rawValue: "tide")))
    #expect(try tide.sources().end(ofTripSince: after(0))?.source == "tide")
    #expect(tide.systemPolicy.lead == .seconds(2))
    let alone = try time("--tide", "20s")
    #expect(alone.hasOwnEnd && !alone.isUnlimited)
    #expect(try patience(alone, after: .zero).duration == .seconds(10))
    #expect(try patience(alone, after: .seconds(12)).duration == .seconds(4))
    let error = #expect(throws: StintError.self) { try time("--until-done") }
    #expect(error?.message.hasSuffix("--deadline-file or --tide.") == true)
  }

  @Test(
    "E1 every option of a source is an option of all that runs, and is refused in a line of a batch",
    arguments: BudgetChoice.all.options)
  func options(option: OptionSpecification) {
    #expect(OptionTable.ofTime.contains(option) && ExecOptionTable.all.contains(option))
    let reader = LineReader(surroundings: CommandLine.surroundings, needsOutput: false)
    let value = option.argument == nil ? "" : "=1s"
    let error = #expect(throws: StintError.self) {
      try reader.job(["fibonacci", "1", "--\(option.name)\(value)"], options: OptionTable.ofTime)
    }
    #expect(error?.message.hasPrefix("--\(option.name) applies to the whole batch") == true)
  }
}

/// A source that the product does not have.
private struct Tide: BudgetSource {
  let name = BudgetName(rawValue: "tide")
  let instant: Instant

  init(_ now: Instant, in time: Duration) { instant = now.advanced(by: time) }

  func end(ofTripSince start: Instant) -> BudgetEnd { .at(instant) }
}

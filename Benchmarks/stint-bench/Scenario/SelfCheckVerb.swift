import Stint
import StintCommands
import StintCore
import StintScenarios

/// Shows that the benchmark finds out who does not do what it says: `stint-bench selfcheck`.
struct SelfCheckVerb: Hashable {
  /// What a check that fails ends with.
  static let failed: Int32 = 70

  var seed: UInt64
  /// Budgets of each worker; nil for the check's own number.
  var trips: Int?
  /// Whether on the real clock, with real processes, and where they write.
  var isReal = false
  var directory: String?
  var json: String?
  var quiet = false

  /// Reads what was given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    seed = UInt64(try parsed.integer("seed", in: 0...ScenarioOptions.greatestSeed) ?? 1)
    trips = try parsed.integer("trips", in: 1...100_000)
    isReal = parsed.has("real")
    directory = parsed.text("dir")
    json = parsed.text("json")
    quiet = parsed.has("quiet")
  }

  /// Lets everybody live, says who was found out, and returns the exit status.
  func run() throws -> Int32 {
    let result = try isReal ? realResult() : virtualResult()
    var report = ScenarioReport(version: StintProgram.version, seed: seed, repeats: 1)
    report.scenarios = [result]
    if !isReal { report.goals = OptimumCheck(seed: seed).goals() }
    if isReal { report.mode = "real" }
    if !quiet {
      let time = isReal ? "real" : "virtual"
      Console.write("seed \(seed), \(time) time\n\n" + SelfCheck.render(result) + "\n")
      Console.write(ScenarioTable.render(report.allGoals))
    }
    if let json { try ScenarioBenchmark.save(try ScenarioFile.json(report), json) }
    return report.missesGoal ? Self.failed : 0
  }

  private func virtualResult() -> ScenarioResult {
    var scenario = SelfCheck.scenario
    if let trips { scenario.trips = trips }
    return SelfCheck(scenario, seed: seed).result()
  }

  /// The same workers as processes, in budgets of a second.
  private func realResult() throws -> ScenarioResult {
    let signals = try SignalDescriptor()
    let workers =
      [RealWorker.planted(nil), .stint] + WorkerFault.allCases.map { .planted($0) }
    let plan = try RealPlan(
      SelfCheck.scenario, seed: seed, repeats: 1, grants: trips ?? 3, workers: workers.count,
      scale: 0.1)
    let benchmark = RealBenchmark(
      seed: seed, repeats: 1, samples: 6, directory: directory, signals: signals
    ) { ScenarioBenchmark.write($0, unless: quiet) }
    var result = try benchmark.result(plan, workers)
    result.goals = SelfCheck.judge(result)
    return result
  }
}

extension BenchVerb {
  static let selfCheck = BenchVerb(
    specification: VerbSpecification(
      "selfcheck",
      summary: "Workers with planted faults: each has to be found out and named",
      usage: ["selfcheck [OPTIONS]"], operands: .none,
      options: [
        OptionSpecification(
          "seed", argument: "NUMBER", group: .work, help: "Decides everything (default 1)"),
        OptionSpecification(
          "trips", argument: "COUNT", group: .work,
          help: "Budgets of each worker (default 20, real 3)"),
        OptionSpecification(
          "real", group: .work, help: "Real processes in budgets of a second"),
        OptionSpecification(
          "dir", argument: "DIR", group: .work, help: "Where they write (default /var/tmp)"),
        OptionSpecification(
          "json", argument: "FILE", group: .display, help: "Write the report as JSON, for programs"),
        OptionSpecification("quiet", group: .display, help: "Write no tables"),
      ],
      examples: [
        .init(command: "stint-bench selfcheck", meaning: "does it find each planted fault?")
      ],
      exitStatuses: [
        ExitStatusHelp.done, .usage,
        ExitStatusHelp(
          status: "70", meaning: "a fault was not found, or one was found where none is"),
      ])
  ) { parsed in
    try SelfCheckVerb(parsed).run()
  }
}

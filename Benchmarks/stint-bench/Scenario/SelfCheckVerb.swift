import Foundation
import StintCommands
import StintCore
import StintScenarios

/// Shows that the benchmark finds out who does not do what it says: `stint-bench selfcheck`.
struct SelfCheckVerb: Hashable {
  /// What a check that fails ends with.
  static let failed: Int32 = 70
  private static let greatestSeed = (1 << 53) - 1

  var seed: UInt64 = 1
  /// Budgets of each worker; nil for the check's own number.
  var trips: Int?
  var json: String?
  var quiet = false

  /// Reads what was given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    if let seed = try parsed.integer("seed", in: 0...Self.greatestSeed) { self.seed = UInt64(seed) }
    trips = try parsed.integer("trips", in: 1...100_000)
    json = parsed.text("json")
    quiet = parsed.has("quiet")
  }

  /// Lets everybody live, says who was found out, and returns the exit status.
  func run() throws -> Int32 {
    var scenario = SelfCheck.scenario
    if let trips { scenario.trips = trips }
    let result = SelfCheck(scenario, seed: seed).result()
    var report = ScenarioReport(version: StintProgram.version, seed: seed, repeats: 1)
    report.scenarios = [result]
    if !quiet {
      Console.write("seed \(seed), virtual time\n\n" + SelfCheck.render(result) + "\n")
      Console.write(ScenarioTable.render(report.allGoals))
    }
    if let json { try ScenarioBenchmark.save(try ScenarioFile.json(report), json) }
    return report.missesGoal ? Self.failed : 0
  }
}

extension BenchVerbs {
  static let selfCheck = VerbSpecification(
    "selfcheck",
    summary: "Workers with planted faults: each has to be found out and named",
    usage: ["selfcheck [OPTIONS]"], operands: .none,
    options: [
      OptionSpecification(
        "seed", argument: "NUMBER", group: .work, help: "Decides everything (default 1)"),
      OptionSpecification(
        "trips", argument: "COUNT", group: .work, help: "Budgets of each worker (default 20)"),
      OptionSpecification(
        "json", argument: "FILE", group: .display, help: "Write the report as JSON, for programs"),
      OptionSpecification("quiet", group: .display, help: "Write no tables"),
    ],
    examples: [
      .init(command: "stint-bench selfcheck", meaning: "does the benchmark see what it should?")
    ],
    exitStatuses: [
      ExitStatusHelp.done, .usage,
      ExitStatusHelp(
        status: "70", meaning: "a fault was not found, or one was found where none is"),
    ])
}

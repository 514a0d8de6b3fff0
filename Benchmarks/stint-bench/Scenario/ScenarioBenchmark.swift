import Foundation
import StintCommands
import StintCore
import StintScenarios

/// Runs scenarios and writes what came of them.
struct ScenarioBenchmark {
  /// With `--check` a goal that is close to its limit gets so many repeats at most, or as many as
  /// were asked for.
  private static let mostRepeats = 20

  let options: ScenarioOptions

  /// Runs all that was asked for.
  ///
  /// - Returns: False if `--check` was given and a goal is missed.
  func run() throws -> Bool {
    if let real = options.real { return try runReal(real) }
    Self.write(
      "seed \(options.seed), \(options.repeats) repeats, virtual time\n", unless: options.quiet)
    let paths =
      options.scenarios.isEmpty ? try Self.shipped() : try options.scenarios.map(Self.path)
    // All are read before the first is run: a mistake in the last must not cost the time of the
    // others.
    let scenarios = try paths.map { try ScenarioFile.read($0) }
    var report = ScenarioReport(
      version: StintProgram.version, seed: options.seed, repeats: options.repeats)
    for var scenario in scenarios {
      if let trips = options.trips { scenario.trips = trips }
      let result = result(scenario)
      report.scenarios.append(result)
      Self.write("\n" + ScenarioTable.render(result), unless: options.quiet)
    }
    report.goals = Goal.judge(report.scenarios)
    Self.write("\n" + ScenarioTable.render(report.allGoals), unless: options.quiet)
    try write(report)
    return !(options.check && report.missesGoal)
  }

  /// Runs a scenario; where its goals are to be judged, again with twice as many repeats until they
  /// are decided.
  private func result(_ scenario: Scenario) -> ScenarioResult {
    var repeats = options.check ? max(options.repeats, Goal.leastRepeats) : options.repeats
    while true {
      var run = ScenarioRun(scenario, seed: options.seed, repeats: repeats)
      run.sampleTrips = options.samples
      var result = run.result()
      result.goals = Goal.judge(result)
      let isOpen = result.goals.contains(where: \.needsMoreRepeats)
      guard options.check, isOpen, repeats < Self.mostRepeats else { return result }
      repeats *= 2
    }
  }

  /// Writes the files that were asked for.
  func write(_ report: ScenarioReport, others: Disturbance? = nil) throws {
    if let path = options.json {
      try Self.save(try ScenarioFile.json(RealReport(report: report, others: others)), path)
    }
    try PageVerb.write(report, html: options.html, trace: options.trace)
    if let path = options.csv { try Self.save(report.csv, path) }
  }

  /// Two reports side by side.
  static func compare(_ first: String, _ second: String) throws {
    let (a, b) = (try ScenarioFile.report(first), try ScenarioFile.report(second))
    Console.write("A: \(first), seed \(a.seed); B: \(second), seed \(b.seed)\n\n")
    Console.write(ScenarioTable.compare(a, b))
  }

  /// The scenarios that ship.
  static func list() throws {
    for path in try shipped() {
      let scenario = try ScenarioFile.read(path)
      let name = scenario.name.padding(toLength: 20, withPad: " ", startingAt: 0)
      Console.write("\(name)  \(scenario.title)\n")
    }
  }

  private static func shipped() throws -> [String] {
    let folder = try SourceFolder.find("Benchmarks/scenarios", holding: "fixed-5s.json")
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".json") }.sorted().map { folder + "/" + $0 }
  }

  /// A name of one that ships, or a path.
  static func path(_ word: String) throws -> String {
    if word.contains("/") || word.hasSuffix(".json") { return word }
    let shipped = try shipped()
    func name(_ path: String) -> String {
      URL(filePath: path).deletingPathExtension().lastPathComponent
    }
    if let path = shipped.first(where: { name($0) == word }) { return path }
    let advice =
      NearestName.find(word, among: shipped.map(name)).map { " Did you mean \($0)?" } ?? ""
    throw StintError(
      .usage, "There is no scenario \"\(word.prefix(60))\".\(advice) See stint-bench list.")
  }

  /// Writes a file, whole or not at all.
  static func save(_ text: String, _ path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw StintError(.cannotCreate, "\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  static func write(_ text: String, unless quiet: Bool) {
    if !quiet { Console.write(text) }
  }
}

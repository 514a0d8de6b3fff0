import Dispatch
import Foundation
import StintCommands
import StintCore
import StintScenarios
import Synchronization

/// `stint-bench publish`: the table of traces by workloads by strategies, as a page, CSV and LaTeX.
struct PublishVerb: Hashable {
  var folder: String
  var options: ScenarioOptions
  /// A report of `run --real`, whose rows stand beside.
  var real: String?

  /// Reads what was given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    options = try ScenarioOptions(parsed)
    folder = parsed.text("out") ?? "stint-table"
    real = parsed.text("real-report")
  }

  /// Lives all of it and writes three files.
  func run() throws {
    // Their traces are taken, and the table's workloads.
    let scenarios = options.scenarios.isEmpty ? PublishedTable.traces : options.scenarios
    let bases = try scenarios.map { try ScenarioFile.read(try ScenarioBenchmark.path($0)) }
    guard Set(bases.map(\.name)).count == bases.count else {
      throw StintError(.usage, "Two of the scenarios have the same name; each needs its own.")
    }
    // What is missing is found before minutes are spent.
    let measured = try real.map { try Self.measured($0) } ?? []
    try createFolder()
    let results = live(
      bases.flatMap(\.tableScenarios).map { scenario in
        var scenario = scenario
        if let trips = options.trips { scenario.trips = trips }
        return scenario
      })
    let count = TableWorkload.all.count
    let sections = bases.enumerated().map { index, base in
      PublishedTable.Section(
        name: base.name, title: base.title, description: base.description,
        results: Array(results.dropFirst(index * count).prefix(count)))
    }
    let table = PublishedTable(
      version: StintProgram.version, seed: options.seed, repeats: options.repeats,
      sections: sections, measured: measured)
    for (name, text) in [
      ("table.html", table.html), ("table.csv", table.csv), ("table.tex", table.latex),
    ] {
      try ScenarioBenchmark.save(text, folder + "/" + name)
    }
    ScenarioBenchmark.write(
      "\(folder)/table.html, table.csv and table.tex are written.\n", unless: options.quiet)
  }

  /// Lives all worlds, as many at once as there are processors; the results are in their order.
  private func live(_ worlds: [Scenario]) -> [ScenarioResult] {
    let done = Mutex<[Int: ScenarioResult]>([:])
    DispatchQueue.concurrentPerform(iterations: worlds.count) { number in
      var run = ScenarioRun(worlds[number], seed: options.seed, repeats: options.repeats)
      run.sampleTrips = 0
      let result = run.result()
      let count = done.withLock { done in
        done[number] = result
        return done.count
      }
      ScenarioBenchmark.write(
        "\(count) of \(worlds.count): \(worlds[number].name)\n", unless: options.quiet)
    }
    return done.withLock { done in worlds.indices.compactMap { done[$0] } }
  }

  private func createFolder() throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw StintError(.cannotCreate, "\(folder) cannot be created: \(error.localizedDescription)")
    }
  }

  /// The rows of a report that was measured on the real clock.
  private static func measured(_ path: String) throws -> [PublishedTable.Section] {
    let report = try ScenarioFile.report(path)
    guard report.mode == "real" else {
      throw StintError(
        .usage,
        "\(path) was made in virtual time; --real-report takes what stint-bench run --real --json "
          + "has written.")
    }
    return report.scenarios.map { scenario in
      PublishedTable.Section(
        name: "\(scenario.name)-real", title: "On the real clock: \(scenario.title)",
        description: scenario.description, results: [scenario])
    }
  }
}

extension BenchVerb {
  static let publish = BenchVerb(
    specification: VerbSpecification(
      "publish",
      summary: "The table of traces, workloads and strategies as a page, CSV and LaTeX",
      usage: ["publish [SCENARIO...] [OPTIONS]"], operands: .own,
      options: [
        OptionSpecification(
          "out", argument: "DIR", group: .work,
          help: "Where table.html, table.csv and table.tex go (default stint-table)")
      ] + drawOptions + [
        OptionSpecification(
          "real-report", argument: "FILE", group: .work,
          help: "Rows of run --real --json that stand beside, such as your own worker's"),
        OptionSpecification("quiet", group: .display, help: "Write no progress"),
      ],
      examples: [
        .init(
          command: "stint-bench publish --out table",
          meaning: "all of it, from nothing; the same bytes for the same seed"),
        .init(
          command: "stint-bench publish ./cluster.json --out ours",
          meaning: "the trace of your own cluster with the table's workloads"),
      ],
      exitStatuses: [
        .done, .usage,
        ExitStatusHelp(status: "65", meaning: "the file of --real-report is no report"),
        ExitStatusHelp(status: "73", meaning: "a file cannot be created or written"),
      ])
  ) { parsed in
    try PublishVerb(parsed).run()
    return 0
  }
}

import Stint
import StintCommands
import StintCore
import StintScenarios

/// How scenarios are run on the real clock.
struct RealOptions: Hashable {
  /// Budgets in each repeat.
  var grants = 10
  /// What all times are multiplied by; nil to leave them, if that does not take too long.
  var scale: Double?
  /// Where checkpoints are written; nil for the default.
  var directory: String?
  var workers = [RealWorker.stint]

  /// Reads what was given; nil without `--real`.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init?(_ parsed: ParsedOptions) throws {
    let own = ["grants", "scale", "dir", "work", "strategy", "command", "checkpoint-file"]
    guard parsed.has("real") else {
      if let word = own.first(where: parsed.has) {
        throw StintError(.usage, "--\(word) goes with --real.")
      }
      return nil
    }
    guard !parsed.operands.isEmpty else {
      throw StintError(
        .usage,
        "--real takes real time: name the scenarios, such as fixed-5s; see stint-bench list.")
    }
    if parsed.has("trips") {
      throw StintError(
        .usage, "With --real it is --grants that says how many budgets there are.")
    }
    grants = try parsed.integer("grants", in: 1...100_000) ?? grants
    directory = parsed.text("dir")
    if let text = parsed.text("scale") {
      guard let scale = Double(text), scale >= 0.001, scale <= 1_000 else {
        throw StintError(.usage, "--scale takes a factor from 0.001 to 1000, not \"\(text)\".")
      }
      self.scale = scale
    }
    workers = try Self.workers(parsed)
    if parsed.has("check"), !workers.contains(.stint) {
      throw StintError(
        .usage, "--check judges Stint's own worker; name it with --strategy, or leave --check out.")
    }
  }

  /// Whoever was named with `--strategy`, then the commands; or the one worker that `--work` says.
  private static func workers(_ parsed: ParsedOptions) throws -> [RealWorker] {
    let commands = try RealCommand.all(
      parsed.texts("command"), checkpoint: parsed.text("checkpoint-file"))
    if parsed.has("work"), !commands.isEmpty {
      throw StintError(.usage, "--work and --command exclude each other.")
    }
    if parsed.has("checkpoint-file"), commands.isEmpty {
      throw StintError(.usage, "--checkpoint-file goes with --command.")
    }
    var workers = try strategies(parsed)
    if workers.isEmpty, commands.isEmpty { workers = [try work(parsed)] }
    workers += commands.map { .command($0) }
    var names: Set<String> = []
    for worker in workers where !names.insert(worker.name).inserted {
      throw StintError(
        .usage,
        "Two workers are called \(worker.name); give a command a name of its own: --command NAME=COMMAND."
      )
    }
    return workers
  }

  private static func strategies(_ parsed: ParsedOptions) throws -> [RealWorker] {
    guard let text = parsed.text("strategy") else { return [] }
    guard !parsed.has("work") || parsed.text("work") == "synthetic" else {
      throw StintError(
        .usage, "--strategy is for the synthetic work; a program decides for itself when to save.")
    }
    let able = StrategyName.allCases.filter { $0 != .oracle }
    let names =
      text == "all" ? able : try text.split(separator: ",").map { try strategy(String($0), able) }
    guard !names.isEmpty, Set(names).count == names.count else {
      throw StintError(.usage, "--strategy takes names, each once, with commas between them.")
    }
    return names.map { $0 == .stint ? .stint : .rule($0) }
  }

  private static func strategy(_ word: String, _ able: [StrategyName]) throws -> StrategyName {
    let known = able.map(\.rawValue)
    guard let name = StrategyName(rawValue: word) else {
      let advice = NearestName.find(word, among: known).map { " Did you mean \($0)?" } ?? ""
      throw StintError(
        .usage,
        "There is no strategy \"\(word.prefix(60))\".\(advice) There are "
          + "\(known.joined(separator: ", ")), and all of them as all.")
    }
    guard name != .oracle else {
      throw StintError(
        .usage,
        "The oracle knows the distributions of a world that is made by them; a real disk is not, so it "
          + "has nothing to know with --real. Leave it out, or run in virtual time.")
    }
    return name
  }

  private static func work(_ parsed: ParsedOptions) throws -> RealWorker {
    guard let work = parsed.text("work"), work != "synthetic" else { return .stint }
    let parts = work.split(separator: ":", maxSplits: 2).map(String.init)
    switch (parts.first, parts.count) {
    case ("fibonacci"?, 2):
      return .program(name: "fibonacci", words: ["fibonacci", parts[1]])
    case ("image"?, 3):
      return .program(name: "image", words: ["image", parts[1], "--filter", parts[2]])
    case _:
      throw StintError(
        .usage, "--work is synthetic, fibonacci:N or image:INPUT:FILTER, not \"\(work)\".")
    }
  }

  static let specifications = [
    OptionSpecification(
      "real", group: .work, help: "On the real clock: real processes, killed at their deadlines"),
    OptionSpecification(
      "grants", argument: "COUNT", group: .work,
      help: "With --real: budgets in each repeat (default 10)"),
    OptionSpecification(
      "scale", argument: "FACTOR", group: .work,
      help: "With --real: multiply all times of the scenario, such as 0.01"),
    OptionSpecification(
      "work", argument: "WHAT", group: .work,
      help: "With --real: synthetic (default), fibonacci:N or image:INPUT:FILTER"),
    OptionSpecification(
      "strategy", argument: "NAMES", group: .work,
      help: "With --real: who decides, such as stint,p99,young, or all (default stint)"),
    OptionSpecification(
      "command", argument: "[NAME=]COMMAND", group: .work, isRepeatable: true,
      help: "With --real: a command, quoted as in a batch, supervised as stint exec does"),
    OptionSpecification(
      "checkpoint-file", argument: "FILE", group: .work,
      help: "With --command: the file whose change is a checkpoint (docs/bench-workers.md)"),
    OptionSpecification(
      "dir", argument: "DIR", group: .work,
      help: "With --real: where checkpoints are written (default /var/tmp)"),
  ]
}

extension ScenarioBenchmark {
  /// Runs the scenarios on the real clock, all of them planned before the first begins.
  func runReal(_ real: RealOptions) throws -> Bool {
    // Before any thread is made: a supervisor takes its signals from a descriptor.
    let signals = try SignalDescriptor()
    let plans = try options.scenarios.map { word in
      try RealPlan(
        try ScenarioFile.read(Self.path(word)), seed: options.seed, repeats: options.repeats,
        grants: real.grants, workers: real.workers.count, scale: real.scale)
    }
    Self.write(
      "seed \(options.seed), \(options.repeats) repeats, real time: at most "
        + RealPlan.words(plans.reduce(0) { $0 + $1.expectedSeconds }) + "\n",
      unless: options.quiet)
    var report = ScenarioReport(
      version: StintProgram.version, seed: options.seed, repeats: options.repeats)
    report.mode = "real"
    let benchmark = RealBenchmark(
      seed: options.seed, repeats: options.repeats, samples: options.samples,
      directory: real.directory, signals: signals
    ) { Self.write($0, unless: options.quiet) }
    let meter = OthersMeter()
    for plan in plans {
      let result = try benchmark.result(plan, real.workers)
      report.scenarios.append(result)
      Self.write("\n" + RealTable.render(result), unless: options.quiet)
    }
    let others = meter.finish()
    let reason = others?.reason
    if options.check, reason == nil {
      for index in report.scenarios.indices {
        report.scenarios[index].goals = RealGoals.judge(report.scenarios[index])
      }
      Self.write("\n" + ScenarioTable.render(report.allGoals), unless: options.quiet)
    }
    try write(report, others: others)
    if let reason {
      guard !options.check else {
        throw StintError(
          .unavailable, "\(reason), so nothing is judged; run it again when it is quiet.")
      }
      Console.say("\(reason); these figures are not those of a quiet machine.")
    } else if let others {
      Self.write("\n\(others.description)\n", unless: options.quiet)
    }
    return !(options.check && report.missesGoal)
  }
}

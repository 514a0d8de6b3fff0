import StintCommands
import StintCore

/// How a benchmark is run.
struct BenchOptions: Hashable {
  /// Whether a missed gate is an error.
  var check = false
  /// Whether the report is written as JSON.
  var json = false
  /// Whether everything is done with small counts and nothing is judged.
  var quick = false
  /// Whether a busy machine is measured all the same, without a verdict.
  var busyOK = false
  /// How many rounds (of processes, of commits) are made; nil for each benchmark's own number.
  var rounds: Int?
  /// The budget of the saved share; nil for the default.
  var budget: Duration?
  /// Where files are written; nil for the default.
  var directory: String?
  /// Which figures are measured, by the beginning of their names; empty for all.
  var only: [String] = []

  /// Reads what was given.
  init(_ parsed: ParsedOptions) throws {
    check = parsed.has("check")
    json = parsed.has("json")
    quick = parsed.has("quick")
    busyOK = parsed.has("busy-ok")
    rounds = try parsed.integer("rounds", in: 1...100_000)
    budget = try parsed.duration("budget", least: .milliseconds(500), most: .seconds(600))
    directory = parsed.text("dir")
    only = parsed.text("only").map { $0.split(separator: ",").map(String.init) } ?? []
  }

  /// Whether a group of figures is wanted.
  func wants(_ group: String) -> Bool {
    only.isEmpty || only.contains { group.hasPrefix($0) }
  }
}

extension BenchOptions {
  /// The options that all measuring verbs have.
  fileprivate static let specifications = [
    OptionSpecification(
      "check", group: .work, help: "Exit with 1 if a gate is missed, with 69 on a busy machine"),
    OptionSpecification(
      "busy-ok", group: .work, help: "Measure on a busy machine too, and judge nothing there"),
    OptionSpecification(
      "quick", group: .work, help: "Small counts: everything is done and nothing is judged"),
    OptionSpecification(
      "rounds", argument: "COUNT", group: .work, help: "Rounds of what is measured in rounds"),
    OptionSpecification("json", group: .display, help: "Write JSON, for programs"),
  ]

  /// For those that write files.
  static let directory = OptionSpecification(
    "dir", argument: "DIR", group: .work,
    help: "Where files are written and removed again (default /var/tmp)")

  fileprivate static let exitStatuses = [
    ExitStatusHelp.done,
    ExitStatusHelp(status: "1", meaning: "with --check: a gate is missed"),
    .usage,
    ExitStatusHelp(status: "69", meaning: "with --check: the machine is too busy to judge"),
  ]
}

extension VerbSpecification {
  /// A verb that measures: what all of them take, and then its own options and examples.
  static func measuring(
    _ name: String, _ summary: String, usage: [String]? = nil, operands: Operands = .none,
    options: [OptionSpecification] = [], examples: [Example] = []
  ) -> VerbSpecification {
    VerbSpecification(
      name, summary: summary, usage: usage ?? ["\(name) [OPTIONS]"], operands: operands,
      options: BenchOptions.specifications + options,
      examples: [.init(command: "stint-bench \(name) --check", meaning: "what a release must pass")]
        + examples,
      exitStatuses: BenchOptions.exitStatuses)
  }
}

import StintCommands
import StintCore

/// What the parts of Stint cost, one by one.
struct MicroBenchmark {
  let options: BenchOptions
  let machine: MachineState

  /// Measures every group that is wanted, the cheap ones first.
  func figures() throws -> [Figure] {
    var figures: [Figure] = []
    if options.wants("task") { figures += try TaskCosts(options: options).begins() }
    if options.wants("remaining") { figures += try TaskCosts(options: options).reads() }
    if options.wants("periodic") { figures += try PeriodicCosts(options: options).figures() }
    if options.wants("machinery") {
      figures += try MachineryOverhead(options: options, machine: machine).figures()
    }
    if options.wants("commit") { figures += try CommitCosts(options: options).figures() }
    if options.wants("saved") {
      figures += try SavedShare(options: options, machine: machine).figures()
    }
    guard !figures.isEmpty else {
      throw StintError(
        .usage,
        "--only names no group; the groups are task, remaining, periodic, machinery, commit and "
          + "saved.")
    }
    return figures
  }
}

extension BenchVerb {
  static let micro = BenchVerb(
    specification: .measuring(
      "micro", "What a task, the worker and a checkpoint cost, and what is saved of a budget",
      options: [
        OptionSpecification(
          "budget", argument: "TIME", group: .time,
          help: "The budget whose saved share is measured (default 30s; others are not judged)"),
        BenchOptions.directory,
        OptionSpecification(
          "only", argument: "GROUPS", group: .work,
          help: "Only these, with commas: task, remaining, periodic, machinery, commit, saved"),
      ],
      examples: [
        .init(
          command: "stint-bench micro --only task,remaining --json",
          meaning: "two groups of figures, for a program")
      ])
  ) { parsed in
    let options = try BenchOptions(parsed)
    return try options.measure("micro") { machine in
      try MicroBenchmark(options: options, machine: machine).figures()
    }
  }
}

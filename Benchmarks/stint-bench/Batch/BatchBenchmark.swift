import StintCommands
import StintCore

/// What many short commands cost through `stint batch`, beside GNU parallel, and how much memory a
/// long list of lines takes.
struct BatchBenchmark {
  /// The names that `--only` knows.
  private static let groups = ["commands", "lines"]

  let options: BenchOptions

  /// Measures every group that is wanted.
  ///
  /// - Throws: ``StintError``: `usage` if none is wanted, `unavailable` if a program is missing or
  ///   fails, `checkFailed` if commands were not run or lines not read.
  func figures() throws -> [Figure] {
    guard Self.groups.contains(where: options.wants) else {
      throw StintError(.usage, "--only names no group; the groups are commands and lines.")
    }
    let scratch = try ScratchDirectory(below: options.directory)
    defer { withExtendedLifetime(scratch) {} }
    let stint = try StrippedProgram.copy("stint", into: scratch.path)
    var figures: [Figure] = []
    if options.wants("commands") {
      let commands = BatchCommands(
        stint: stint, directory: scratch.path, count: options.quick ? 20 : 500,
        rounds: options.rounds ?? (options.quick ? 1 : 11))
      // Stint waits for the disk before it says that a line is finished.
      figures += try commands.figures().map { scratch.isMemory ? $0.notJudged() : $0 }
    }
    if options.wants("lines") {
      let lines = BatchLines(
        stint: stint, directory: scratch.path, count: options.quick ? 1_000 : 1_000_000,
        budget: options.budget ?? .seconds(options.quick ? 5 : 60))
      figures.append(try lines.figure())
    }
    return figures
  }
}

extension BenchVerb {
  static let batch = BenchVerb(
    specification: .measuring(
      "batch", "Many short commands through stint batch, beside GNU parallel",
      options: [
        OptionSpecification(
          "budget", argument: "TIME", group: .time,
          help: "The budget in which a million lines are read and begun (default 60s)"),
        BenchOptions.directory,
        OptionSpecification(
          "only", argument: "GROUPS", group: .work,
          help: "Only these, with commas: commands, lines"),
      ],
      examples: [
        .init(
          command: "stint-bench batch --only lines --budget 2m",
          meaning: "how much memory a million lines take in a longer budget")
      ])
  ) { parsed in
    let options = try BenchOptions(parsed)
    return try options.measure("batch") { _ in
      try BatchBenchmark(options: options).figures()
    }
  }
}

import StintCore
import StintRuntime

extension Verb {
  /// `stint items`: what `stint submit --shards` runs; not for people.
  ///
  /// The program that does the work knows its items. It writes the list of them to standard output,
  /// or nothing if shards have begun without one.
  static let items = Verb(
    VerbSpecification(
      "items", summary: "List the items of work that is cut (for stint submit)",
      usage: ["items N run WORDS..."], operands: .command, options: [OptionTable.jobsDirectory])
  ) { invocation in
    SignalWatch.restoreDefaults()
    let context = try invocation.context()
    let operands = context.parsed.operands
    guard let count = operands.first.flatMap({ Int($0) }), (1...Shard.most).contains(count),
      case .verb(_, let parsed) = try CommandLineRequest(
        arguments: Array(operands.dropFirst()), environment: [:], kinds: context.kinds)
    else { throw StintError(.usage, "stint items is for stint submit.") }
    // As a slice will read the words.
    var surroundings = context.surroundings
    surroundings.environment["SLURM_JOB_ID"] = "1"
    surroundings.jobsDirectory = context.catalog.jobsPath
    let runner = try context.kinds.kind(askedForBy: parsed, in: surroundings).runner
    if case .program(let program) = runner { try program.become(invocation.launch) }
    guard let work = try runner.work(parsed, in: surroundings) as? any ListedWork else {
      throw StintError(.usage, "The work is no list of items.")
    }
    if let list = try work.list(RunOptions(parsed, in: surroundings), in: count) {
      try StandardOutput().write(String(decoding: list, as: UTF8.self))
    }
  }
}

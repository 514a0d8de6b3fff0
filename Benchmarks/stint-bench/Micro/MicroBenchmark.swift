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
        "--only names no group; the groups are task, remaining, machinery, commit and saved.")
    }
    return figures
  }
}

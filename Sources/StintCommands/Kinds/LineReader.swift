import StintCore
import StintRuntime

/// What the kinds read a line of a batch with.
struct LineReader: Sendable {
  let surroundings: Surroundings
  /// Whether results on standard output have nowhere to go.
  let needsOutput: Bool
  /// How long before its end a line is warned; nil without an end.
  var lead: Duration?
  var kinds = KindTable.stint

  /// What a line must not say, because the batch decides it for all lines.
  private static let shared =
    BudgetChoice.all.options.map(\.name) + [
      "lead", "stop-grace", "until-done", "rest", "jobs-dir", "unfinished-exit-code", "dry-run",
    ]

  /// Makes a job of the words of a line by the options that every run has.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func job(_ words: [String], options: [OptionSpecification]) throws -> BatchJob {
    let parsed = try OptionScanner.scan(words, options: options)
    let gives = try gives(parsed, options)
    let run = try RunOptions(parsed, in: surroundings)
    let kind = try kinds.kind(askedForBy: parsed)
    let work = try kind.runner.work(parsed, in: surroundings)
    let output = try OutputDestination(run.output).path
    if needsOutput, run.output == nil {
      throw StintError(
        .usage, "--json needs --output in the line; standard output carries the JSON.")
    }
    return BatchJob(
      verb: .run, words: words,
      key: work?.key(outputPath: output)?.description ?? key(kind.name, words), outputPath: output,
      gives: gives)
  }

  /// The options that a line gives, if it may give them.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func gives(
    _ parsed: ParsedOptions, _ options: [OptionSpecification]
  ) throws(StintError) -> Set<String> {
    let given = options.map(\.name).filter(parsed.has)
    guard let name = given.first(where: Self.shared.contains) else { return Set(given) }
    throw StintError(
      .usage, "--\(name) applies to the whole batch; give it to stint batch, not to a line.")
  }

  /// What a line is known by whose words alone say what it is.
  func key(_ kind: String, _ words: [String]) -> String {
    var parameters = ["directory": surroundings.workingDirectory]
    for (index, word) in words.enumerated() { parameters["word \(index)"] = word }
    return JobKey(kind: kind, parameters: JobParameters(parameters), outputPath: nil).description
  }
}

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
  let programs = ProgramSearch()
  /// What all commands without a verb have in common.
  private let bare: (terms: JobTerms, directory: String)

  init(
    surroundings: Surroundings, needsOutput: Bool, lead: Duration? = nil,
    kinds: KindTable = .stint
  ) {
    (self.surroundings, self.needsOutput, self.lead) = (surroundings, needsOutput, lead)
    self.kinds = kinds
    let none = ParsedOptions(specifications: ExecOptionTable.all)
    // What is refused here is refused for the batch itself before.
    let terms = (try? JobTerms(none, in: surroundings)) ?? JobTerms()
    let directory = Self.forms("exec", [], terms, surroundings).fresh.parameters["directory"]
    bare = (terms, directory ?? surroundings.workingDirectory)
  }

  /// What a line must not say, because the batch decides it for all lines.
  private static let shared =
    BudgetChoice.all.options.map(\.name) + [
      "lead", "stop-grace", "until-done", "rest", "jobs-dir", "unfinished-exit-code", "dry-run",
    ]

  /// Makes a job of the words of a line: of a kind, or a command without a verb.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func job(ofLine line: [String]) throws -> BatchJob {
    var words = line[...]
    // A line copied from a shell's history.
    if words.first == "stint", words.count > 1 { words = words.dropFirst() }
    if words.first == "run", words.count > 1 { words = words.dropFirst() }
    let first = words.first ?? ""
    guard kinds.forms.contains(where: { $0.word == first }) else {
      guard words.count == line.count, programs.finds(first, in: surroundings) else {
        throw kinds.refusal(ofLine: first)
      }
      return command(Array(words))
    }
    return try job(asRead: Array(words))
  }

  /// A command that stands there without a verb; its other keys are looked for when they are needed
  /// (``otherKeys(of:)``), because there may be a million of them.
  func command(_ words: [String]) -> BatchJob {
    let words = ["--"] + words
    var parameters = ["directory": bare.directory]
    for (index, word) in words.enumerated() { parameters["word \(index)"] = word }
    let key = JobKey(
      kind: "exec", parameters: JobParameters(parameters), outputPath: nil,
      environment: bare.terms.environment)
    var job = BatchJob(verb: .exec, words: words, key: key.description)
    job.isBare = true
    return job
  }

  /// What a line is known by in batches that were begun otherwise.
  func otherKeys(of job: BatchJob) -> [String] {
    job.isBare ? Array(keys("exec", job.words, bare.terms).dropFirst()) : job.otherKeys
  }

  /// Makes a job of words that were read before.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func job(asRead words: [String]) throws -> BatchJob {
    if words.first == "" { return command(Array(words.dropFirst())) }
    guard let form = kinds.forms.first(where: { $0.word == words.first }) else {
      throw kinds.refusal(ofLine: words.first ?? "")
    }
    return try form.line(words, form.specification.options, self)
  }

  /// Makes a job of the words of a line by the options that every run has.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func job(_ words: [String], options: [OptionSpecification]) throws -> BatchJob {
    let parsed = try OptionScanner.scan(words, options: options)
    let gives = try gives(parsed, options)
    let run = try RunOptions(parsed, in: surroundings)
    let kind = try kinds.kind(askedForBy: parsed, in: surroundings)
    let work = try kind.runner.work(parsed, in: surroundings)
    let output = try OutputDestination(run.output).path
    if needsOutput, run.output == nil {
      throw StintError(
        .usage, "--json needs --output in the line; standard output carries the JSON.")
    }
    var job = BatchJob(
      verb: .run, words: words, key: "", outputPath: output, gives: gives)
    job.take(
      keys: work?.forms(run, outputPath: output)?.keys ?? keys(kind.name, words, run.terms),
      run.terms)
    return job
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

  /// What a line is known by whose words alone say what it is: by the rule of today, then by those
  /// of other versions and other jobs directories.
  func keys(_ kind: String, _ words: [String], _ terms: JobTerms) -> [String] {
    Self.forms(kind, words, terms, surroundings).keys
  }

  private static func forms(
    _ kind: String, _ words: [String], _ terms: JobTerms, _ surroundings: Surroundings
  ) -> JobForms {
    var parameters = ["directory": surroundings.workingDirectory]
    for (index, word) in words.enumerated() { parameters["word \(index)"] = word }
    var terms = terms
    terms.paths = ["directory": true]
    // The name is among the words, and another line of this name is another line.
    terms.name = nil
    return JobForms(
      kind: kind, parameters: JobParameters(parameters), outputPath: nil, terms: terms,
      jobsPath: surroundings.jobsDirectory ?? "/")
  }
}

/// How work of a kind, or of several, is asked for in words.
struct KindForm: Sendable {
  /// Makes a job of the words of a line of a batch, with the options of the form.
  typealias Line =
    @Sendable (_ words: [String], _ options: [OptionSpecification], _ reader: LineReader) throws
    -> BatchJob

  /// The first word, after `stint run` and in a line of a batch.
  let word: String
  /// The verb that carries it out.
  let verb: BatchJob.Form
  /// What follows the word in the help of `stint run`.
  var operands = ""
  /// The command line: of `stint run WORD`, or of the verb that has the word as its name.
  let specification: VerbSpecification
  let line: Line

  /// Whether this form has its own help page; the form that `stint run --help` explains has none.
  var hasPage: Bool { specification.name != verb.rawValue }
}

extension KindForm {
  /// A form of `stint run`, with a page of help of its own unless `page` names another.
  ///
  /// The options and exit statuses are those beside what every run has. A `line` is needed where
  /// the options of `run` do not say it all.
  init(
    run word: String, operands: String, page: String? = nil, summary: String, usage: [String],
    work: [OptionSpecification] = [],
    output: [OptionSpecification] = [OptionTable.output, OptionTable.force],
    examples: [VerbSpecification.Example] = [], exitStatuses: [ExitStatusHelp] = [],
    line: @escaping Line = { words, options, reader in try reader.job(words, options: options) }
  ) {
    let options =
      work + [OptionTable.threads, OptionTable.isolated, OptionTable.dryRun] + OptionTable.ofTime
      + [OptionTable.checkpointEvery, OptionTable.fresh, OptionTable.keep] + output
      + [OptionTable.unfinishedExitCode] + OptionTable.ofDisplay + OptionTable.ofJob
    self.init(
      word: word, verb: .run, operands: operands,
      specification: VerbSpecification(
        page ?? "run \(word)", summary: summary, usage: usage, operands: .own, options: options,
        examples: examples, exitStatuses: ExitStatusHelp.ofRun + exitStatuses), line: line)
  }
}

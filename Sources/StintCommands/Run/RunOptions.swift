package import StintCore
package import StintRuntime

/// What is common to every validated `stint run`, whatever it computes.
package struct RunOptions: Sendable {
  /// Where the result goes; nil is standard output.
  package var output: String?
  /// The folder in which many results appear, in place of one output.
  package var outputFolder: String?
  package var time: TimeOptions
  /// How many threads a chunk may use; nil is what affinity and quota allow.
  package var threads: Int?
  /// Work in a child process of a supervisor.
  package var isIsolated: Bool
  /// Say what it would take and stop.
  package var isDryRun: Bool
  /// Replace an output file that is not this job's.
  package var force: Bool
  /// Start over although the job has checkpoints.
  package var fresh: Bool
  /// Keep the checkpoints of the finished job.
  package var keep: Bool
  package var display: DisplayOptions
  package var jobsDirectory: String
  /// What else is said of the job.
  package var terms: JobTerms
  /// The exit status that says "run me again".
  package var unfinishedExitCode: Int32

  /// Reads and validates the options of a command line; one that its verb lacks has its default.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(_ parsed: ParsedOptions, in surroundings: Surroundings) throws {
    // A hyphen is standard output by custom.
    output = parsed.text("output").flatMap { $0 == "-" ? nil : $0 }
    time = try TimeOptions(parsed, in: surroundings)
    threads = try parsed.integer("threads", in: 1...1024)
    isIsolated = parsed.has("isolated")
    isDryRun = parsed.has("dry-run")
    force = parsed.has("force")
    fresh = parsed.has("fresh")
    keep = parsed.has("keep")
    display = try DisplayOptions(parsed)
    jobsDirectory = try JobsDirectory.path(parsed, in: surroundings)
    terms = try JobTerms(parsed, in: surroundings)
    // Above 125 a shell means something else: 126 and 127 its own errors, then signals.
    unfinishedExitCode = Int32(try parsed.integer("unfinished-exit-code", in: 1...125) ?? 75)
  }

  /// The options with which `resume` goes on with a job: the result goes where it was to go.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(
    resuming record: JobRecord, _ parsed: ParsedOptions, in surroundings: Surroundings
  ) throws {
    try self.init(parsed, in: surroundings)
    output = record.outputPath?.text
    terms.name = record.name
    terms.environment = record.environment
    terms.known = record
  }

  /// What is said of the job, with where its result goes.
  package var jobTerms: JobTerms {
    var terms = terms
    terms.isOutputRelative = (outputFolder ?? output).map { !FilePath($0).isAbsolute } ?? false
    return terms
  }

  /// The forms in which the job of work with these options can be written down.
  package func forms(
    kind: String, parameters: JobParameters, outputPath: FilePath?
  ) -> JobForms {
    JobForms(
      kind: kind, parameters: parameters, outputPath: outputPath, terms: jobTerms,
      jobsPath: jobsDirectory)
  }

  /// How many threads a chunk may use.
  package var threadCount: Int { threads ?? Processors.available() }

  /// How the process of a run lives.
  func lifeRules(_ policy: SystemPolicy, _ sources: BudgetSources) -> ProcessLife.Rules {
    let (time, status) = (time, unfinishedExitCode)
    return ProcessLife.Rules(
      run: .init(rest: time.untilDone ? time.rest : nil, leastTime: policy.leastWorthGranting),
      looksEvery: min(time.tick, .seconds(1)),
      stopGrace: { time.stopGrace(sources) }, leave: { $0.leave(unfinished: status) })
  }
}

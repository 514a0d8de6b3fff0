import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let submit = Verb(
    VerbSpecification(
      "submit",
      summary: "Hand over work to Slurm or to the queue of this machine, slice after slice",
      usage: [
        "submit [OPTIONS] -- run WORDS...", "submit [OPTIONS] -- batch FILE",
        "submit [OPTIONS] -- exec COMMAND...", "submit [OPTIONS] --array FILE",
        "submit --engine local [OPTIONS] -- COMMAND...",
      ],
      operands: .command,
      options: [
        OptionTable.engine, OptionTable.slurmTime, OptionTable.links, OptionTable.again,
        OptionTable.shards,
        OptionTable.array, OptionTable.atOnce, OptionTable.slurmName, OptionTable.sbatch,
        OptionTable.setup, OptionTable.mail, OptionTable.follower, OptionTable.followerOfFailure,
        OptionTable.followerAlways, OptionTable.sliceExitCode, OptionTable.submitDryRun,
        OptionTable.quiet, OptionTable.submitJSON, OptionTable.jobsDirectory,
      ] + OptionTable.ofRequest,
      examples: [
        .init(
          command: "stint submit --time 1h -- run fibonacci 6000000000 -o f.txt",
          meaning: "slices of an hour, up to 50 of them, until f.txt is complete"),
        .init(
          command: "stint submit --time 1h --shards 8 -- batch jobs.txt",
          meaning: "eight chains at once, each with every eighth line"),
        .init(
          command: "stint submit --array lines.txt --at-once 20",
          meaning: "each line, such as run fibonacci 1000 -o f, is a chain; 20 of them at a time"),
        .init(
          command:
            "stint submit --time 30m --sbatch \"--partition=spare --account=lab\" -- batch jobs.txt",
          meaning: "with further options for sbatch"),
        .init(
          command: "stint submit --engine local --after 02:00 --needs external-power -- make all",
          meaning: "make runs in the night; stint wake or stint serve begins it"),
      ],
      exitStatuses: [
        .init(status: "0", meaning: "submitted, or queued or running already"),
        .usage, .damaged, .unavailable, .cannotCreate, .io,
      ])
  ) { invocation in
    SignalWatch.restoreDefaults()
    try SubmitCommand(context: invocation.context()).run().end()
  }
}

/// `stint submit`: makes a chain of slices of a command line and hands it to the engine.
struct SubmitCommand {
  /// How long the links of a chain may hold it before it counts as running.
  private static let patience = JobLock.Patience(duration: .seconds(2))

  let context: VerbContext
  /// Who is to have the work.
  let engine: any Engine

  init(context: VerbContext) throws {
    self.context = context
    engine = try Self.engine(in: context)
  }

  var isLocal: Bool { engine.name == EngineJob.local }
  var submission: ChainSubmission { context.submission(to: engine) }

  /// Submits the work, or says that it is submitted already.
  ///
  /// - Throws: ``StintError`` for what is refused.
  func run() throws -> VerbResult {
    try refuseOptionsOfOthers()
    var result = try submit()
    if isLocal, !context.parsed.has("dry-run"), !context.parsed.has("quiet") {
      result.messages += noticesOfQueue()
    }
    return result
  }

  private func submit() throws -> VerbResult {
    if let file = context.parsed.text("array") { return try submit(arrayIn: file) }
    if context.parsed.has("at-once") {
      throw StintError(.usage, "--at-once is for the lines of --array; leave it out.")
    }
    if isLocal, isPlain { return try submitRequest() }
    let work = try SubmittedWork(
      context.parsed.operands, on: engine, hasLimit: hasLimit(), in: context)
    var record = try record(of: work.words)
    if let name = work.name { setName(name, of: &record) }
    if let shards = try context.parsed.integer("shards", in: 1...Shard.most) {
      return try submit(record, in: shards, work.input)
    }
    if context.parsed.has("dry-run") {
      return VerbResult(
        output: dryRun(record, as: record.key()),
        messages: try ChainOptions.timeNotice(context.parsed, on: engine.name))
    }
    return try submit(record, work.input)
  }

  /// Calls a chain as its work is called, where nothing else is said.
  private func setName(_ name: String, of record: inout ChainRecord) {
    if !isLocal {
      record.options.insert("--job-name=" + name, at: 0)
    } else if !context.parsed.has(OptionTable.requestName.name) {
      record.options.append("\(OptionTable.requestName.spelling)=\(name)")
    }
  }

  /// Whether the time of a slice has an end that is known when it is submitted.
  func hasLimit(_ options: [String] = []) -> Bool {
    !isLocal || context.parsed.has("time")
      || options.contains { $0.hasPrefix(OptionTable.slurmTime.spelling + "=") }
  }

  /// What is said of the disk of the jobs.
  func noticesOfStorage() throws -> [String] {
    engine.reachesOtherMachines ? try SharedStorage.check(context.catalog.jobsPath) : []
  }

  /// What the command line says of a chain.
  func record(of words: [String]) throws -> ChainRecord {
    var record = try ChainOptions.record(
      of: words, context.parsed, on: engine.name, in: context.surroundings)
    if isLocal {
      try resolveAfterJob(&record.options)
      try checkFollowers(of: record)
    }
    return record
  }

  /// Submits a chain.
  private func submit(_ record: ChainRecord, _ input: [UInt8]?) throws -> VerbResult {
    try engine.check(links: record.links)
    try refuseOtherCut(record, into: nil)
    var result = VerbResult(
      messages: try ChainOptions.timeNotice(context.parsed, on: engine.name))
    switch try submit(record, record.parameters(), input, &result.messages) {
    case .running(let error):
      guard !context.catalog.summary(of: record.key()).markers.contains(.stop) else {
        throw StintError(
          .unavailable,
          "\(record.key()) is still being stopped; submit it again when its slice has ended.")
      }
      return VerbResult(output: "The work is running already: \(error.typed).\n")
    case .queued(let chain, let array):
      return VerbResult(output: alreadyQueued(chain, array))
    case .submitted(let chain, let array):
      if context.wantsJSON {
        result.output = Self.json(engine, array: array, job: chain.job.key)
        return result
      }
      if context.parsed.has("quiet") { return result }
      let slices = ReportText.count(record.links, "slice")
      result.output =
        "Submitted \(chain.job.key) as \(engine.title(ofJob: array)), up to \(slices).\n"
        + "stint status \(chain.job.key) shows how it stands; what it prints goes to "
        + "\(engine.log(of: array, in: chain.path)).\n"
      return result
    }
  }

  /// What was submitted, for programs.
  static func json(_ engine: any Engine, array: String?, job: String?) -> String {
    var json = JSONLine()
    json.add("engine", engine.name)
    json.add(engine.name == EngineJob.local ? "request" : "array", array)
    json.add("job", job)
    return json.line
  }

  private func alreadyQueued(_ chain: ChainJob, _ array: String) -> String {
    let view = context.chain(of: chain.job.key)
    let held = view?.standing().flatMap { $0.isHeld ? view?.heldText($0) : nil }
    return "\(chain.job.key) is queued already, as \(array)"
      + (held.map { "; \($0)" } ?? "") + ".\n"
  }

  /// What came of handing a chain over.
  enum Submission {
    /// A slice of it runs.
    case running(StintError)
    /// Its array in sentences.
    case queued(ChainJob, array: String)
    case submitted(ChainJob, array: String)
  }

  /// Hands a chain over, unless it is queued or running.
  ///
  /// - Parameters:
  ///   - record: The chain.
  ///   - parameters: What tells it from others.
  ///   - input: The list that its work takes its items from; nil leaves what is there.
  ///   - notices: Takes sentences for the user.
  /// - Returns: What came of it.
  /// - Throws: ``StintError`` for what is refused.
  func submit(
    _ record: ChainRecord, _ parameters: JobParameters, _ input: [UInt8]?,
    _ notices: inout [String]
  ) throws -> Submission {
    let chain: ChainJob
    do {
      chain = try ChainJob(
        parameters: parameters, jobsPath: context.catalog.jobsPath, patience: Self.patience,
        report: { complain($0) })
    } catch let error as StintError where error.code == .busy {
      return .running(error)
    }
    let submission = submission
    if let array = try submission.queued(chain) { return .queued(chain, array: array) }
    var record = record
    try JobsPlace.checkCanBeWritten(context.catalog.jobsPath)
    var found = try noticesOfStorage()
    if let why = context.chain(of: chain.job.key)?.failureBeforeSlices() {
      found.append("The last time \(why)")
    }
    do {
      try submission.submit(&record, chain, input: input)
    } catch let error as StintError where error.code == .unavailable {
      let what =
        error.mayHaveBeenTaken
        ? "Nobody knows whether it took the slices; stint status \(chain.job.key) shows it."
        : "It took none of the \(record.links) slices." + advice(on: error)
      throw StintError(.unavailable, "\(error.message). \(what)")
    }
    for notice in found where !notices.contains(notice) { notices.append(notice) }
    return .submitted(chain, array: record.array ?? "?")
  }

  /// What may help where the engine takes no more.
  func advice(on error: StintError) -> String {
    engine.refusal(error) == .ofLimits
      ? " If that is more than you may submit, give --links a smaller number." : ""
  }

  /// What handing a chain over would do.
  func dryRun(_ record: ChainRecord, as key: String) -> String {
    engine.dryRun(of: submission.handOver(of: record, as: key))
  }
}

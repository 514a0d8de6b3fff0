import StintCore
import StintRuntime

extension Verb {
  static let submit = Verb(
    VerbSpecification(
      "submit", summary: "Run work on Slurm, one time slice after another, until finished",
      usage: [
        "submit [OPTIONS] -- run WORDS...", "submit [OPTIONS] -- batch FILE",
        "submit [OPTIONS] -- exec COMMAND...", "submit [OPTIONS] --array FILE",
      ],
      operands: .command,
      options: [
        OptionTable.slurmTime, OptionTable.links, OptionTable.again, OptionTable.shards,
        OptionTable.array, OptionTable.atOnce, OptionTable.slurmName, OptionTable.sbatch,
        OptionTable.setup, OptionTable.mail, OptionTable.follower, OptionTable.followerOfFailure,
        OptionTable.followerAlways, OptionTable.sliceExitCode, OptionTable.submitDryRun,
        OptionTable.quiet, OptionTable.jobsDirectory,
      ],
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
      ],
      exitStatuses: [
        .init(status: "0", meaning: "submitted, or queued or running already"),
        .usage, .damaged, .unavailable, .cannotCreate, .io,
      ])
  ) { invocation in
    SignalWatch.restoreDefaults()
    try SubmitCommand(invocation.context(), program: HelperProgram.ownPath() ?? "stint").run().end()
  }
}

/// `stint submit`: makes a chain of slices of a command line and hands it to Slurm.
struct SubmitCommand {
  static let usualLinks = 50

  let context: VerbContext
  let program: String
  let queue: Slurm

  init(_ context: VerbContext, program: String) {
    self.context = context
    self.program = program
    queue = Slurm(environment: context.surroundings.environment)
  }

  var submission: ChainSubmission {
    ChainSubmission(program: program, jobsPath: context.catalog.jobsPath, queue: queue)
  }

  /// Submits the work, or says that it is submitted already.
  ///
  /// - Throws: ``StintError`` for what is refused.
  func run() throws -> VerbResult {
    if let file = context.parsed.text("array") { return try submit(arrayIn: file) }
    if context.parsed.has("at-once") {
      throw StintError(.usage, "--at-once is for the lines of --array; leave it out.")
    }
    let work = try SubmittedWork(context.parsed.operands, in: context)
    var record = try record(of: work.words)
    if let name = work.name { record.options.insert("--job-name=" + name, at: 0) }
    if let shards = try context.parsed.integer("shards", in: 1...Shard.most) {
      return try submit(record, in: shards, work.input)
    }
    if context.parsed.has("dry-run") {
      return VerbResult(output: dryRun(record), messages: [try limitNotice()].compactMap { $0 })
    }
    return try submit(record, work.input)
  }

  /// What the command line says of a chain.
  func record(of words: [String]) throws -> ChainRecord {
    var record = ChainRecord(
      words: words, directory: try context.surroundings.folder().text,
      links: try ChainOptions.links(context.parsed) ?? Self.usualLinks,
      options: try ChainOptions.words(context.parsed))
    record.followers = try ChainFollowers(context.parsed)
    record.isEndless = context.parsed.has("again")
    record.setup = try setup()
    if let code = try context.parsed.integer("slice-exit-code", in: 0...125) {
      record.sliceExitCode = Int32(code)
    }
    return record
  }

  /// Submits a chain.
  private func submit(_ whole: ChainRecord, _ input: [UInt8]?) throws -> VerbResult {
    var record = whole
    try checkLinks(record.links)
    try refuseOtherCut(record, into: nil)
    let chain: ChainJob
    do {
      chain = try ChainJob(
        parameters: parameters(record, nil), jobsPath: context.catalog.jobsPath,
        patience: Self.patience
      ) { writeToStandardError("stint: \(Sentence.of($0))\n") }
    } catch let error as StintError where error.code == .busy {
      let key = JobKey(
        kind: ChainJob.kind, parameters: parameters(record, nil), outputPath: nil
      ).description
      guard !context.catalog.summary(of: key).markers.contains(.stop) else {
        throw StintError(
          .unavailable, "\(key) is still being stopped; submit it again when its slice has ended.")
      }
      return VerbResult(output: "The work is running already: \(error.typed).\n")
    }
    if let array = try submission.queued(chain) {
      return VerbResult(output: alreadyQueued(chain, array))
    }
    var notices = [try limitNotice()].compactMap { $0 }
    notices += try submit(&record, chain, input)
    return VerbResult(
      output: context.parsed.has("quiet")
        ? ""
        : "Submitted \(chain.job.key) as Slurm job \(record.array ?? "?"), up to \(record.links) "
          + "slice\(record.links == 1 ? "" : "s").\n"
          + "stint status \(chain.job.key) shows how it stands; what it prints goes to "
          + "\(chain.path)/\(ChainJob.log).\n",
      messages: notices)
  }

  func alreadyQueued(_ chain: ChainJob, _ array: String) -> String {
    let view = ChainView(of: chain.job.key.description, in: context.catalog)
    let held = view?.standing(queue).flatMap { $0.isHeld ? view?.heldText($0) : nil }
    return "\(chain.job.key) is queued already, as Slurm job \(array)"
      + (held.map { "; \($0)" } ?? "") + ".\n"
  }

  /// Hands a chain over; returns sentences for the user.
  func submit(_ record: inout ChainRecord, _ chain: ChainJob, _ input: [UInt8]?) throws -> [String]
  {
    try JobsPlace.checkCanBeWritten(context.catalog.jobsPath)
    var notices = try SharedStorage.check(context.catalog.jobsPath)
    if let before = ChainView(of: chain.job.key.description, in: context.catalog),
      let why = before.failureBeforeSlices(queue, in: context.catalog)
    {
      notices.append("The last time \(why)")
    }
    do {
      try submission.submit(&record, chain, input: input)
    } catch let error as StintError where error.code == .unavailable {
      if Slurm.mayHaveTaken(error) {
        throw StintError(
          .unavailable,
          "\(error.message). Nobody knows whether it took the slices; stint status "
            + "\(chain.job.key) shows it.")
      }
      throw StintError(
        .unavailable,
        "\(error.message). It took none of the \(record.links) slices." + Self.advice(on: error))
    }
    return notices
  }

  /// What may help where Slurm takes no more.
  static func advice(on error: StintError) -> String {
    Slurm.isOfLimits(error)
      ? " If that is more than you may submit, give --links a smaller number." : ""
  }

  /// A sentence if Slurm gives the slices another time than was asked for.
  func limitNotice() throws -> String? {
    try ChainOptions.time(context.parsed)?.notice
  }

  // MARK: The command line

  /// The lines that the script runs before the work.
  private func setup() throws -> String? {
    guard let file = context.parsed.text("setup") else { return nil }
    let bytes = try JobFileContents.bytes(
      of: context.surroundings.absolute(file).text, atMost: Self.mostSetupBytes + 1)
    guard bytes.count <= Self.mostSetupBytes else {
      throw StintError(
        .usage,
        "--setup \(file) is longer than \(Self.mostSetupBytes) bytes; let it run a script.")
    }
    guard let read = String(validating: bytes, as: UTF8.self), !read.utf8.contains(0) else {
      throw StintError(.usage, "--setup \(file) is not a text in UTF-8.")
    }
    let text = read.replacing("\r\n", with: "\n")
    let lines = text.split(separator: "\n")
    if let first = lines.first, first.hasPrefix("#!") {
      let words = first.dropFirst(2).split(separator: " ").map {
        $0.split(separator: "/").last ?? ""
      }
      let shell = words.first == "env" ? words.dropFirst().first : words.first
      guard let shell, Self.shells.contains(String(shell)) else {
        throw StintError(
          .usage, "--setup \(file) begins with \(first.prefix(60)), which is no shell such as bash."
        )
      }
    }
    for line in lines where line.hasPrefix("#SBATCH") {
      let words = try SbatchWords.split(String(line.dropFirst(7)), of: "--setup")
      try SbatchWords.check(words, of: "--setup")
    }
    return text
  }

  private static let mostSetupBytes = 65_536
  private static let shells = ["sh", "bash", "dash", "ksh", "zsh", "ash", "mksh"]

  func checkLinks(_ links: Int) throws {
    guard let most = queue.configuration()?.number("MaxArraySize"), links + 1 >= most else {
      return
    }
    throw StintError(
      .usage,
      "--links \(links) is more than this Slurm takes: its MaxArraySize is \(most), so give at most "
        + "\(most - 2), and --again for more.")
  }

  /// The script and the command of a chain.
  func dryRun(_ whole: ChainRecord, _ shard: Shard? = nil) -> String {
    let record = shard.map { Self.part(of: whole, $0) } ?? whole
    return dryRun(
      record,
      as: JobKey(kind: ChainJob.kind, parameters: parameters(whole, shard), outputPath: nil)
        .description)
  }

  func dryRun(_ record: ChainRecord, as key: String) -> String {
    let script = ChainScript(
      record: record, program: program, jobsPath: context.catalog.jobsPath, key: key)
    let command = script.command(in: context.catalog.jobsPath + "/" + key)
    return "# \(context.catalog.jobsPath)/\(key)/\(ChainJob.script)\n\(script.text)\n"
      + command.map(ShellWord.quoted).joined(separator: " ") + "\n"
  }
}

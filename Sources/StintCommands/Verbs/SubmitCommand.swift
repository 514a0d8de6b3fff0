import StintCore
import StintRuntime

extension Verb {
  static let submit = Verb(
    VerbSpecification(
      "submit", summary: "Run work on Slurm, one time slice after another, until finished",
      usage: [
        "submit [OPTIONS] -- run WORDS...", "submit [OPTIONS] -- batch FILE",
        "submit [OPTIONS] -- exec COMMAND...",
      ],
      operands: .command,
      options: [
        OptionTable.slurmTime, OptionTable.links, OptionTable.shards, OptionTable.sbatch,
        OptionTable.follower, OptionTable.again, OptionTable.submitDryRun, OptionTable.quiet,
        OptionTable.jobsDirectory,
      ],
      examples: [
        .init(
          command: "stint submit --time 1h -- run fibonacci 6000000000 -o f.txt",
          meaning: "slices of an hour, up to 50 of them, until f.txt is complete"),
        .init(
          command: "stint submit --time 1h --shards 8 -- batch jobs.txt",
          meaning: "eight chains at once, each with every eighth line"),
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
  /// What the words of the work must not say, because the chain says it.
  static let refused = ["jobs-dir", "unfinished-exit-code", "dry-run"]
  /// Options whose file all nodes must see.
  static let places = ["output", "output-dir", "checkpoint-file", "done-file"]
  static let usualLinks = 50
  /// Slurm takes no more tasks for one array than this, whatever its settings say.
  private static let mostLinks = 4_000_000

  let context: VerbContext
  let program: String
  let queue: Slurm

  init(_ context: VerbContext, program: String) {
    self.context = context
    self.program = program
    queue = Slurm(environment: context.surroundings.environment)
  }

  /// Submits the work, or says that it is submitted already.
  ///
  /// - Throws: ``StintError`` for what is refused.
  func run() throws -> VerbResult {
    let (words, input) = try work()
    let links = try context.parsed.integer("links", in: 1...Self.mostLinks) ?? Self.usualLinks
    let time = try context.parsed.duration("time", least: .seconds(1))
    let directory = try context.surroundings.folder().text
    let options = try context.parsed.texts("sbatch").flatMap { try Self.split($0, of: "--sbatch") }
    var record = ChainRecord(
      words: words, directory: directory, links: links,
      options: (time.map { ["--time=" + Self.slurmText($0)] } ?? []) + options)
    record.follower = try context.parsed.text("then").map { try Self.split($0, of: "--then") } ?? []
    record.isEndless = context.parsed.has("again")
    if let shards = try context.parsed.integer("shards", in: 1...Shard.most) {
      return try submit(record, in: shards, input)
    }
    if context.parsed.has("dry-run") { return VerbResult(output: dryRun(record)) }
    try checkLinks(links)
    try refuseOtherCut(record, into: nil)
    let chain: ChainJob
    do {
      chain = try ChainJob(
        parameters: parameters(record, nil), jobsPath: context.catalog.jobsPath,
        patience: Self.patience
      ) { writeToStandardError("stint: \(Sentence.of($0))\n") }
    } catch let error as StintError where error.code == .busy {
      return VerbResult(output: "The work is running already: \(error.typed).\n")
    }
    if let array = try queued(chain) {
      return VerbResult(output: "\(chain.job.key) is queued already, as Slurm job \(array).\n")
    }
    let notices = try submit(&record, chain, input)
    return VerbResult(
      output: context.parsed.has("quiet")
        ? ""
        : "Submitted \(chain.job.key) as Slurm job \(record.array ?? "?"), up to \(record.links) "
          + "slice\(record.links == 1 ? "" : "s").\n"
          + "stint status \(chain.job.key) shows how it stands; what it prints goes to "
          + "\(chain.path)/\(ChainJob.log).\n",
      messages: notices)
  }

  /// Hands a chain over; returns sentences for the user.
  func submit(_ record: inout ChainRecord, _ chain: ChainJob, _ input: [UInt8]?) throws -> [String]
  {
    try JobsPlace.checkCanBeWritten(context.catalog.jobsPath)
    let notices = try SharedStorage.check(context.catalog.jobsPath)
    record.submission = ((try? chain.read())?.submission ?? 0) + 1
    try chain.job.materialize()
    try chain.job.clear(.stop)
    // A file that changes later changes nothing.
    if let input { try chain.replace(ChainTie.inputName, with: input) }
    let script = ChainScript(
      record: record, program: program, jobsPath: context.catalog.jobsPath, key: chain.job.key)
    try chain.replace(ChainJob.script, with: Array(script.text.utf8))
    // Before it is handed over: a link that begins when this process is gone finds its record.
    try chain.write(record)
    do {
      record.array = try queue.submit(script.command(in: chain.path))
    } catch {
      record.state = .ended
      record.ending = .failed
      record.why = "It was not submitted: \(error.message)."
      try chain.write(record)
      throw StintError(
        .unavailable,
        "Slurm did not take an array of \(record.links) slices: \(error.message). If that is more "
          + "than you may submit, give --links a smaller number.")
    }
    record.state = .active
    try chain.write(record)
    return notices
  }

  /// The number of the array that still waits or runs; nil if the work can be submitted.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if nobody can say.
  func queued(_ chain: ChainJob) throws -> String? {
    guard chain.job.isMaterialized, let record = try? chain.read(), record.state != .ended,
      !chain.job.isSet(.stop)
    else { return nil }
    switch queue.arrays(named: chain.job.key) {
    case .success(let arrays):
      return arrays.contains(record.array ?? "") ? record.array : arrays.min()
    case .failure(let failure):
      throw StintError(
        .unavailable,
        "\(chain.job.key) was submitted before, and Slurm cannot say whether it is still queued: "
          + "\(failure.why).")
    }
  }

  // MARK: The command line

  /// The command line of the work, beginning with its verb, read as it will be read later; and the
  /// lines of a batch.
  private func work() throws -> ([String], input: [UInt8]?) {
    var words = context.parsed.operands
    // They are kept as text.
    for word in words { try OptionScanner.checkText(word, of: "The argument") }
    if words.first == "stint" { words.removeFirst() }
    guard let verb = words.first, ["run", "exec", "batch"].contains(verb) else {
      if let word = words.first, ProgramSearch().finds(word, in: context.surroundings) {
        throw StintError(
          .usage,
          "\"\(word.prefix(60))\" is a program; write stint submit ... -- exec -- \(word.prefix(60)) ..."
        )
      }
      throw StintError(
        .usage,
        "Say what to submit after two hyphens, for example: stint submit --time 1h -- run fibonacci "
          + "1000000000 -o f.txt.")
    }
    guard
      case .verb(let asked, let parsed) = try CommandLineRequest(
        arguments: words, environment: [:], kinds: context.kinds)
    else { throw StintError(.usage, "--help asks for no work; leave it out.") }
    for name in Self.places {
      guard let place = parsed.text(name), place != "-" else { continue }
      let path = place.hasPrefix("/") ? place : try context.surroundings.folder().text + "/" + place
      _ = try SharedStorage.check(path, of: "--" + name)
    }
    for name in Self.refused where parsed.has(name) {
      throw StintError(
        .usage, "--\(name) cannot be given to work that is submitted; leave it out.")
    }
    // What its verb would refuse at once is refused here, and not on a node in an hour.
    // It is read as a slice will read it: in an allocation, whose end is a time limit.
    var surroundings = context.surroundings
    surroundings.environment["SLURM_JOB_ID"] = "1"
    surroundings.jobsDirectory = context.catalog.jobsPath
    switch asked.name {
    case "exec":
      let options = try ExecOptions(
        parsed, words: (["stint"] + words).map { Array($0.utf8) }, in: surroundings)
      guard options.rules.saysHowItGoesOn else {
        throw StintError(
          .usage,
          "The command \(options.command.name) would begin anew in each slice, as far as can be "
            + "seen. Name what it saves with --checkpoint-file, or the file that shows that it is done with "
            + "--done-file, or give --resumable if it saves by itself. \(ExecMessages.advice)")
      }
    case "batch":
      let options = try BatchOptions(parsed, in: surroundings)
      let lines = LineReader(surroundings: surroundings, needsOutput: false, kinds: context.kinds)
      let source = try BatchSource(options)
      // Values are read from their lists again by each slice.
      let input = options.template == nil ? try source.read() : nil
      noticeAnew(try source.reading(by: lines, options, input: input))
      return (words, input)
    default:
      let run = try RunOptions(parsed, in: surroundings)
      let kind = try context.kinds.kind(askedForBy: parsed, in: surroundings)
      if kind.name == Kind.imageSet.name { try ImageOptionTable.refuseStandardInput(parsed) }
      // Another program may take the output as an operand.
      if try kind.runner.work(parsed, in: surroundings) != nil, run.output == nil {
        throw StintError(
          .usage, "The result would go nowhere; add --output FILE, on a disk that all nodes see.")
      }
    }
    return (words, nil)
  }

  /// Tells of commands that begin anew in each slice, as far as can be seen.
  private func noticeAnew(_ reading: BatchReader.Reading) {
    let numbers = reading.jobs.filter { $0.verb == .exec && !$0.saysHowItGoesOn }.map(\.number)
    guard let first = numbers.first else { return }
    let lines =
      numbers.count == 1
      ? "Line \(first) begins"
      : "\(numbers.count) lines, the first "
        + "of them \(first), begin"
    writeToStandardError(
      "stint: \(lines) anew in a slice that is too short; exec goes on there with "
        + "--checkpoint-file, --done-file or --resumable. \(ExecMessages.advice)\n")
  }

  func checkLinks(_ links: Int) throws {
    guard let most = queue.configuration()?.number("MaxArraySize"), links >= most else { return }
    throw StintError(
      .usage,
      "--links \(links) is more than this Slurm takes: its MaxArraySize is \(most), so give at most "
        + "\(most - 1), and --again for more.")
  }

  /// Splits words as a shell does, and expands nothing.
  static func split(_ text: String, of option: String) throws -> [String] {
    guard !text.contains("\n") else {
      throw StintError(.usage, "\(option) has more than one line; write all words in one.")
    }
    do throws(BatchWords.Fault) {
      return try BatchWords.split(text[...])
    } catch {
      throw StintError(
        .usage, "\(option) \"\(text.prefix(60))\": column \(error.column): \(error.reason).")
    }
  }

  /// A duration as Slurm reads it, which counts whole seconds.
  static func slurmText(_ duration: Duration) -> String {
    let seconds = max(1, (duration.nanoseconds + 999_999_999) / 1_000_000_000)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }

  /// The script and the command of a chain.
  func dryRun(_ whole: ChainRecord, _ shard: Shard? = nil) -> String {
    let record = shard.map { Self.part(of: whole, $0) } ?? whole
    let key = JobKey(kind: ChainJob.kind, parameters: parameters(whole, shard), outputPath: nil)
      .description
    let script = ChainScript(
      record: record, program: program, jobsPath: context.catalog.jobsPath, key: key)
    let command = script.command(in: context.catalog.jobsPath + "/" + key)
    return "# \(context.catalog.jobsPath)/\(key)/\(ChainJob.script)\n\(script.text)\n"
      + command.map(ShellWord.quoted).joined(separator: " ") + "\n"
  }
}

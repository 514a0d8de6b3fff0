import StintCore
import StintRuntime

/// What `stint submit` does with the queue of this machine alone.
extension SubmitCommand {
  /// Verbs whose work goes on slice after slice.
  private static let verbsOfChains = ["run", "exec", "batch"]
  /// Options that only Slurm can follow.
  private static let ofSlurm = [
    OptionTable.sbatch, OptionTable.slurmName, OptionTable.mail, OptionTable.sliceExitCode,
  ]
  /// Options of work that goes on in slices.
  private static let ofChains = [
    OptionTable.links, OptionTable.again, OptionTable.shards, OptionTable.setup,
    OptionTable.follower, OptionTable.followerOfFailure, OptionTable.followerAlways,
  ]

  // MARK: Whose work it is

  /// The engine that a command line asks for: where it says nothing, Slurm if it is there.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  static func engine(in context: VerbContext) throws -> any Engine {
    let engines = context.engines
    if let value = context.parsed.value(OptionTable.engine.name) {
      guard EngineTable.names.contains(value.text) else {
        throw context.parsed.unknown(value, among: EngineTable.names)
      }
      return engines.engine(named: value.text)
    }
    if let given = engines.given { return given }
    return engines.engine(named: hasSbatch(context) ? EngineJob.slurm : EngineJob.local)
  }

  private static func hasSbatch(_ context: VerbContext) -> Bool {
    ProgramSearch().finds("sbatch", in: context.surroundings)
  }

  /// Refuses options that the engine cannot follow.
  func refuseOptionsOfOthers() throws {
    let parsed = context.parsed
    if isLocal {
      guard let option = Self.ofSlurm.first(where: parsed.gives) else { return }
      let advice = option == OptionTable.slurmName ? "give --name" : "leave it out"
      throw StintError(
        .usage, "\(option.spelling) is for Slurm, and the local queue is to have this; \(advice).")
    }
    guard let option = OptionTable.ofRequest.first(where: parsed.gives) else { return }
    throw StintError(
      .usage,
      "\(option.spelling) is for the queue of this machine, and Slurm is to have this; give --engine local, or leave "
        + "it out.")
  }

  /// Which engine has it if nobody said so, and what has to run so that it begins.
  func noticesOfQueue() -> [String] {
    guard !context.queue.isServed else { return [] }
    let isChosen = context.parsed.has(OptionTable.engine.name)
    let place =
      context.parsed.gives(OptionTable.jobsDirectory)
      ? " --jobs-dir \(ShellWord.quoted(context.catalog.jobsPath))" : ""
    let why = isChosen ? "" : "There is no sbatch here, so the local queue has it. "
    return [
      "\(why)Nobody serves the queue now: stint wake\(place) begins what is due, and stint serve"
        + "\(place) stays and does so always"
    ]
  }

  /// Writes the number or the key down of the job that is to be finished before, whatever the user
  /// calls it.
  func resolveAfterJob(_ options: inout [String]) throws {
    guard let job = context.parsed.text(OptionTable.afterJob.name) else { return }
    let key = try context.request(named: job)?.id ?? context.key(named: job)
    options = RequestOptions.words(
      options, replacedBy: ["\(OptionTable.afterJob.spelling)=\(key)"])
  }

  /// Reads what is to follow as its own submission will.
  func checkFollowers(of record: ChainRecord) throws {
    for occasion in ChainFollowers.Occasion.allCases {
      guard let words = record.followers[occasion]?.words else { continue }
      do {
        let parsed = try OptionScanner.scan(
          words, options: Verb.submit.specification.options, stopsAtOperand: true)
        guard parsed.operands.isEmpty, !parsed.has(OptionTable.array.name) else { continue }
        throw StintError(
          .usage,
          "it names no work; write such words as for stint submit, for example: -- make all.")
      } catch let error as StintError {
        throw error.about("--\(occasion.option)")
      }
    }
  }

  // MARK: Requests that are no chains

  /// Whether the work is run as it is, and not slice after slice.
  var isPlain: Bool {
    context.parsed.has(OptionTable.every.name) || !Self.verbsOfChains.contains(verb ?? "run")
  }

  private var words: [String] {
    let words = context.parsed.operands
    return words.first == "stint" ? Array(words.dropFirst()) : words
  }

  private var verb: String? { words.first }

  /// Submits a command, or a verb that is repeated.
  func submitRequest() throws -> VerbResult {
    if let option = Self.ofChains.first(where: context.parsed.gives) {
      throw StintError(
        .usage,
        "\(option.spelling) is for run, exec and batch without --every, whose work goes on in slices; leave it "
          + "out.")
    }
    let isVerb = Self.verbsOfChains.contains(verb ?? "")
    let command = isVerb ? try ownCommand() : try self.command()
    var options = try RequestOptions.words(context.parsed, in: context.surroundings)
    try resolveAfterJob(&options)
    var launch = LaunchRecord(words: command, directory: try context.surroundings.folder().text)
    launch.umask = StoreIdentity.fileModeMask
    let terms = try RequestOptions.terms(of: launch, options)
    if context.parsed.has("dry-run") {
      return VerbResult(
        output: "# each run of a request in \(context.queue.path)\n"
          + command.map(ShellWord.quoted).joined(separator: " ") + "\n")
    }
    try JobsPlace.checkCanBeWritten(context.catalog.jobsPath)
    let request = try context.queue.submit(terms)
    var result = VerbResult(messages: isVerb || terms.time == nil ? [] : [noticeOfTime(command[0])])
    if context.wantsJSON {
      result.output = Self.json(engine, array: request.id, job: nil)
      return result
    }
    if context.parsed.has("quiet") { return result }
    result.output =
      "Submitted request \(request.id): \(request.what).\n"
      + "stint status \(request.id) shows how it stands, and stint log \(request.id) what it prints.\n"
    return result
  }

  private func noticeOfTime(_ program: String) -> String {
    "A run of \(FilePath(program).name.text) that is cut at the end of its --time begins anew, and after three of them it is "
      + "set aside. It goes on if it ends with status 75 when it is told by SIGTERM, or write exec "
      + "--checkpoint-file FILE -- before it"
  }

  /// A verb of this program, whose words are read as the work will read them.
  private func ownCommand() throws -> [String] {
    let work = try SubmittedWork(
      context.parsed.operands, on: engine, hasLimit: hasLimit(), in: context)
    return [submission.program] + work.words
  }

  /// A command with the absolute path of its program.
  private func command() throws -> [String] {
    let words = context.parsed.operands
    guard let first = words.first, words != ["stint"] else {
      throw StintError(
        .usage,
        "Say what to submit after two hyphens, for example: stint submit -- run fibonacci 1000000000 "
          + "-o f.txt.")
    }
    for word in words { try OptionScanner.checkText(word, of: "The argument") }
    guard let path = ProgramSearch.path(of: first, in: context.surroundings) else {
      throw StintError(
        .usage,
        "\"\(first.prefix(60))\" is neither run, exec or batch nor a program that PATH has; give the path of a "
          + "program.")
    }
    return [path] + words.dropFirst()
  }
}

import Glibc
import StintCore
import StintRuntime

extension SubmitCommand {
  private typealias Submitted = (key: String, array: String)

  /// Submits a chain for each part of the uncut work that is not queued or running, with the lines
  /// of a batch or a list of images; says a sentence for each part.
  ///
  /// - Throws: ``StintError`` for what is refused.
  func submit(_ whole: ChainRecord, in count: Int, _ input: [UInt8]?) throws -> VerbResult {
    try checkCanBeCut(whole)
    let shards = (1...count).compactMap { Shard($0, of: count) }
    if context.parsed.has("dry-run") {
      let parts = shards.map { dryRun(Self.part(of: whole, $0), as: whole.key($0)) }
      return VerbResult(output: parts.joined(separator: "\n"))
    }
    try engine.check(links: whole.links)
    try refuseOtherCut(whole, into: shards[0])
    var result = VerbResult(
      messages: try ChainOptions.timeNotice(context.parsed, on: engine.name))
    var input = input
    if whole.launch.words[0] == Verb.run.name {
      let items = try freeze(whole, in: shards)
      if let status = items.refusal { return VerbResult(exitStatus: status) }
      input = items.list ?? input
    }
    var submitted: [Submitted] = []
    for shard in shards {
      do {
        result.output += try submit(shard, of: whole, input, &submitted, &result.messages)
      } catch {
        let error = StintError(wrapping: error, while: "submitting")
        let failures = submitted.compactMap(cancel)
        let others =
          submitted.isEmpty ? "" : " The shards that were submitted before it are stopped."
        throw StintError(
          error.code,
          "\(Sentence.of("\(shard) was not submitted: \(error.typed)"))\(others)"
            + failures.map { " " + $0 }.joined(), errno: error.errno)
      }
    }
    if context.wantsJSON {
      result.output = Self.json(engine, array: nil, job: whole.key())
      return result
    }
    result.output =
      context.parsed.has("quiet")
      ? "" : result.output + "stint status \(whole.key()) shows how all of them stand.\n"
    return result
  }

  /// Submits one part, or says why that is not needed.
  private func submit(
    _ shard: Shard, of whole: ChainRecord, _ input: [UInt8]?, _ submitted: inout [Submitted],
    _ notices: inout [String]
  ) throws -> String {
    let (part, parameters) = (Self.part(of: whole, shard), whole.parameters(shard))
    switch try submit(part, parameters, input, &notices) {
    case .running(let error):
      return Sentence.of("\(shard) is running already: \(error.typed)") + "\n"
    case .queued(let chain, let array):
      let text = "\(shard) is queued already, as \(chain.job.key), \(array)"
      return Sentence.of(text) + "\n"
    case .submitted(let chain, let array):
      submitted.append((chain.job.key, array))
      return "Submitted \(shard), \(chain.job.key), as \(engine.title(ofJob: array)).\n"
    }
  }

  /// Stops a chain as `stint stop` does, which is written down before Slurm is told; returns a
  /// sentence if a part of that failed.
  private func cancel(_ submitted: Submitted) -> String? {
    do {
      try context.catalog.set(.stop, to: true, for: submitted.key)
    } catch {
      return Sentence.of("\(submitted.key) could not be stopped: \(error)")
    }
    return engine.cancelPending([submitted.array]).map {
      Sentence.of(
        "\(engine.title) could not be told to cancel \(submitted.key), which will do nothing: \($0)"
      )
    }
  }

  // MARK: Parts

  /// Refuses work that is no list of items.
  private func checkCanBeCut(_ whole: ChainRecord) throws {
    guard
      case .verb(_, let parsed) = try CommandLineRequest(
        arguments: whole.launch.words, environment: [:], kinds: context.kinds)
    else { return }
    let verb = whole.launch.words[0]
    let kind =
      verb == "run"
      ? try context.kinds.kind(askedForBy: parsed, in: context.surroundings) : context.kinds[verb]
    guard kind.canBeCut else {
      throw StintError(
        .usage,
        "Only a batch and a set of images (--output-dir) can be cut into shards; leave --shards "
          + "out.")
    }
    guard !parsed.has(OptionTable.shard.name) else {
      throw StintError(.usage, "--shards gives each chain its own --shard; leave that one out.")
    }
  }

  /// Refuses a chain while one of another cut is not finished.
  func refuseOtherCut(_ whole: ChainRecord, into shard: Shard?) throws {
    try context.catalog.refuseOtherCut(of: whole.key(), kind: ChainJob.kind, into: shard)
  }

  /// The chain of a part: the same command line with `--shard K/N` after its verb.
  private static func part(of whole: ChainRecord, _ shard: Shard) -> ChainRecord {
    var record = whole
    record.launch.words.insert("--\(OptionTable.shard.name)=\(shard.text)", at: 1)
    return record
  }
}

// MARK: What the shards of a set of images take their inputs from

extension SubmitCommand {
  /// A list, in turn; or nil for the command line, by names.
  ///
  /// Where the program that knows the inputs refuses them, it has said why.
  private typealias Items = (list: [UInt8]?, refusal: Int32?)

  /// How long the inputs may take to be found, in folders of a slow file server.
  private static let searchMayTake = Duration.seconds(3600)
  private static let mostBytes = 256 << 20

  /// Makes the list of the inputs, and gives it to those chains of the parts that are there.
  ///
  /// A chain that is queued or running takes it for its next slice.
  ///
  /// - Throws: ``StintError``: `usage`, `unavailable`, `io`.
  private func freeze(_ whole: ChainRecord, in shards: [Shard]) throws -> Items {
    let known = Set(try context.catalog.keys())
    let chains = shards.map { whole.key($0) }.filter(known.contains)
    let items: Items = goesByNames(chains) ? (nil, nil) : try list(of: whole, in: shards.count)
    if items.refusal == nil {
      for chain in chains { try JobFileContents.put(items.list, at: input(of: chain)) }
    }
    return items
  }

  private func input(of chain: String) -> String {
    "\(context.catalog.path(of: chain))/\(ChainTie.inputName)"
  }

  /// Whether a chain of an earlier version, or one whose work goes by names, has not ended.
  private func goesByNames(_ chains: [String]) -> Bool {
    let chain = chains.first { chain in
      guard let record = try? context.catalog.chain(chain), record.state != .ended else {
        return false
      }
      return access(input(of: chain), F_OK) != 0
    }
    guard let chain else { return false }
    complain(
      "\(chain) was submitted before, with names that decide which shard makes an image; "
        + "all shards keep to that, and differ in size.")
    return true
  }

  /// Asks the program that does the work; what it says goes to standard error.
  private func list(of whole: ChainRecord, in count: Int) throws -> Items {
    let program = submission.program
    var call = ProgramCall(
      [program, Verb.items.name, "--jobs-dir", context.catalog.jobsPath, String(count)]
        + whole.launch.words, within: Self.searchMayTake)
    call.mostBytes = Self.mostBytes
    switch call.run() {
    case .ended(let status, let output, let errors):
      writeToStandardError(String(decoding: errors, as: UTF8.self))
      guard status == ExitStatus.finished else { return (nil, status) }
      guard output.count < Self.mostBytes else {
        throw StintError(
          .usage,
          "The list of the inputs is longer than \(Self.mostBytes >> 20) MiB; submit them as several "
            + "sets.")
      }
      return (output.isEmpty ? nil : output, nil)
    case .notStarted(let code):
      throw StintError(
        .unavailable, "\(program) cannot be started: \(String(cString: strerror(code))).",
        errno: code)
    case .tookTooLong(let patience):
      throw StintError(
        .unavailable, "The inputs were not found within \(patience.compactText); try again.")
    }
  }
}

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
    let surroundings = context.surroundings(
      ofSliceOn: context.engines.engine(named: EngineTable.names[0]))
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

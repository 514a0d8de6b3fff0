import StintCore
import StintRuntime

extension SubmitCommand {
  /// How long the links of a chain may hold it before it counts as running.
  static let patience = JobLock.Patience(duration: .seconds(2))

  private typealias Submitted = (key: String, array: String?)

  /// Submits a chain for each part of the uncut work that is not queued or running, with the lines
  /// of a batch or a list of images; says a sentence for each part.
  ///
  /// - Throws: ``StintError`` for what is refused.
  func submit(_ whole: ChainRecord, in count: Int, _ input: [UInt8]?) throws -> VerbResult {
    try checkCanBeCut(whole)
    let shards = (1...count).compactMap { Shard($0, of: count) }
    if context.parsed.has("dry-run") {
      return VerbResult(output: shards.map { dryRun(whole, $0) }.joined(separator: "\n"))
    }
    try checkLinks(whole.links)
    try refuseOtherCut(whole, into: shards[0])
    var result = VerbResult(messages: [try limitNotice()].compactMap { $0 })
    var input = input
    if whole.words[0] == Verb.run.name {
      switch try freeze(whole, in: shards) {
      case .list(let items): input = items
      case .byNames: break
      case .refused(let status): return VerbResult(exitStatus: status)
      }
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
    let key = wholeKey(whole)
    if context.parsed.has("quiet") {
      result.output = ""
    } else {
      result.output += "stint status \(key) shows how all of them stand.\n"
    }
    return result
  }

  /// Submits one part, or says why that is not needed.
  private func submit(
    _ shard: Shard, of whole: ChainRecord, _ input: [UInt8]?, _ submitted: inout [Submitted],
    _ notices: inout [String]
  ) throws -> String {
    let chain: ChainJob
    do {
      chain = try ChainJob(
        parameters: parameters(whole, shard), jobsPath: context.catalog.jobsPath,
        patience: Self.patience
      ) { writeToStandardError("stint: \(Sentence.of($0))\n") }
    } catch let error as StintError where error.code == .busy {
      return Sentence.of("\(shard) is running already: \(error.typed)") + "\n"
    }
    if let array = try submission.queued(chain) {
      return
        "\(Sentence.of("\(shard) is queued already, as \(chain.job.key), Slurm job \(array)"))\n"
    }
    var record = Self.part(of: whole, shard)
    for notice in try submit(&record, chain, input) where !notices.contains(notice) {
      notices.append(notice)
    }
    submitted.append((chain.job.key, record.array))
    return "Submitted \(shard), \(chain.job.key), as Slurm job \(record.array ?? "?").\n"
  }

  /// Stops a chain as `stint stop` does, which is written down before Slurm is told; returns a
  /// sentence if a part of that failed.
  private func cancel(_ submitted: Submitted) -> String? {
    do {
      try context.catalog.set(.stop, to: true, for: submitted.key)
    } catch {
      return Sentence.of("\(submitted.key) could not be stopped: \(error)")
    }
    return submitted.array.flatMap(queue.cancelPending).map {
      "Slurm could not be told to cancel \(submitted.key), which will do nothing: \($0)."
    }
  }

  // MARK: Parts

  /// Refuses work that is no list of items.
  private func checkCanBeCut(_ whole: ChainRecord) throws {
    guard
      case .verb(_, let parsed) = try CommandLineRequest(
        arguments: whole.words, environment: [:], kinds: context.kinds)
    else { return }
    let verb = whole.words[0]
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
    try context.catalog.refuseOtherCut(of: wholeKey(whole), kind: ChainJob.kind, into: shard)
  }

  private func wholeKey(_ whole: ChainRecord) -> String {
    JobKey(kind: ChainJob.kind, parameters: parameters(whole, nil), outputPath: nil).description
  }

  /// What tells the chain of a part of the uncut work from others; nil is all of it.
  func parameters(_ whole: ChainRecord, _ shard: Shard?) -> JobParameters {
    let uncut = ChainJob.parameters(words: whole.words, directory: whole.directory)
    return shard?.parameters(uncut, of: wholeKey(whole)) ?? uncut
  }

  /// The chain of a part: the same command line with `--shard K/N` after its verb.
  static func part(of whole: ChainRecord, _ shard: Shard) -> ChainRecord {
    var record = whole
    record.words.insert("--\(OptionTable.shard.name)=\(shard.text)", at: 1)
    return record
  }
}

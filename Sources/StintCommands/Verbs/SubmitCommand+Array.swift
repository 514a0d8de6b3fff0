import StintCore
import StintRuntime

extension SubmitCommand {
  private static let usualAtOnce = 20

  /// Submits a chain for each line of a file, so many at a time.
  ///
  /// The chains of an array that was submitted before go on: its lines stay as they were until all
  /// of them have ended.
  ///
  /// - Throws: ``StintError`` for what is refused, which may be one line.
  func submit(arrayIn file: String) throws -> VerbResult {
    try refuseBesidesArray(file)
    // The same file is the same array, whatever it is called.
    let place = try context.surroundings.absolute(file)
    let path = ((try? place.resolved()) ?? place).text
    let bytes = try JobFileContents.bytes(of: path, atMost: ChainLines.mostBytes + 1)
    guard bytes.count <= ChainLines.mostBytes else {
      throw StintError(
        .usage, "The file \(file) is longer than \(ChainLines.mostBytes >> 20) MiB.")
    }
    let lines = try ChainLines(bytes, of: file)
    let atOnce = try context.parsed.integer("at-once", in: 1...100_000) ?? Self.usualAtOnce
    var record = try record(of: ["--array", file])
    record.members = ChainArrayMachine(count: lines.lines.count, atOnce: atOnce)
    let parameters = ChainArray.parameters(file: path, directory: record.launch.directory)
    let key = JobKey(kind: ChainArray.kind, parameters: parameters, outputPath: nil).description
    let chains = try check(lines, of: record, in: key)
    if context.parsed.has("dry-run") {
      let first = dryRun(chains[0], as: chains[0].key())
      return VerbResult(
        output: "# \(chains.count) chains, \(atOnce) at a time; the first:\n\(first)")
    }
    try engine.check(links: chains.map(\.links).max() ?? 0)
    try JobsPlace.checkCanBeWritten(context.catalog.jobsPath)
    var notices = try noticesOfStorage()
    notices += try ChainOptions.timeNotice(context.parsed, on: engine.name)
    let job = try ChainJob(
      kind: ChainArray.kind, parameters: parameters, jobsPath: context.catalog.jobsPath,
      patience: ChainArray.patience, report: { complain($0) })
    let before = job.job.isMaterialized ? try? job.read() : nil
    let goesOn = before?.state == .active && before?.members != nil && !job.job.isSet(.stop)
    if let before, goesOn {
      guard before.engine == engine.name else {
        throw StintError(
          .usage,
          "\(key) is in the hands of \(context.engines.engine(of: before).title); stop it before another engine has it, or give "
            + "--engine \(before.engine).")
      }
      record = before
      if context.parsed.has("at-once") { record.members?.atOnce = atOnce }
      let file = "\(job.path)/\(ChainTie.inputName)"
      let copy = try ifPresent(JobFileContents.bytes(of: file, atMost: ChainLines.mostBytes))
      if copy != bytes {
        notices.append(
          "\(key) goes on with the lines that \(file) had when it was submitted; changed lines count when "
            + "it is submitted again after the end")
      }
    } else {
      record.submission = (before?.submission ?? 0) + 1
      record.state = .active
      try job.job.materialize()
      try job.job.clear(.stop)
      try job.replace(ChainTie.inputName, with: bytes)
      try job.write(record)
    }
    var array = ChainArray(
      job, record, goesOn ? try ChainArray.lines(in: job.path, of: key) : lines, context.catalog,
      submission
    ) { notices.append($0) }
    if let refusal = try array.feed(takesUp: true) {
      guard let members = array.record.members, !members.active.isEmpty else {
        if !goesOn { try array.giveUp(refusal) }
        throw StintError(
          .unavailable,
          "\(refusal.message). It took no chain of \(key); submit it again to go on."
            + advice(on: refusal))
      }
      notices.append("\(refusal.message). The chains that follow are tried again as others end")
    }
    if array.record.state == .ended, array.record.ending != .finished {
      notices.forEach { complain($0) }
      throw StintError(.unavailable, array.record.why ?? "No chain was submitted.")
    }
    if context.wantsJSON {
      return VerbResult(output: Self.json(engine, array: nil, job: key), messages: notices)
    }
    let sums = array.record.sums
    return VerbResult(
      output: context.parsed.has("quiet")
        ? ""
        : "\(goesOn ? "\(key) is submitted already" : "Submitted \(key)"): \(sums).\n"
          + "stint status \(key) shows how all of them stand.\n", messages: notices)
  }

  private func refuseBesidesArray(_ file: String) throws {
    guard context.parsed.operands.isEmpty else {
      throw StintError(
        .usage, "--array takes the work from the lines of \(file); leave the words after it out.")
    }
    if context.parsed.has("shards") {
      throw StintError(.usage, "Give either --array or --shards.")
    }
    if context.parsed.has("mail") {
      throw StintError(
        .usage,
        "--mail would send a mail for each of the chains; for one at the end give --then-always "
          + "\"--mail-user=WHO --mail-type=END --wrap=true\".")
    }
  }

  private func work(_ chain: ChainRecord) throws -> SubmittedWork {
    try SubmittedWork(
      chain.launch.words, on: engine, hasLimit: hasLimit(chain.options), in: context)
  }

  /// Reads each line as its slices will, and refuses two lines that are the same work.
  private func check(
    _ lines: ChainLines, of record: ChainRecord, in key: String
  ) throws -> [ChainRecord] {
    var numbers: [String: Int] = [:]
    var writers: [FilePath: Int] = [:]
    return try lines.lines.indices.map { index in
      let number = lines.lines[index].number
      let chain = try lines.chain(at: index + 1, of: record, in: key)
      do {
        for path in try work(chain).files {
          if let other = writers.updateValue(number, forKey: path), other != number {
            throw StintError(.usage, "line \(other) writes \(path.text), too; give each its own")
          }
        }
      } catch let error as StintError {
        throw error.about("line \(number)")
      }
      if let other = numbers.updateValue(number, forKey: chain.key()) {
        throw StintError(.usage, "Lines \(other) and \(number) are the same work; leave one out.")
      }
      return chain
    }
  }
}

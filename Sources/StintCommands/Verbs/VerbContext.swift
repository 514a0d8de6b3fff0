import Glibc
import StintCore
import StintRuntime

/// What every verb on jobs needs: where they are, who asks, and when.
struct VerbContext: Sendable {
  let parsed: ParsedOptions
  let surroundings: Surroundings
  let identity: StoreIdentity
  let catalog: JobCatalog
  let kinds: KindTable
  let engines: EngineTable

  /// Reads what is common to all verbs from the command line.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(
    _ parsed: ParsedOptions, in surroundings: Surroundings, kinds: KindTable,
    engine: (any Engine)? = nil
  ) throws {
    self.parsed = parsed
    self.surroundings = surroundings
    self.kinds = kinds
    identity = .current()
    catalog = try JobCatalog(jobsDirectory: JobsDirectory.path(parsed, in: surroundings))
    engines = EngineTable(
      environment: surroundings.environment, jobsPath: catalog.jobsPath, given: engine)
  }

  var wantsJSON: Bool { parsed.has("json") }

  func key() throws -> String { try key(named: parsed.operands.first ?? "") }

  /// The key of the job that a name means.
  ///
  /// - Throws: ``StintError`` with the code `usage` if there is none or more than one.
  func key(named name: String) throws -> String {
    let keys = try catalog.keys()
    if keys.contains(name) { return name }
    if let request = try request(named: name) { return try key(of: request, among: keys) }
    return try find(name, among: keys.map { JobName($0, catalog.knownRecord(of: $0)) })
  }

  private func find(_ name: String, among candidates: [JobName]) throws -> String {
    try JobName.find(
      name, asPaths: JobName.paths(name, from: surroundings.workingDirectory), among: candidates,
      in: catalog.jobsPath)
  }

  /// What a command line can name.
  enum Target: Hashable {
    case job(String)
    /// The key of work that is cut into shards.
    case whole(String)
    /// The number of a request in the queue of this machine that is no chain's.
    case request(String)
  }

  /// The job that the command line names, or the whole of which jobs do parts.
  ///
  /// Where a name fits a whole and its parts, such as the folder into which all of them write, it
  /// means the whole.
  ///
  /// - Throws: ``StintError`` with the code `usage` if there is none or more than one.
  func target() throws -> Target {
    let name = parsed.operands.first ?? ""
    let keys = try catalog.keys()
    if keys.contains(name) { return .job(name) }
    if let request = try request(named: name) {
      guard let key = chainKey(of: request, among: keys) else { return .request(request.id) }
      return .job(key)
    }
    var (alone, parts, wholes): ([JobName], [JobName], [JobName]) = ([], [], [])
    for key in keys {
      let record = catalog.knownRecord(of: key)
      guard let record, record.shard != nil else {
        alone.append(JobName(key, record))
        continue
      }
      parts.append(JobName(key, record))
      let whole = JobName(record.whole, record)
      if !wholes.contains(whole), !keys.contains(record.whole) { wholes.append(whole) }
    }
    let whole = wholes.isEmpty ? nil : try? find(name, among: alone + wholes)
    let key = try whole ?? find(name, among: alone + parts + wholes)
    return keys.contains(key) ? .job(key) : .whole(key)
  }

  /// What hands chains to an engine.
  func submission(to engine: any Engine) -> ChainSubmission {
    ChainSubmission(
      program: HelperProgram.ownPath() ?? "stint", jobsPath: catalog.jobsPath, engine: engine,
      engines: engines)
  }

  /// The engine that has a chain or an array of chains, by its key; the usual one for another job.
  func engine(ofChain key: String) -> any Engine {
    let record = (try? catalog.chain(key)) ?? nil
    return engines.engine(named: record?.engine ?? EngineTable.names[0])
  }

  /// The surroundings in which a slice will read the words of its work.
  ///
  /// There is an allocation, whose end is a time limit.
  func surroundings(ofSliceOn engine: any Engine) -> Surroundings {
    var surroundings = surroundings
    surroundings.environment.merge(engine.variablesOfSlice) { $1 }
    surroundings.jobsDirectory = catalog.jobsPath
    return surroundings
  }

  /// The key of the job whose work is meant: of a chain, the one that its slices work on.
  ///
  /// - Throws: ``StintError`` with the code `usage` if there is none yet.
  func workKey(of key: String) throws -> String {
    guard let chain = chain(of: key), chain.key == key else { return key }
    guard let work = chain.work else {
      throw StintError(
        .usage, "No slice of \(key) has begun its work yet; stint status \(key) shows more.")
    }
    return work
  }

  /// The chain that a job is, or whose work it does; nil if there is none.
  func chain(of key: String) -> ChainView? { ChainView(of: key, in: self) }

  /// Everything that can be seen of a job.
  func view(of key: String) -> JobView {
    JobView(key, in: catalog, identity: identity, kinds: kinds)
  }

  /// How many failed items a page tells of.
  var shownFailures: Int { wantsJSON ? .max : WholeView.shownFailures }

  /// How the lines of a batch stand, with the first that failed, at most so many.
  ///
  /// Nil for another job, and if its files do not say it.
  func tally(of view: JobView, failures most: Int) -> ItemTally? {
    guard view.summary.record?.kind == Kind.batch.name, view.state != .foreign else { return nil }
    var reader = LineTallyReader(view.summary.path)
    return reader.read(isRunning: view.summary.isRunning, failures: .first(most))
  }

  /// The parts of a whole, with the first items of each that failed: so many, or as many as are
  /// shown.
  ///
  /// - Throws: ``StintError`` with the code `usage` if they are gone.
  func whole(_ key: String, failures most: Int? = nil) throws -> WholeView {
    guard let whole = WholeView(key, in: self, failures: most ?? shownFailures) else {
      throw StintError(.usage, "There is no shard of \(key) any more.")
    }
    return whole
  }

  /// What the journal of a job tells; nothing if there is no such job or it cannot be read.
  func history(of key: String?) -> StintHistory {
    StintHistory(journal: key.flatMap { try? catalog.journalBytes(of: $0).bytes } ?? [])
  }

  /// Refuses a job of which nobody can say whether a process works on it.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`, `damaged` or `io`.
  func refuseUnreadable(_ view: JobView, to done: String) throws {
    switch view.state {
    case .foreign:
      throw StintError(
        .unavailable, "\(view.key) belongs to another user and cannot be \(done) by you.")
    case .damaged, .unreadable:
      guard !view.summary.isRunning else { return }
      throw StintError(
        view.state == .damaged ? .damaged : .io,
        "\(view.key) cannot be \(done): \(view.summary.problem?.typed ?? "it cannot be read").")
    case .running, .paused, .waiting, .finished, .failed:
      return
    }
  }

  /// Ends a pause of a job, whoever obeyed it last.
  func endPause(of view: JobView) throws {
    guard view.summary.markers.contains(.pause) else { return }
    try catalog.set(.pause, to: false, for: view.key)
  }

  /// The seconds since a moment of the wall clock, as "3m ago".
  func age(unixNanoseconds: Int64) -> String {
    let (age, overflow) = surroundings.wallTime.nanosecondsSince1970
      .subtractingReportingOverflow(unixNanoseconds)
    return TextTable.age(overflow ? .zero : .nanoseconds(age))
  }
}

/// What a verb has to say when it is done.
struct VerbResult: Hashable, Sendable {
  var output = ""
  /// Sentences for standard error.
  var messages: [String] = []
  var exitStatus: Int32 = ExitStatus.finished

  /// Writes it down; the process ends here.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func end() throws -> Never {
    try StandardOutput().write(output)
    for message in messages { complain(message) }
    exit(exitStatus)
  }
}

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

  /// Reads what is common to all verbs from the command line.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions, in surroundings: Surroundings, kinds: KindTable) throws {
    self.parsed = parsed
    self.surroundings = surroundings
    self.kinds = kinds
    identity = .current()
    catalog = try JobCatalog(jobsDirectory: JobsDirectory.path(parsed, in: surroundings))
  }

  var wantsJSON: Bool { parsed.has("json") }

  func key() throws -> String { try key(named: parsed.operands.first ?? "") }

  /// The key of the job that a name means.
  ///
  /// - Throws: ``StintError`` with the code `usage` if there is none or more than one.
  func key(named name: String) throws -> String {
    let keys = try catalog.keys()
    if keys.contains(name) { return name }
    let candidates = keys.map { key in
      // A record that cannot be read leaves the job its key.
      JobName(key, (try? catalog.record(of: key)) ?? nil)
    }
    return try JobName.find(
      name, asPaths: JobName.paths(name, from: surroundings.workingDirectory), among: candidates,
      in: catalog.jobsPath)
  }

  /// The key of the job whose work is meant: of a chain, the one that its slices work on.
  ///
  /// - Throws: ``StintError`` with the code `usage` if there is none yet.
  func workKey(of key: String) throws -> String {
    guard let chain = ChainView(of: key, in: catalog), chain.key == key else { return key }
    guard let work = chain.work else {
      throw StintError(
        .usage, "No slice of \(key) has begun its work yet; stint status \(key) shows more.")
    }
    return work
  }

  /// Everything that can be seen of a job.
  func view(of key: String) -> JobView {
    JobView(key, in: catalog, identity: identity, kinds: kinds)
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
    for message in messages { writeToStandardError("stint: \(Sentence.of(message))\n") }
    exit(exitStatus)
  }
}

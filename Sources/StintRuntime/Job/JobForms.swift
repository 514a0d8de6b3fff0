package import StintCore

/// What a command line says of a job besides its work.
package struct JobTerms: Hashable, Sendable {
  /// What the user calls the job.
  package var name: String?
  /// Variables of the environment that tell this job from others, with their values.
  package var environment: [String: String] = [:]
  /// The working directory, if the jobs directory was given by a path from there: then the paths
  /// that were given from there, too, are kept as paths from the folder of the jobs directory.
  package var workingDirectory: FilePath?
  /// Whether the output was given by a relative path.
  package var isOutputRelative = false
  /// The parameters that are absolute paths, and whether each was given by a relative one.
  package var paths: [String: Bool] = [:]
  /// Parameters in which a job of the same name may differ.
  package var changeable: Set<String> = []
  /// The parameters that an older version gave the job.
  package var earlier: [JobParameters] = []
  /// The record of a job that is to go on.
  package var known: JobRecord?

  package init() {}
}

/// The forms in which one job can be written down: by absolute paths, by paths from the folder of
/// the jobs directory, and as older versions did it.
///
/// Whichever form its directory has, the job is found. So a command line may spell the jobs
/// directory in any way, and no job begins at zero because of an update.
package struct JobForms: Sendable {
  /// Every form, in the order in which they are looked for.
  package let all: [JobRecord]
  /// The form of a new job.
  package let fresh: JobRecord
  private let terms: JobTerms
  /// Asked once, because a batch has many lines.
  private static let ownIdentity = StoreIdentity.current()

  /// Describes a job in one form.
  package init(_ record: JobRecord) {
    (all, fresh, terms) = ([record], record, JobTerms())
  }

  /// Describes a job.
  ///
  /// - Parameters:
  ///   - kind: The kind of the computation.
  ///   - parameters: What decides the result, with absolute paths.
  ///   - outputPath: The absolute path of the result; nil for the standard output.
  ///   - terms: What else is said of it.
  ///   - jobsPath: The jobs directory.
  ///   - identity: Who writes it; nil for this process.
  package init(
    kind: String, parameters: JobParameters, outputPath: FilePath?, terms: JobTerms,
    jobsPath: String, identity: StoreIdentity? = nil
  ) {
    let identity = identity ?? Self.ownIdentity
    let base = JobsBase(jobsPath: jobsPath)
    func relative(_ path: FilePath, _ isRelative: Bool) -> FilePath {
      guard isRelative, path.isAbsolute else { return path }
      return base?.relative(path, from: terms.workingDirectory) ?? path
    }
    func record(
      _ values: [String: String], name: String?, isOutputRelative: Bool, paths: [String: Bool]
    ) -> JobRecord {
      var values = values
      for (name, isRelative) in paths {
        values[name] = values[name].map { relative(FilePath($0), isRelative).text }
      }
      var record = JobRecord(
        kind: kind, parameters: JobParameters(values),
        outputPath: outputPath.map { relative($0, isOutputRelative) }, name: name,
        environment: terms.environment, identity: identity)
      record.base = base
      return record
    }
    let values = parameters.values
    let absolute = record(values, name: terms.name, isOutputRelative: false, paths: [:])
    let fresh =
      terms.workingDirectory == nil
      ? absolute
      : record(
        values, name: terms.name, isOutputRelative: terms.isOutputRelative, paths: terms.paths)
    var all = terms.earlier.map { earlier in
      var record = JobRecord(
        kind: kind, parameters: earlier, outputPath: outputPath, environment: terms.environment,
        identity: identity)
      record.base = base
      return record
    }
    let isKnown = terms.known.map { $0.isSame(as: absolute, paths: terms.paths.keys) } ?? false
    if isKnown, let known = terms.known { all.append(known) }
    all += [
      absolute, fresh,
      record(
        values, name: terms.name, isOutputRelative: true,
        paths: terms.paths.mapValues { _ in true }),
    ]
    self.all = all.reduce(into: []) { found, next in
      if !found.contains(where: { $0.isWritten(as: next) }) { found.append(next) }
    }
    self.fresh = fresh
    self.terms = terms
  }

  /// The working directory, if the jobs directory was given by a path from there.
  package var workingDirectory: FilePath? { terms.workingDirectory }

  /// The keys of all forms, that of a new job first.
  package var keys: [String] {
    ([fresh] + all).map(\.key.description).reduce(into: []) { keys, key in
      if !keys.contains(key) { keys.append(key) }
    }
  }

  /// The forms of a part of the work: each form of the whole has parts of its own.
  package func part(_ shard: Shard) -> JobForms {
    func part(of record: JobRecord) -> JobRecord {
      let parameters = shard.parameters(
        JobParameters(record.parameters), of: record.key.description)
      var part = record
      part.parameters = parameters.values
      part.parameterHash =
        JobKey(kind: record.kind, parameters: parameters, outputPath: nil)
        .parameterHash.description
      return part
    }
    return JobForms(all: all.map(part), fresh: part(of: fresh), terms: terms)
  }

  private init(all: [JobRecord], fresh: JobRecord, terms: JobTerms) {
    (self.all, self.fresh, self.terms) = (all, fresh, terms)
  }

  /// The form of the directory that there is; that of a new job if there is none.
  package func chosen(in jobsPath: String, fileSystem: any FileSystem) -> JobRecord {
    guard all.count > 1, let jobs = try? fileSystem.openDirectory(at: jobsPath) else {
      return fresh
    }
    defer { fileSystem.close(jobs) }
    var isMade: JobRecord?
    for form in all where (try? fileSystem.exists(form.key.description, in: jobs)) == true {
      guard let root = try? fileSystem.openDirectory(form.key.description, in: jobs) else {
        continue
      }
      defer { fileSystem.close(root) }
      let found = try? JobRecord.read(
        in: root, key: form.key.description, fileSystem: fileSystem)
      guard let found else {
        // Half made, or damaged.
        isMade = isMade ?? form
        continue
      }
      // Forms of one name have one key.
      return all.first { $0.isWritten(as: found) } ?? fresh
    }
    return isMade ?? fresh
  }

  /// The record to write over that of a directory of the same name; nil if that one stays.
  ///
  /// - Throws: ``StintError`` with the code `usage` if the directory is of another job, with what
  ///   differs.
  func replacement(for found: JobRecord, by record: JobRecord) throws(StintError) -> JobRecord? {
    guard found.name != nil, !all.contains(where: { $0.isWritten(as: found) }) else { return nil }
    let (theirs, ours) = (
      found.values(placing: terms.paths.keys), record.values(placing: terms.paths.keys)
    )
    let names = Set(theirs.keys).union(ours.keys).subtracting(terms.changeable).sorted()
    if let name = names.first(where: { theirs[$0] != ours[$0] }) {
      throw Self.refusal(found, Self.words(name), theirs[name], ours[name])
    }
    if found.outputPath != record.outputPath {
      throw Self.refusal(found, "output", found.outputPath?.text, record.outputPath?.text)
    }
    var replacement = record
    replacement.createdUnixSeconds = found.createdUnixSeconds
    return terms.changeable.contains { theirs[$0] != ours[$0] } ? replacement : nil
  }

  /// The name of a parameter in words: `checkpointFile` is "checkpoint file".
  private static func words(_ name: String) -> String {
    name.reduce(into: "") { words, letter in
      words +=
        letter.isUppercase && letter.isASCII && !words.isEmpty && words.last?.isLowercase == true
        ? " \(letter.lowercased())" : String(letter)
    }
  }

  private static func refusal(
    _ found: JobRecord, _ what: String, _ theirs: String?, _ ours: String?
  ) -> StintError {
    func shown(_ text: String?) -> String {
      guard let text else { return "none" }
      return text.count > 200 ? "\"\(text.prefix(200))...\"" : "\"\(text)\""
    }
    return StintError(
      .usage,
      "the job \(found.name ?? "") has the \(what) \(shown(theirs)), and this command says "
        + shown(ours), remedies: [.anotherName, .startOver])
  }
}

extension JobRecord {
  /// The parameters with absolute paths.
  fileprivate func values(placing paths: some Sequence<String>) -> [String: String] {
    var values = parameters
    for name in paths { values[name] = values[name].map { placed(FilePath($0)).text } }
    return values
  }

  /// Whether two records are of one job, however their paths are written down.
  fileprivate func isSame(as other: JobRecord, paths: some Sequence<String>) -> Bool {
    kind == other.kind && name == other.name && environment == other.environment
      && outputPath == other.outputPath && values(placing: paths) == other.values(placing: paths)
  }

  /// Whether two records are the same but for when they were made.
  fileprivate func isWritten(as other: JobRecord) -> Bool {
    kind == other.kind && parameters == other.parameters && storedOutput == other.storedOutput
      && name == other.name && environment == other.environment
  }

  /// What the user calls the job; of a batch also as an older version wrote it down.
  package var givenName: String? { name ?? (kind == "batch" ? parameters["name"] : nil) }
}

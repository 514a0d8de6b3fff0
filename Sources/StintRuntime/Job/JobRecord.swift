import Glibc
package import StintCore

/// What a job is: the file `job.json`, written when its directory is made.
package struct JobRecord: Hashable, Sendable {
  /// The file's name.
  package static let fileName = "job.json"
  /// The newest version that this code reads; a record that needs nothing of it has version 1.
  package static let formatVersion = 2
  /// More than this is no `job.json`, whatever the file says.
  private static let largestBytes = 1 << 20

  /// The version of the file's format.
  package var formatVersion: Int
  /// The kind of the computation.
  package var kind: String
  /// What decides the result.
  package var parameters: [String: String]
  /// The checksum of kind and parameters, 32 hexadecimal digits.
  package var parameterHash: String
  /// The path of the result as the file has it: absolute, or from the folder in which the jobs
  /// directory lies; nil for the standard output.
  package var storedOutput: FilePath?
  /// What the user calls the job.
  package var name: String?
  /// Variables of the environment that tell this job from others, with their values.
  package var environment: [String: String]
  /// When the job was created, in seconds since 1970; a label only.
  package var createdUnixSeconds: Double
  /// The folder in which the jobs directory lies; not in the file.
  var base: JobsBase?

  /// Describes a new job.
  package init(
    kind: String, parameters: JobParameters, outputPath: FilePath?, name: String? = nil,
    environment: [String: String] = [:], identity: StoreIdentity
  ) {
    self.kind = kind
    self.parameters = parameters.values
    parameterHash =
      JobKey(kind: kind, parameters: parameters, outputPath: outputPath).parameterHash.description
    storedOutput = outputPath
    self.name = name
    self.environment = environment
    createdUnixSeconds = Double(identity.wallClock() / 1_000_000) / 1e3
    let isRelative = outputPath.map { !$0.isAbsolute } ?? false
    formatVersion = name != nil || !environment.isEmpty || isRelative ? Self.formatVersion : 1
  }

  /// The key that these contents give.
  package var key: JobKey {
    JobKey(
      kind: kind, parameters: JobParameters(parameters), outputPath: storedOutput, name: name,
      environment: environment)
  }

  /// The absolute path of the result; nil for the standard output.
  package var outputPath: FilePath? { storedOutput.map(placed) }

  /// The absolute path that a path in the record stands for.
  package func placed(_ path: FilePath) -> FilePath { base?.absolute(path) ?? path }

  /// The contents of the file: JSON for people to read, its members sorted by name.
  package var contents: [UInt8] {
    func block(_ members: [(String, String)], indent: String) -> String {
      let lines = members.sorted { $0.0 < $1.0 }.map { "\(indent)  \(JSONLine.quoted($0)) : \($1)" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    }
    var members = [
      ("createdUnixSeconds", "\(createdUnixSeconds)"), ("formatVersion", "\(formatVersion)"),
      ("kind", JSONLine.quoted(kind)), ("parameterHash", JSONLine.quoted(parameterHash)),
      ("parameters", block(parameters.map { ($0, JSONLine.quoted($1)) }, indent: "  ")),
    ]
    if let storedOutput { members.append(("outputPath", JSONLine.quoted(storedOutput.text))) }
    if let name { members.append(("name", JSONLine.quoted(name))) }
    if !environment.isEmpty {
      let variables = environment.map { ($0, JSONLine.quoted($1)) }
      members.append(("environment", block(variables, indent: "  ")))
    }
    return Array((block(members, indent: "") + "\n").utf8)
  }

  /// Reads the contents of the file, whatever job they are of.
  init(contents: [UInt8]) throws(JSONFault) {
    let object = try JSONObject(contents)
    formatVersion = try object.integer("formatVersion")
    kind = try object.text("kind")
    parameterHash = try object.text("parameterHash")
    storedOutput = try object.optionalText("outputPath").map { FilePath($0) }
    createdUnixSeconds = try object.number("createdUnixSeconds")
    guard let values = try Self.texts(object, "parameters") else {
      throw JSONFault("\"parameters\" is missing")
    }
    parameters = values
    name = try object.optionalText("name")
    environment = try Self.texts(object, "environment") ?? [:]
    if let name, !JobKey.isName(name) { throw JSONFault("\"name\" is none") }
  }

  private static func texts(
    _ object: JSONObject, _ name: String
  ) throws(JSONFault) -> [String: String]? {
    guard let values = try object.optional(name, "an object", { $0.object }) else { return nil }
    var texts: [String: String] = [:]
    for member in values.members { texts[member.name] = try values.text(member.name) }
    return texts
  }

  /// Reads and checks the file of a job's directory; nil if there is none.
  ///
  /// - Throws: ``StintError``: `damaged` with what to do, `mismatch`, `io`.
  package static func read(
    in directory: OpenFile, key: String, fileSystem: any FileSystem
  ) throws(StintError) -> JobRecord? {
    let found = try ifPresent(fileSystem.openFile(fileName, in: directory, .read))
    guard let file = found else { return nil }
    defer { fileSystem.close(file) }
    let status = try fileSystem.status(of: file)
    guard status.kind == .regular else { throw damaged(file, "is not a regular file") }
    guard status.sizeBytes <= largestBytes else {
      throw damaged(file, "has \(status.sizeBytes) bytes, and the most is \(largestBytes)")
    }
    let bytes = try fileSystem.readBytes(file, atMost: status.sizeBytes)
    guard var record = try? JobRecord(contents: bytes) else {
      throw damaged(file, "is not the JSON of a job")
    }
    try record.check(file, key: key)
    if let jobs = FilePath(directory.path).folder { record.base = JobsBase(jobsPath: jobs.text) }
    return record
  }

  private func check(_ file: OpenFile, key: String) throws(StintError) {
    guard (1...Self.formatVersion).contains(formatVersion) else {
      throw StintError(
        .mismatch,
        "\(file.path) has format version \(formatVersion), and this program reads versions 1 to "
          + "\(Self.formatVersion)", remedies: ["use the program that wrote it", .startOver])
    }
    guard CheckpointHeader.isKind(kind) else { throw Self.damaged(file, "has no valid kind") }
    guard parameterHash == self.key.parameterHash.description else {
      throw Self.damaged(
        file,
        "says the parameter hash \(parameterHash), and its parameters give "
          + "\(self.key.parameterHash)")
    }
    guard self.key.description == key else {
      throw Self.damaged(
        file, "describes the job \(self.key), and its directory is named \(key)")
    }
  }

  private static func damaged(_ file: OpenFile, _ why: String) -> StintError {
    StintError(.damaged, "\(file.path) \(why)", remedies: [.removeJob])
  }
}

import Glibc
package import StintCore

/// What a job is: the file `job.json`, written once, when its directory is made.
package struct JobRecord: Hashable, Sendable {
  /// The file's name.
  package static let fileName = "job.json"
  /// The version that this code writes and the only one that it reads.
  package static let formatVersion = 1
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
  /// The absolute path of the result; nil for the standard output.
  package var outputPath: FilePath?
  /// When the job was created, in seconds since 1970; a label only.
  package var createdUnixSeconds: Double

  /// Describes a new job.
  package init(
    kind: String, parameters: JobParameters, outputPath: FilePath?, identity: StoreIdentity
  ) {
    formatVersion = Self.formatVersion
    self.kind = kind
    self.parameters = parameters.values
    parameterHash =
      JobKey(kind: kind, parameters: parameters, outputPath: outputPath).parameterHash.description
    self.outputPath = outputPath
    createdUnixSeconds = Double(identity.wallClock() / 1_000_000) / 1e3
  }

  /// The key that these contents give.
  package var key: JobKey {
    JobKey(kind: kind, parameters: JobParameters(parameters), outputPath: outputPath)
  }

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
    if let outputPath { members.append(("outputPath", JSONLine.quoted(outputPath.text))) }
    return Array((block(members, indent: "") + "\n").utf8)
  }

  /// Reads the contents of the file, whatever job they are of.
  init(contents: [UInt8]) throws(JSONFault) {
    let object = try JSONObject(contents)
    formatVersion = try object.integer("formatVersion")
    kind = try object.text("kind")
    parameterHash = try object.text("parameterHash")
    outputPath = try object.optionalText("outputPath").map { FilePath($0) }
    createdUnixSeconds = try object.number("createdUnixSeconds")
    let values = try object.optional("parameters", "an object") { $0.object }
    guard let values else { throw JSONFault("\"parameters\" is missing") }
    parameters = [:]
    for member in values.members { parameters[member.name] = try values.text(member.name) }
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
    guard let record = try? JobRecord(contents: bytes) else {
      throw damaged(file, "is not the JSON of a job")
    }
    try record.check(file, key: key)
    return record
  }

  private func check(_ file: OpenFile, key: String) throws(StintError) {
    guard formatVersion == Self.formatVersion else {
      throw StintError(
        .mismatch,
        "\(file.path) has format version \(formatVersion), and this program reads version "
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

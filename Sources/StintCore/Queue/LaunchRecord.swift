/// With what work is started, as it is written down: words, where they are run, and the names of
/// the variables that it needs.
///
/// Values of variables are never written down (Q6): whoever starts the work has them.
package struct LaunchRecord: Hashable, Sendable {
  /// The command line: of a chain it begins with its verb, else with a program.
  package var words: [String]
  /// The working directory.
  package var directory: String
  /// The bits that new files do not get; nil for those of whoever starts the work.
  package var umask: UInt32?
  /// Variables that have to be set where the work is started.
  package var variables: [String] = []

  package init(
    words: [String], directory: String, umask: UInt32? = nil, variables: [String] = []
  ) {
    self.words = words
    self.directory = directory
    self.umask = umask
    self.variables = variables
  }

  /// Adds it to a record, as members beside others.
  package func add(to json: inout JSONLine) {
    json.add("words", words)
    json.add("directory", directory)
    json.add("umask", umask.map { String($0, radix: 8) })
    if !variables.isEmpty { json.add("variables", variables) }
  }
}

extension LaunchRecord {
  package init(_ object: JSONObject) throws(JSONFault) {
    self.init(
      words: try object.optionalTexts("words") ?? [], directory: try object.text("directory"),
      variables: try object.optionalTexts("variables") ?? [])
    umask = try object.optional("umask", "an octal number") { value in
      value.text.flatMap { UInt32($0, radix: 8) }.flatMap { $0 <= 0o777 ? $0 : nil }
    }
  }
}

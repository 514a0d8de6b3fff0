import StintCore
import StintRuntime

/// With what work is started, as it is written down: words, and where they are run.
struct LaunchRecord: Hashable, Sendable {
  /// The command line, beginning with its verb.
  var words: [String]
  var directory: String

  /// The words as a shell would have to be given them.
  var text: String { words.map(ShellWord.quoted).joined(separator: " ") }

  /// Adds it to a record, as members beside others.
  func add(to json: inout JSONLine) {
    json.add("words", words)
    json.add("directory", directory)
  }
}

extension LaunchRecord {
  init(_ object: JSONObject) throws(JSONFault) {
    self.init(
      words: try object.optionalTexts("words") ?? [], directory: try object.text("directory"))
  }
}

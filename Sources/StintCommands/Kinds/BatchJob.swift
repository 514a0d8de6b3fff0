import StintRuntime

/// A line of a batch that has been understood.
struct BatchJob: Hashable, Sendable {
  /// The verb that carries it out.
  enum Form: String, Hashable, Sendable, CaseIterable {
    case run, exec
  }

  /// The number of its line, of the first one if there are several like it.
  var number = 0
  var verb: Form
  /// The words after the verb.
  var words: [String]
  /// What it is known by, whatever the line's number: the key of the job, or a hash of the words
  /// and the directory (R11).
  var key: String
  /// The absolute path of its result; nil if that goes to standard output or is not known here.
  var outputPath: FilePath?
  /// The absolute paths of its results, if there can be many, as far as its words say them.
  var results: [FilePath] = []
  /// What the line has in common with others that would work on the same job; nil if that can only
  /// be a line with the same key.
  var set: String?
  /// What the line gives that the batch would otherwise give.
  var gives: Set<String> = []

  /// The line for people.
  var title: String {
    (verb == .run ? words : ["exec"] + words).map(ShellWord.quoted).joined(separator: " ")
  }
}

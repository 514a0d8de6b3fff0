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
  /// What the line is known by in batches that were begun otherwise: by another version, or with
  /// another path of the jobs directory.
  var otherKeys: [String] = []
  /// What the line calls its job.
  var name: String?
  /// The absolute path of its result; nil if that goes to standard output or is not known here.
  var outputPath: FilePath?
  /// The absolute paths of its results, if there can be many, as far as its words say them.
  var results: [FilePath] = []
  /// What the line has in common with others that would work on the same job; nil if that can only
  /// be a line with the same key.
  var set: String?
  /// What the line gives that the batch would otherwise give.
  var gives: Set<String> = []
  /// Whether it is a command that stands there without a verb.
  var isBare = false

  /// The words of the line as they stand there, without `run` and `stint`.
  var ownWords: [String] {
    switch verb {
    case .run: words
    case .exec: isBare ? Array(words.dropFirst()) : ["exec"] + words
    }
  }

  /// Takes the keys by which the line is known, the best first, and the name of its job.
  mutating func take(keys: [String], _ terms: JobTerms) {
    (key, otherKeys, name) = (keys[0], Array(keys.dropFirst()), terms.name)
  }

  /// Whether two lines have the same words.
  func isSame(as other: BatchJob) -> Bool { verb == other.verb && words == other.words }

  /// The line for people.
  var title: String { ownWords.map(ShellWord.quoted).joined(separator: " ") }

  /// The words from which it is read again: those of a command without a verb follow an empty one.
  var asRead: [String] { (isBare ? [""] : []) + ownWords }

  /// The words of a command that the batch runs itself, because it has no options; nil if there is
  /// none.
  var plainCommand: [String]? {
    verb == .exec && words.first == "--" && words.count > 1 ? Array(words.dropFirst()) : nil
  }
}

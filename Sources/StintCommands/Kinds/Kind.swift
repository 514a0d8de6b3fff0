import StintRuntime

/// A kind of job: all that verbs and batches know of it.
///
/// A kind of its own is one file with a description like this, and one line in ``KindTable/stint``.
package struct Kind: Sendable {
  /// Where the results of a job are.
  enum Output: Sendable {
    /// In the file that its record names, or on standard output.
    case file
    /// In files of the folder that its record names.
    case folder
    /// Where it likes: a command writes what it writes.
    case itsOwn
  }

  /// What the records of its jobs call it.
  var name: String
  /// How `stint run` and the lines of a batch ask for it; nil where neither can.
  var form: KindForm?
  /// The option that asks for this kind, where several have one form.
  var option: String?
  /// Who does its work.
  var runner: KindRunner
  var output = Output.file
  /// Whether its checkpoints lie in the directory of the job.
  var keepsCheckpoints = true
  /// Whether its work is a list of items that several jobs can share.
  var canBeCut = false
  /// Why its jobs have no account of their own work; nil where they have one.
  var noAccount: String?
  /// A job by the parameters of its record, as one would write it on the command line.
  var title: @Sendable (_ parameters: [String: String]) -> String

  /// A kind that the table lacks: a job of an embedder's own, or of another version of Stint.
  static func unknown(_ name: String) -> Kind {
    Kind(name: name, runner: .nobody) { parameters in
      let list = parameters.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
      return name + list.joined()
    }
  }

  /// The same kind, with somebody else who does its work.
  package func done(by runner: KindRunner) -> Kind {
    var kind = self
    kind.runner = runner
    return kind
  }

  /// Where the result of a job goes, for people; nil where the job itself decides that.
  func outputText(_ record: JobRecord?) -> String? {
    output == .itsOwn ? nil : record.map { $0.outputPath?.text ?? "standard output" }
  }

  /// Which part of a whole a job does, for its title.
  static func shardWords(_ parameters: [String: String]) -> String {
    Shard(parameters).map { " --shard \($0.text)" } ?? ""
  }

  /// Whether its jobs tell of work of their own.
  var countsWork: Bool { noAccount == nil }
}

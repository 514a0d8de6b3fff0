import CStint
import Glibc
import StintCore
import StintRuntime

/// A job of a verb that is begun again by the words of its last process.
///
/// The options that `stint resume` is given take the places of those among the words. A limit of
/// time replaces the limit that was there, whichever option gave it.
struct CommandAgain: Hashable, Sendable {
  /// The words after the program's name.
  var words: [[UInt8]]
  /// The folder in which they are run.
  var folder: FilePath
  /// Variables that belong to the key of the job.
  var environment: [String: String]

  /// Reads the words of a job's last process; nil if they are not known.
  ///
  /// - Throws: ``StintError``: `usage` for what cannot be begun again so, `damaged` for words that
  ///   are of another verb, `io`.
  init?(_ record: JobRecord, _ context: VerbContext) throws {
    let key = record.key.description
    guard let recorded = try context.catalog.command(of: key), let directory = Self.folder(record)
    else { return nil }
    guard let verb = recorded.first.map({ String(decoding: $0, as: UTF8.self) }),
      verb == record.kind, let specification = VerbTable.verb(verb)?.specification
    else {
      throw StintError(
        .damaged, "\(key) was not begun by the words in its file \(RecordedCommand.fileName).")
    }
    folder = record.placed(directory)
    environment = record.environment
    words = try Self.words(
      recorded, specification, context.parsed, key: key,
      jobs: Self.jobs(context.catalog.jobsPath, for: directory, folder))
    if verb == Kind.batch.name, record.parameters["file"] == "-" {
      throw StintError(
        .usage,
        "\(key) read its lines from standard input, which is not kept; run its command again with "
          + "the same lines.")
    }
  }

  private static func folder(_ record: JobRecord) -> FilePath? {
    record.parameters["directory"].map { FilePath($0) }
  }

  /// The jobs directory as it is to be given: by a relative path where the job belongs to it.
  private static func jobs(_ path: String, for directory: FilePath, _ folder: FilePath) -> String {
    let real = (try? FilePath(path).resolved()) ?? FilePath(path)
    guard !directory.isAbsolute, let base = (try? folder.resolved()).map(JobsBase.init(folder:))
    else { return path }
    return base.relative(real, from: "/")?.text ?? path
  }

  /// The words with other options.
  private static func words(
    _ recorded: [[UInt8]], _ verb: VerbSpecification, _ given: ParsedOptions, key: String,
    jobs: String
  ) throws -> [[UInt8]] {
    var (recorded, lists) = (recorded, [[UInt8]]())
    if case .lists = verb.operands,
      let first = recorded.firstIndex(where: {
        BatchLists.Beginning(rawValue: String(decoding: $0, as: UTF8.self)) != nil
      })
    {
      lists = Array(recorded[first...])
      recorded.removeSubrange(first...)
    }
    let before = try OptionScanner.scan(
      recorded.dropFirst().map { String(decoding: $0, as: UTF8.self) }, options: verb.options,
      stopsAtOperand: verb.operands == .command, checksOperands: false)
    let asked = Verb.resume.specification.options.filter(given.gives)
    if let option = asked.first(where: { !before.knows($0.name) }) {
      throw StintError(
        .usage, "\(key) is of the kind \(verb.name), which has no --\(option.name); leave it out.")
    }
    let limits = BudgetChoice.all.options + [OptionTable.lead]
    let setsLimit = BudgetChoice.all.options.contains(where: given.gives)
    var words = [recorded[0]]
    for option in verb.options {
      switch option {
      case OptionTable.jobsDirectory: words += [Array("--\(option.name)=\(jobs)".utf8)]
      // What was begun anew then goes on now.
      case OptionTable.fresh, OptionTable.batchFresh: continue
      case _ where asked.contains { $0.name == option.name }: words += self.words(option, given)
      case _ where setsLimit && limits.contains(option): continue
      case _: words += self.words(option, before)
      }
    }
    // The words of a command are the last ones, and bytes; others may stand between options.
    let operands =
      verb.operands == .command
      ? Array(recorded.suffix(before.operands.count)) : before.operands.map { Array($0.utf8) }
    return words + [Array("--".utf8)] + operands + lists
  }

  /// An option as it was given, in the form that can hold no argument of another one.
  private static func words(_ option: OptionSpecification, _ parsed: ParsedOptions) -> [[UInt8]] {
    guard parsed.gives(option) else { return [] }
    let values = option.isRepeatable ? parsed.texts(option.name) : [parsed.text(option.name) ?? ""]
    return values.map { value in
      Array((option.spelling + (value.isEmpty ? "" : "=" + value)).utf8)
    }
  }

  /// Becomes a process of the same program with these words.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if the folder is gone, or the program
  ///   cannot be started.
  func become(_ launch: Launch) throws -> Never {
    guard chdir(folder.text) == 0 else {
      throw StintError(
        .unavailable,
        "The folder \(folder), in which the job is run, cannot be entered: "
          + "\(String(cString: strerror(errno))).", errno: errno)
    }
    let program = try ProgramFile.own()
    launch.start.invitation?.handOn()
    if let chain = ChainTie.path { setenv(ChainTie.variable, chain, 1) }
    for (name, value) in environment { setenv(name, value, 1) }
    // A command must not inherit what Stint blocks for itself.
    SignalWatch.restoreDefaults()
    var vector: [UnsafeMutablePointer<CChar>?] = ([program.path] + words).map { word in
      strdup(word.map { CChar(bitPattern: $0) } + [0])
    }
    vector.append(nil)
    _ = stint_exec_descriptor(program.descriptor, vector, environ)
    let code = errno
    vector.forEach { free($0) }
    throw StintError(
      .unavailable, "The program cannot be started again: \(String(cString: strerror(code))).",
      errno: code)
  }
}

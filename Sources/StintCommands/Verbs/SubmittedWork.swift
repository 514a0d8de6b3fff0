import StintCore
import StintRuntime

/// The command line of work that is submitted, read as a slice will read it.
///
/// What its verb would refuse at once is refused here, and not on a node in an hour.
struct SubmittedWork {
  /// What the words must not say, because the chain says it.
  static let refused = ["jobs-dir", "unfinished-exit-code", "dry-run"]
  /// Options whose file all nodes must see; all but the folder are files of the work alone.
  private static let places = ["output", "output-dir", "checkpoint-file", "done-file"]

  /// The limit of Linux for one argument.
  private static let longestWord = 131_072

  /// The words, beginning with the verb.
  let words: [String]
  /// The lines of a batch; nil for other work.
  let input: [UInt8]?
  /// The files that it alone may write: its result, its checkpoint file and its done file.
  let files: [FilePath]
  /// What the user calls the job; nil if that is left to its key.
  let name: String?

  /// Reads the words after `stint submit`.
  ///
  /// - Parameters:
  ///   - given: The words.
  ///   - engine: Who is to have the work.
  ///   - hasLimit: Whether the time of a slice has an end that is known.
  ///   - context: The command line.
  /// - Throws: ``StintError`` for what is refused.
  init(
    _ given: [String], on engine: any Engine, hasLimit: Bool = true, in context: VerbContext
  ) throws {
    var words = given
    // They are kept as text.
    for word in words {
      try OptionScanner.checkText(word, of: "The argument")
      guard word.utf8.count < Self.longestWord else {
        throw StintError(
          .usage, "The argument \"\(word.prefix(20))...\" is longer than Linux gives to a program.")
      }
    }
    if words.first == "stint" { words.removeFirst() }
    guard let verb = words.first, ["run", "exec", "batch"].contains(verb) else {
      if let word = words.first, ProgramSearch().finds(word, in: context.surroundings) {
        throw StintError(
          .usage,
          "\"\(word.prefix(60))\" is a program; write stint submit ... -- exec -- \(word.prefix(60)) ..."
        )
      }
      throw StintError(
        .usage,
        "Say what to submit after two hyphens, for example: stint submit --time 1h -- run fibonacci "
          + "1000000000 -o f.txt.")
    }
    guard
      case .verb(let asked, let parsed) = try CommandLineRequest(
        arguments: words, environment: [:], kinds: context.kinds)
    else { throw StintError(.usage, "--help asks for no work; leave it out.") }
    name = parsed.text("name")
    files = try Self.places(in: parsed).filter { $0.option != "output-dir" }.map { _, path in
      let file = try context.surroundings.absolute(path)
      // The same file by another name.
      return (try? file.folder?.resolved())?.appending(file.name) ?? file
    }
    for (name, place) in Self.places(in: parsed) where engine.reachesOtherMachines {
      let path = place.hasPrefix("/") ? place : try context.surroundings.folder().text + "/" + place
      _ = try SharedStorage.check(path, of: "--" + name)
    }
    for name in Self.refused where parsed.has(name) {
      throw StintError(
        .usage, "--\(name) cannot be given to work that is submitted; leave it out.")
    }
    let surroundings = context.surroundings(ofSliceOn: engine)
    switch asked.name {
    case "exec":
      let options = try ExecOptions(
        parsed, words: (["stint"] + words).map { Array($0.utf8) }, in: surroundings)
      guard !hasLimit || options.rules.saysHowItGoesOn else {
        throw StintError(
          .usage,
          "The command \(options.command.name) would begin anew in each slice, as far as can be "
            + "seen. Name what it saves with --checkpoint-file, or the file that shows that it is done with "
            + "--done-file, or give --resumable if it saves by itself. \(ExecMessages.advice)")
      }
    case "batch":
      let options = try BatchOptions(parsed, in: surroundings)
      let lines = LineReader(surroundings: surroundings, needsOutput: false, kinds: context.kinds)
      let source = try BatchSource(options)
      // Values are read from their lists again by each slice.
      let input = options.template == nil ? try source.read() : nil
      Self.noticeAnew(try source.reading(by: lines, options, input: input))
      (self.words, self.input) = (words, input)
      return
    default:
      let run = try RunOptions(parsed, in: surroundings)
      let kind = try context.kinds.kind(askedForBy: parsed, in: surroundings)
      if kind.name == Kind.imageSet.name { try ImageOptionTable.refuseStandardInput(parsed) }
      // Another program may take the output as an operand.
      if try kind.runner.work(parsed, in: surroundings) != nil, run.output == nil {
        throw StintError(
          .usage,
          "The result would go nowhere; add --output FILE"
            + (engine.reachesOtherMachines ? ", on a disk that all nodes see." : "."))
      }
    }
    (self.words, input) = (words, nil)
  }

  /// What the words of work say of its folders and files, each with its option.
  static func places(in parsed: ParsedOptions) -> [(option: String, path: String)] {
    places.compactMap { option in
      parsed.text(option).flatMap { $0 == "-" ? nil : (option, $0) }
    }
  }

  /// Tells of commands that begin anew in each slice, as far as can be seen.
  private static func noticeAnew(_ reading: BatchReader.Reading) {
    let numbers = reading.jobs.filter { $0.verb == .exec && !$0.saysHowItGoesOn }.map(\.number)
    guard let first = numbers.first else { return }
    let lines =
      numbers.count == 1
      ? "Line \(first) begins"
      : "\(numbers.count) lines, the first "
        + "of them \(first), begin"
    complain(
      "\(lines) anew in a slice that is too short; exec goes on there with "
        + "--checkpoint-file, --done-file or --resumable. \(ExecMessages.advice)")
  }
}

import StintCore
import StintRuntime

/// The lines of an array of chains: each of them is the command line of a chain.
///
/// A line is what follows `stint submit` for that chain: the words of the work, or options and then
/// the words after two hyphens. Blank lines and comments count for nothing.
struct ChainLines: Sendable {
  /// The most bytes of a file, and lines in it.
  static let mostBytes = 256 << 20
  static let most = 1_000_000

  /// One line.
  struct Line: Hashable, Sendable {
    /// Its number in the file, from 1.
    let number: Int
    let text: String
  }

  /// The options that a line can have: they add to those of all lines, or replace them.
  private static func options(on engine: String) -> [OptionSpecification] {
    [OptionTable.slurmTime, OptionTable.links]
      + (engine == EngineJob.local
        ? [OptionTable.needs, OptionTable.priority, OptionTable.env, OptionTable.requestName]
        : [OptionTable.sbatch, OptionTable.slurmName])
  }

  let lines: [Line]

  /// Reads a file.
  ///
  /// - Throws: ``StintError`` with the code `usage` if it has no lines or too many.
  init(_ bytes: [UInt8], of name: String) throws(StintError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StintError(.usage, "The file \(name) is not UTF-8, which Stint needs.")
    }
    var lines: [Line] = []
    // Not by characters: a return and a newline are one of them.
    let all = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in all.enumerated() {
      let line = Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
      let start = line.drop { $0 == " " || $0 == "\t" }
      if start.isEmpty || start.first == "#" { continue }
      lines.append(Line(number: index + 1, text: String(line)))
    }
    guard !lines.isEmpty else {
      throw StintError(.usage, "The file \(name) has no lines with work in it.")
    }
    guard lines.count <= Self.most else {
      throw StintError(
        .usage, "The file \(name) has \(lines.count) lines; the most is \(Self.most).")
    }
    self.lines = lines
  }

  /// The chain of a line, with what all lines have in common.
  ///
  /// - Parameters:
  ///   - place: Which line, from 1.
  ///   - common: The record of the array.
  ///   - array: Its key.
  /// - Returns: Its record before it is submitted.
  /// - Throws: ``StintError`` with the code `usage` that names the line.
  func chain(at place: Int, of common: ChainRecord, in array: String) throws -> ChainRecord {
    let line = lines[place - 1]
    do {
      var words = try SbatchWords.split(line.text, of: "The line")
      var record = common
      (record.members, record.unfinished, record.followers) = (nil, [], ChainFollowers())
      (record.chains, record.place) = (array, place)
      if words.first?.hasPrefix("-") ?? false {
        let parsed = try OptionScanner.scan(
          words, options: Self.options(on: common.engine), stopsAtOperand: true)
        if common.engine == EngineJob.local {
          record.options = RequestOptions.words(
            record.options, replacedBy: try RequestOptions.words(parsed))
        } else {
          record.options += try ChainOptions.words(parsed)
        }
        record.links = try ChainOptions.links(parsed) ?? record.links
        words = parsed.operands
      }
      if words.first == "stint" { words.removeFirst() }
      guard let verb = words.first, ["run", "exec"].contains(verb) else {
        throw StintError(
          .usage,
          "it is to be the words after stint submit: run or exec with their words, or options, two hyphens and "
            + "then these")
      }
      record.launch.words = words
      return record
    } catch let error as StintError {
      throw error.about("line \(line.number)")
    }
  }
}

/// The options of a chain that a command line gives, or a line of an array of chains.
enum ChainOptions {
  private static let usualLinks = 50
  /// Slurm takes no more tasks for one array than this, whatever its settings say.
  private static let mostLinks = 4_000_000
  private static let mostSetupBytes = 65_536
  private static let shells = ["sh", "bash", "dash", "ksh", "zsh", "ash", "mksh"]

  /// What a command line says of a chain.
  ///
  /// - Throws: ``StintError``: `usage`, `io`.
  static func record(
    of words: [String], _ parsed: ParsedOptions, on engine: String, in surroundings: Surroundings
  ) throws -> ChainRecord {
    let isLocal = engine == EngineJob.local
    var record = ChainRecord(
      launch: LaunchRecord(words: words, directory: try surroundings.folder().text),
      links: try links(parsed) ?? usualLinks,
      options: isLocal
        ? try RequestOptions.words(parsed, in: surroundings) : try self.words(parsed))
    record.engine = engine
    if isLocal {
      record.launch.umask = StoreIdentity.fileModeMask
      record.launch.variables = parsed.texts(OptionTable.env.name)
    }
    record.followers = try ChainFollowers(parsed)
    record.isEndless = parsed.has("again")
    record.setup = try setup(parsed, in: surroundings)
    if let code = try parsed.integer("slice-exit-code", in: 0...125) {
      record.sliceExitCode = Int32(code)
    }
    return record
  }

  /// The most slices.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  static func links(_ parsed: ParsedOptions) throws -> Int? {
    try parsed.integer("links", in: 1...mostLinks)
  }

  /// A sentence if the slices are given another time than was asked for.
  static func timeNotice(_ parsed: ParsedOptions, on engine: String) throws -> [String] {
    engine == EngineJob.local ? [] : [try time(parsed)?.notice].compactMap { $0 }
  }

  private static func time(_ parsed: ParsedOptions) throws -> SlurmTime? {
    try parsed.text("time").map { try SlurmTime($0, of: "--time") }
  }

  /// The words for `sbatch` that options ask for; the user's own come last.
  static func words(_ parsed: ParsedOptions) throws -> [String] {
    var words: [String] = []
    if let time = try time(parsed) { words.append("--time=" + time.text) }
    if let name = parsed.text("job-name") {
      guard !name.isEmpty, !name.contains(where: \.isNewline) else {
        throw StintError(.usage, "--job-name is to be one line that is not empty.")
      }
      words.append("--job-name=" + name)
    }
    if let who = parsed.text("mail") {
      words += ["--mail-user=" + who, "--mail-type=END,FAIL"]
    }
    for text in parsed.texts("sbatch") {
      words += try SbatchWords.checked(text, of: "--sbatch")
    }
    return words
  }

  /// The lines that the script runs before the work.
  private static func setup(
    _ parsed: ParsedOptions, in surroundings: Surroundings
  ) throws -> String? {
    guard let file = parsed.text("setup") else { return nil }
    let bytes = try JobFileContents.bytes(
      of: surroundings.absolute(file).text, atMost: mostSetupBytes + 1)
    guard bytes.count <= mostSetupBytes else {
      throw StintError(
        .usage, "--setup \(file) is longer than \(mostSetupBytes) bytes; let it run a script.")
    }
    guard let read = String(validating: bytes, as: UTF8.self), !read.utf8.contains(0) else {
      throw StintError(.usage, "--setup \(file) is not a text in UTF-8.")
    }
    let text = read.replacing("\r\n", with: "\n")
    let lines = text.split(separator: "\n")
    if let first = lines.first, first.hasPrefix("#!") {
      let words = first.dropFirst(2).split(separator: " ").map {
        $0.split(separator: "/").last ?? ""
      }
      let shell = words.first == "env" ? words.dropFirst().first : words.first
      guard let shell, shells.contains(String(shell)) else {
        throw StintError(
          .usage, "--setup \(file) begins with \(first.prefix(60)), which is no shell such as bash."
        )
      }
    }
    for line in lines where line.hasPrefix("#SBATCH") {
      _ = try SbatchWords.checked(String(line.dropFirst(7)), of: "--setup")
    }
    return text
  }
}

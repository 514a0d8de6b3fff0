import StintCommands
import StintCore

/// What a command line asks for.
enum BenchCommandLine {
  /// Help for these.
  case help([BenchVerb])
  case version
  case verb(BenchVerb, ParsedOptions)

  /// Reads the words after the program's name.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ arguments: [String], verbs: [BenchVerb]) throws {
    guard let first = arguments.first else {
      let names = verbs.map(\.name)
      throw StintError(
        .usage,
        "Give a verb: \(names.dropLast().joined(separator: ", ")) or \(names.last ?? ""); see "
          + "stint-bench help.")
    }
    switch first {
    case "help", "--help", "-h":
      self = .help(
        try arguments.dropFirst().first.map { [try Self.verb($0, among: verbs)] } ?? verbs)
    case "version", "--version", "-V":
      self = .version
    default:
      let verb = try Self.verb(first, among: verbs)
      let parsed = try OptionScanner.scan(
        Array(arguments.dropFirst()), options: verb.specification.options)
      if parsed.has("help") {
        self = .help([verb])
        return
      }
      if verb.specification.operands == .none, let operand = parsed.operands.first {
        throw StintError(.usage, "\(verb.name) takes no operand; \"\(operand)\" is one.")
      }
      self = .verb(verb, parsed)
    }
  }

  private static func verb(_ word: String, among verbs: [BenchVerb]) throws -> BenchVerb {
    if let verb = verbs.first(where: { $0.name == word }) { return verb }
    let advice =
      NearestName.find(word, among: verbs.map(\.name)).map { " Did you mean \($0)?" } ?? ""
    throw StintError(
      .usage, "Unknown verb \"\(word.prefix(60))\".\(advice) See stint-bench help.")
  }
}

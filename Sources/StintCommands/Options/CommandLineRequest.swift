import StintCore

/// What a whole command line asks for.
package enum CommandLineRequest: Hashable, Sendable {
  /// Explain a verb, or all of them.
  case help(VerbSpecification?)
  /// Show the version.
  case version(json: Bool)
  /// Carry out a verb.
  case verb(VerbSpecification, ParsedOptions)

  /// Reads a command line.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - environment: For options that a variable can give.
  /// - Throws: ``StintError`` with the code `usage`.
  package init(arguments: [String], environment: [String: String]) throws {
    guard let first = arguments.first else {
      throw StintError(.usage, "Say what to do; stint help lists the verbs.")
    }
    if first.hasPrefix("-") {
      self = try Self.topLevel(arguments)
      return
    }
    let words = Array(arguments.dropFirst())
    let verb = VerbTable.form(of: try Self.verb(first), words: words)
    let parsed = try OptionScanner.scan(
      words, options: verb.options, stopsAtOperand: verb.operands == .command,
      environment: environment)
    if parsed.has("help") {
      self = .help(verb)
    } else if verb == VerbTable.help {
      let form = VerbTable.form(named: parsed.operands.joined(separator: " "))
      if form == nil { try Self.checkCount(parsed.operands, atMost: 1, of: "verb") }
      self = .help(try form ?? parsed.operands.first.map { try Self.verb($0) })
    } else if verb == VerbTable.version {
      try Self.checkCount(parsed.operands, atMost: 0, of: "argument")
      self = .version(json: parsed.has("json"))
    } else {
      try Self.check(parsed.operands, of: verb)
      self = .verb(verb, parsed)
    }
  }

  /// `stint --help`, `stint --version`: options before any verb.
  private static func topLevel(_ arguments: [String]) throws -> CommandLineRequest {
    let parsed = try OptionScanner.scan(
      arguments, options: [OptionTable.help, OptionTable.version, OptionTable.json],
      stopsAtOperand: true)
    if parsed.has("help") {
      return .help(try parsed.operands.first.map { try verb($0) })
    }
    if parsed.has("version") {
      try checkCount(parsed.operands, atMost: 0, of: "argument")
      return .version(json: parsed.has("json"))
    }
    throw StintError(.usage, "The verb comes first, for example: stint list --json.")
  }

  private static func verb(_ name: String) throws -> VerbSpecification {
    if let verb = VerbTable.verb(name) { return verb }
    let advice =
      NearestName.find(name, among: VerbTable.all.map(\.name))
      .map { "did you mean \($0)?" } ?? "stint help lists the verbs."
    throw StintError(.usage, "Unknown verb \"\(name.prefix(60))\"; \(advice)")
  }

  private static func check(_ operands: [String], of verb: VerbSpecification) throws {
    switch verb.operands {
    case .none:
      try checkCount(operands, atMost: 0, of: "argument")
    case .one(let name):
      guard operands.first != nil else {
        throw StintError(.usage, "\(name) is missing; write stint \(verb.usage[0]).")
      }
      try checkCount(operands, atMost: 1, of: name)
    case .any:
      break
    case .own, .command:
      return
    }
    if operands.contains("") {
      throw StintError(.usage, "An argument of stint \(verb.name) is empty.")
    }
  }

  private static func checkCount(_ operands: [String], atMost limit: Int, of what: String) throws {
    guard operands.count > limit else { return }
    let extra = operands[limit].prefix(60)
    guard limit > 0 else {
      throw StintError(.usage, "\"\(extra)\" is one \(what) too many; only options go here.")
    }
    throw StintError(
      .usage, "\"\(extra)\" is one \(what) too many; at most \(limit) can be given here.")
  }
}

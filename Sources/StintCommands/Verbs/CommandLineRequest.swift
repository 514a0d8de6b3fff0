import StintCore

/// What a whole command line asks for.
package enum CommandLineRequest: Equatable, Sendable {
  /// Explain a verb, or all of them.
  case help(VerbSpecification?)
  case version(json: Bool)
  case verb(Verb, ParsedOptions)

  /// Reads the words after the program's name, and the options that a variable can give.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package init(
    arguments: [String], environment: [String: String], kinds: KindTable = .stint
  ) throws {
    guard let first = arguments.first else {
      throw StintError(.usage, "Say what to do; stint help lists the verbs.")
    }
    if first.hasPrefix("-") {
      self = try Self.topLevel(arguments, kinds)
      return
    }
    var words = Array(arguments.dropFirst())
    var verb = try Self.verb(first, kinds)
    if verb == .run, let form = kinds.form(ofRun: words) { verb = verb.described(by: form) }
    var lists: [String] = []
    if case .lists = verb.specification.operands,
      let first = words.firstIndex(where: { BatchLists.Beginning(rawValue: $0) != nil })
    {
      lists = Array(words[first...])
      words.removeSubrange(first...)
    }
    var parsed = try OptionScanner.scan(
      words, options: verb.specification.options,
      stopsAtOperand: verb.specification.operands == .command, checksOperands: false,
      environment: environment)
    for value in lists { try OptionScanner.checkText(value, of: "The value") }
    parsed.lists = lists
    // An input of a set fails by itself.
    if verb.specification.operands != .command, !parsed.has(ImageOptionTable.folder.name) {
      for operand in parsed.operands { try OptionScanner.checkText(operand, of: "The argument") }
    }
    if parsed.has("help") {
      self = .help(verb.specification)
    } else {
      try Self.check(parsed.operands, of: verb.specification)
      self = .verb(verb, parsed)
    }
  }

  /// What `stint help` is to explain; nil is all verbs.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package static func subject(
    ofHelp operands: [String], kinds: KindTable = .stint
  ) throws -> VerbSpecification? {
    let name = operands.joined(separator: " ")
    if let form = kinds.formsOfRun.first(where: { $0.hasPage && $0.specification.name == name }) {
      return form.specification
    }
    try checkCount(operands, atMost: 1, of: "verb")
    return try operands.first.map { try verb($0, kinds).specification }
  }

  /// `stint --help`, `stint --version`: options before any verb.
  private static func topLevel(_ arguments: [String], _ kinds: KindTable) throws -> Self {
    let parsed = try OptionScanner.scan(
      arguments, options: [OptionTable.help, OptionTable.version, OptionTable.json],
      stopsAtOperand: true)
    if parsed.has("help") {
      return .help(try parsed.operands.first.map { try verb($0, kinds).specification })
    }
    if parsed.has("version") {
      try checkCount(parsed.operands, atMost: 0, of: "argument")
      return .version(json: parsed.has("json"))
    }
    throw StintError(.usage, "The verb comes first, for example: stint list --json.")
  }

  private static func verb(_ name: String, _ kinds: KindTable) throws -> Verb {
    if let verb = VerbTable.verb(name) {
      return verb == .run ? verb.described(by: kinds.pageOfRun) : verb
    }
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
    case .lists(let name):
      try checkCount(operands, atMost: 1, of: name)
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

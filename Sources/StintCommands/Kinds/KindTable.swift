import StintCore

/// All kinds that a program knows.
package struct KindTable: Sendable {
  /// The kinds of `stint`.
  package static let stint = KindTable([
    .fibonacci, .fibonacciSequence, .image, .imageSet, .exec, .batch, .chain, .chainArray,
  ])

  private let kinds: [Kind]
  /// What a line of a batch may begin with.
  let forms: [KindForm]
  /// What may follow `stint run`.
  let formsOfRun: [KindForm]

  package init(_ kinds: [Kind]) {
    self.kinds = kinds
    forms = kinds.compactMap(\.form).unique(by: \.word)
    formsOfRun = forms.filter { $0.verb == .run }
  }

  /// The same table with other descriptions of some kinds, and with those that it lacks.
  package func with(_ others: [Kind]) -> KindTable {
    let known = Set(kinds.map(\.name))
    return KindTable(
      kinds.map { kind in others.first { $0.name == kind.name } ?? kind }
        + others.filter { !known.contains($0.name) })
  }

  /// The programs that do the work of some kinds, each once.
  var programs: [HelperProgram] {
    kinds.compactMap { if case .program(let program) = $0.runner { program } else { nil } }
      .unique(by: \.name)
  }

  /// The kind with this name; for an unknown name, a placeholder kind.
  subscript(name: String) -> Kind {
    kinds.first { $0.name == name } ?? .unknown(name)
  }

  /// What the kinds are called.
  var names: [String] { kinds.map(\.name) }

  /// The form that the words after `run` ask for; nil for that of `run` itself.
  func form(ofRun words: [String]) -> VerbSpecification? {
    let all = formsOfRun.flatMap(\.specification.options).unique(by: \.name)
    // Errors in the words are reported later, by the form that reads them with its own options.
    let word = try? OptionScanner.scan(words, options: all, stopsAtOperand: true).operands.first
    return formsOfRun.first { $0.word == word && $0.hasPage }?.specification
  }

  /// The kind that a command line of `stint run` asks for.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func kind(
    askedForBy parsed: ParsedOptions, in surroundings: Surroundings
  ) throws(StintError) -> Kind {
    let words = formsOfRun.map(\.word)
    guard let word = parsed.operands.first else {
      let example = formsOfRun.first?.specification.examples.first.map {
        ", for example: \($0.command)"
      }
      throw StintError(.usage, "Say what to compute\(example ?? "").")
    }
    let named = kinds.filter { $0.form?.word == word && words.contains(word) }
    guard
      let kind = named.first(where: { $0.option.map(parsed.has) ?? false })
        ?? named.first(where: { $0.option == nil })
    else {
      if ProgramSearch().finds(word, in: surroundings) {
        throw StintError(
          .usage,
          "\"\(word.prefix(60))\" is a program and not a computation; write stint exec -- "
            + "\(word.prefix(60)) ...")
      }
      throw StintError(
        .usage,
        "\"\(word.prefix(60))\" is not a computation; \(words.joined(separator: " and ")) "
          + "\(words.count == 1 ? "is" : "are").\(Self.advice(word, words))")
    }
    return kind
  }

  /// Why a line of a batch cannot begin with a word.
  func refusal(ofLine word: String) -> StintError {
    let words = forms.map(\.word)
    return StintError(
      .usage,
      "\"\(word.prefix(60))\" is neither a job that a batch can run (\(words.joined(separator: ", "))) "
        + "nor a program that can be found; what a shell has to run needs --shell."
        + Self.advice(word, words))
  }

  private static func advice(_ word: String, _ words: [String]) -> String {
    NearestName.find(word, among: words).map { " Did you mean \($0)?" } ?? ""
  }
}

extension Array {
  /// The first element with each name, in order.
  fileprivate func unique(by name: (Element) -> String) -> [Element] {
    var names: Set<String> = []
    return filter { names.insert(name($0)).inserted }
  }
}

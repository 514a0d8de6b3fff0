import StintCore

/// What stood on a command line: options by name and operands in order.
package struct ParsedOptions: Hashable, Sendable {
  /// An option's argument and where it came from.
  package struct Value: Hashable, Sendable {
    /// The argument; empty for a flag.
    package var text: String
    /// The option or the environment variable, for messages.
    package var source: String
  }

  /// What is not an option, in order.
  package var operands: [String] = []
  /// Lists of values, each behind the word that began it.
  package var lists: [String] = []

  private var given: [String: Value] = [:]
  private var repeated: [String: [String]] = [:]
  private let known: Set<String>

  /// Creates the empty command line of a verb; variables of the environment stand in for options
  /// that are not given.
  package init(specifications: [OptionSpecification], environment: [String: String] = [:]) {
    known = Set(specifications.map(\.name))
    for option in specifications {
      // An empty variable counts as not set, as it does for XDG's variables.
      guard let variable = option.environment, let text = environment[variable], !text.isEmpty
      else { continue }
      given[option.name] = Value(text: text, source: "$" + variable)
    }
  }

  /// Takes up an option that was found.
  ///
  /// An option given twice with two values is refused rather than decided by its place: a script
  /// that appends its own budget to somebody else's should hear of it.
  package mutating func note(_ option: OptionSpecification, text: String?) throws {
    let value = Value(text: text ?? "", source: option.spelling)
    if option.argument != nil, text?.isEmpty ?? !option.isArgumentOptional {
      throw StintError(.usage, "\(option.spelling) is empty; write \(option.usage).")
    }
    if option.isRepeatable { repeated[option.name, default: []].append(value.text) }
    if !option.isRepeatable, let before = given[option.name], before.source == value.source,
      !before.text.utf8.elementsEqual(value.text.utf8)
    {
      throw StintError(
        .usage,
        "\(option.spelling) is given twice, as \"\(before.text)\" and \"\(value.text)\"; give it once."
      )
    }
    given[option.name] = value
  }

  /// Whether a flag, or an option with any argument, was given.
  package func has(_ name: String) -> Bool {
    value(name) != nil
  }

  /// Whether the command line itself gives an option, and not a variable of the environment.
  package func gives(_ option: OptionSpecification) -> Bool {
    value(option.name)?.source == option.spelling
  }

  /// An option's argument.
  package func value(_ name: String) -> Value? {
    given[name]
  }

  /// The arguments of an option that may be given more than once, in order.
  package func texts(_ name: String) -> [String] {
    repeated[name] ?? []
  }

  /// Whether the verb has such an option at all.
  package func knows(_ name: String) -> Bool {
    known.contains(name)
  }
}

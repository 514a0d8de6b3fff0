/// One option of the command line, as the tables describe it.
package struct OptionSpecification: Hashable, Sendable {
  /// The heading under which help shows an option.
  package enum Group: String, Hashable, Sendable, CaseIterable {
    case work = "Work"
    case time = "Time"
    case saving = "Saving"
    case output = "Output"
    case display = "Display"
    case jobs = "Jobs"
    case general = "General"
  }

  /// The name without its two hyphens.
  package var name: String
  /// The letter of the short form.
  package var letter: Character?
  /// What help calls the argument, or nil for a flag.
  package var argument: String?
  /// Whether the argument may be left out; it is written after an equals sign then.
  package var isArgumentOptional: Bool
  /// What the option does, as a sentence without its full stop.
  package var help: String
  /// The environment variable that is read when the option is not given.
  package var environment: String?
  /// The heading under which help shows it.
  package var group: Group
  /// Whether it may be given more than once, each time with another argument.
  package var isRepeatable: Bool

  package init(
    _ name: String, letter: Character? = nil, argument: String? = nil, environment: String? = nil,
    group: Group, isRepeatable: Bool = false, isArgumentOptional: Bool = false, help: String
  ) {
    precondition(letter?.isASCII ?? true, "getopt knows only ASCII letters")
    self.name = name
    self.letter = letter
    self.argument = argument
    self.environment = environment
    self.group = group
    self.isRepeatable = isRepeatable
    self.isArgumentOptional = isArgumentOptional
    self.help = help
  }

  /// The option as a user writes it.
  package var spelling: String { "--" + name }

  /// The option and its argument, as help and messages show them.
  package var usage: String {
    spelling + (argument.map { isArgumentOptional ? "[=\($0)]" : " " + $0 } ?? "")
  }
}

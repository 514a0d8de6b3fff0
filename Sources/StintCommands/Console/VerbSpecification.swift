/// A verb of the command line, as the tables describe it.
package struct VerbSpecification: Hashable, Sendable {
  /// A command line worth copying and what it does.
  package struct Example: Hashable, Sendable {
    package var command: String
    package var meaning: String

    package init(command: String, meaning: String) {
      self.command = command
      self.meaning = meaning
    }
  }

  /// How many operands a verb takes.
  package enum Operands: Hashable, Sendable {
    case none
    /// Exactly one, which help calls by this name.
    case one(String)
    /// Any number, which help calls by this name.
    case any(String)
    /// At most one, which help calls by this name, and lists of values behind it.
    case lists(String)
    /// The verb counts them itself.
    case own
    /// A command with its own options: nothing after its first word is the verb's.
    case command
  }

  package var name: String
  /// One line, without a full stop.
  package var summary: String
  /// What follows `stint`, one line for each form.
  package var usage: [String]
  package var operands: Operands
  package var options: [OptionSpecification]
  package var examples: [Example]
  /// The exit statuses that a script should know.
  package var exitStatuses: [ExitStatusHelp]

  package init(
    _ name: String, summary: String, usage: [String], operands: Operands,
    options: [OptionSpecification], examples: [Example] = [],
    exitStatuses: [ExitStatusHelp] = [.done, .usage]
  ) {
    self.name = name
    self.summary = summary
    self.usage = usage
    self.operands = operands
    self.options = options + [OptionTable.help]
    self.examples = examples
    self.exitStatuses = exitStatuses
  }
}

/// An exit status as help explains it.
package struct ExitStatusHelp: Hashable, Sendable {
  package var status: String
  package var meaning: String

  package init(status: String, meaning: String) {
    self.status = status
    self.meaning = meaning
  }

  package static let done = ExitStatusHelp(status: "0", meaning: "done")
  static let finished = ExitStatusHelp(status: "0", meaning: "finished; the result is on disk")
  static let unfinished = ExitStatusHelp(
    status: "75", meaning: "unfinished and saved; run the same command again to continue")
  package static let usage = ExitStatusHelp(status: "64", meaning: "the command line is wrong")
  static let damaged = ExitStatusHelp(
    status: "65", meaning: "the input or all checkpoints are damaged")
  package static let unavailable = ExitStatusHelp(
    status: "69", meaning: "something needed is missing, the job is in use, or it makes no progress"
  )
  package static let checkFailed = ExitStatusHelp(
    status: "70", meaning: "internal check failed; please report it")
  static let cannotCreate = ExitStatusHelp(status: "73", meaning: "the output cannot be created")
  static let io = ExitStatusHelp(status: "74", meaning: "reading or writing failed")
  static let signal = ExitStatusHelp(status: "128+n", meaning: "ended by signal n")

  /// What every run of a job may exit with.
  static let ofRun = [
    finished, unfinished, usage, damaged, unavailable, checkFailed, cannotCreate, io, signal,
  ]
}

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

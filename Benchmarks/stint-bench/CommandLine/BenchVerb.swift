import StintCommands

/// A verb of the program: what it takes, and what it does.
struct BenchVerb: Sendable {
  /// The program's name, as help and messages write it.
  static let program = "stint-bench"
  /// The exit status of a gate that is missed.
  static let missed: Int32 = 1

  let specification: VerbSpecification
  /// Does what a command line asks for, and returns the exit status.
  let run: @Sendable (ParsedOptions) throws -> Int32

  var name: String { specification.name }
  var help: String { HelpText.render(specification, program: Self.program, width: 80) }
}

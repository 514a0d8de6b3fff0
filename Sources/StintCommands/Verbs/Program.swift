import Glibc
package import StintCore
import StintRuntime

/// A program of the command line: `stint`, or one that does the work of some kinds for it.
package struct Program: Sendable {
  /// What can be run, and by whom.
  package let kinds: KindTable
  /// What `--version` prints.
  let version: @Sendable (_ json: Bool) -> String

  package init(kinds: KindTable, version: @escaping @Sendable (_ json: Bool) -> String) {
    (self.kinds, self.version) = (kinds, version)
  }

  /// Reads the command line of this process and carries it out; the process ends here.
  ///
  /// - Parameters:
  ///   - launchedAt: The boot-time clock at the first instruction of `main`.
  ///   - arguments: The words after the program's name.
  ///   - program: Makes the program; not called for `stint exec`, whose start has to be quick.
  package static func main(
    since launchedAt: Instant, arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    _ program: () -> Program
  ) -> Never {
    // It takes its signals another way, and its users count its milliseconds.
    Launch.perform(
      since: launchedAt, arguments: arguments,
      early: ExecProgram.isAskedFor ? { ExecProgram.main(launchedAt: launchedAt) } : nil
    ) { launch in try program().carryOut(launch) }
  }

  private func carryOut(_ launch: Launch) throws {
    let request = try CommandLineRequest(
      arguments: launch.arguments, environment: launch.start.environment, kinds: kinds)
    switch request {
    case .help(let verb):
      try show(helpOf: verb, launch)
    case .version(let json):
      try StandardOutput().write(version(json))
    case .verb(let verb, let parsed):
      try verb.run(Verb.Invocation(parsed: parsed, launch: launch, program: self))
    }
  }

  /// Writes the help of a verb, or of all.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func show(helpOf verb: VerbSpecification?, _ launch: Launch) throws {
    let terminal = TerminalState.current(
      descriptor: STDOUT_FILENO, environment: launch.start.environment)
    try StandardOutput().write(
      verb.map { HelpText.render($0, width: terminal.columns) }
        ?? HelpText.renderOverview(width: terminal.columns))
  }
}

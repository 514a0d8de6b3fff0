import Glibc
import StintCore
import StintRuntime

/// `stint exec`: from the first instruction to the end of the process, with no thread that is not
/// needed.
enum ExecProgram {
  static let verb = "exec"

  /// Whether the command line of this process asks for it.
  static var isAskedFor: Bool {
    CommandLine.argc > 1 && CommandLine.unsafeArgv[1].map { strcmp($0, verb) == 0 } ?? false
  }

  /// Reads the command line and carries it out; the process ends here.
  static func main(launchedAt: Instant) -> Never {
    ProgramFile.nameProcess()
    do {
      let words = Environment.words()
      let environment = Environment.current()
      let parsed = try OptionScanner.scan(
        words.dropFirst(2).map { String(decoding: $0, as: UTF8.self) },
        options: ExecOptionTable.all + [OptionTable.help], stopsAtOperand: true,
        environment: environment)
      if parsed.has("help") { try help(environment) }
      let options = try ExecOptions(
        parsed, words: words,
        in: Surroundings(
          environment: environment, workingDirectory: Environment.workingDirectory(),
          wallTime: .now()))
      // Before there is any thread.
      let signals = try SignalDescriptor()
      let session = try ExecSession(options, launchedAt: launchedAt, environment: environment)
      try session.run(signals: signals).leave(unfinished: options.rules.unfinishedStatus)
    } catch {
      let error = StintError(wrapping: error, while: "starting the command")
      complain(error)
      _exit(status(of: error))
    }
  }

  /// The exit status of an error, by the rules of `timeout` where those know one.
  static func status(of error: StintError) -> Int32 {
    switch error.code {
    case .usage, .unavailable: SupervisorExit.cannotSupervise
    case _: ExitStatus.of(error)
    }
  }

  private static func help(_ environment: [String: String]) throws -> Never {
    let width = TerminalState.current(descriptor: STDOUT_FILENO, environment: environment).columns
    try StandardOutput().write(HelpText.render(.exec, width: width))
    _exit(ExitStatus.finished)
  }
}

import Glibc
import Stint
import StintCore

/// The program `stint`.
public enum StintProgram {
  /// The version of the product.
  public static let version = "0.1.0"

  /// Reads the command line and carries it out; the process ends here.
  public static func main() -> Never {
    let launchedAt = BootClock.now
    StandardDescriptors.fill()
    do {
      // Before there is any thread.
      try ProcessOne.leave()
      // It takes its signals another way, and its users count its milliseconds.
      if CommandLine.arguments.dropFirst().first == VerbTable.exec.name {
        ExecProgram.main(launchedAt: launchedAt)
      }
      let invitation = RemoteInvitation.find()
      let signals = SignalWatch()
      let environment = Environment.current()
      let request = try CommandLineRequest(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: environment)
      let start = RunStart(
        launchedAt: launchedAt, environment: environment, signals: signals, invitation: invitation)
      try carryOut(request, start: start)
      exit(ExitStatus.finished)
    } catch {
      let error = StintError(wrapping: error, while: "reading the command line")
      if error.errno == EPIPE { SignalWatch.die(of: SIGPIPE) }
      writeToStandardError("stint: \(Sentence.of(error.message))\n")
      exit(ExitStatus.of(error))
    }
  }

  private static func carryOut(
    _ request: CommandLineRequest, start: RunStart
  ) throws {
    let environment = start.environment
    switch request {
    case .help(let verb):
      let width = TerminalState.current(descriptor: STDOUT_FILENO, environment: environment).columns
      try StandardOutput().write(
        verb.map { HelpText.render($0, width: width) } ?? HelpText.renderOverview(width: width))
    case .version(let json):
      try StandardOutput().write(VersionText.render(json: json))
    case .verb(let verb, let parsed):
      let surroundings = Surroundings(
        environment: environment, workingDirectory: Environment.workingDirectory(),
        wallTime: .now())
      if verb.name == "run" {
        try RunCommand(options: RunOptions(parsed, in: surroundings), start: start).run()
      }
      if verb.name == "batch" {
        try BatchCommand(
          options: BatchOptions(parsed, in: surroundings), surroundings: surroundings,
          launchedAt: start.launchedAt, signals: start.signals
        ).run()
      }
      let context = try VerbContext(parsed, in: surroundings)
      if verb.name == "resume" {
        switch try ResumeCommand(context: context).next() {
        case .done(let result): try end(with: result)
        case .run(let options):
          try RunCommand(options: options, start: start).run()
        }
      }
      SignalWatch.restoreDefaults()
      try end(with: result(of: verb, context))
    }
  }

  /// Carries out a verb that shows something or acts on somebody else's process.
  private static func result(
    of verb: VerbSpecification, _ context: VerbContext
  ) throws -> VerbResult {
    switch verb.name {
    case "list": try ListCommand(context: context).run()
    case "status": try StatusCommand(context: context).run()
    case "watch": try WatchCommand(context: context, output: StandardOutput()).run()
    case "pause": try PauseCommand(context: context).run()
    case "stop": try StopCommand(context: context).run()
    case "verify": try VerifyCommand(context: context).run()
    case "clean": try CleanCommand(context: context).run()
    case "doctor": try DoctorCommand(context: context).run()
    case _: throw StintError(.usage, "stint \(verb.name) cannot be carried out.")
    }
  }

  private static func end(with result: VerbResult) throws -> Never {
    try StandardOutput().write(result.output)
    for message in result.messages { writeToStandardError("stint: \(Sentence.of(message))\n") }
    exit(result.exitStatus)
  }
}

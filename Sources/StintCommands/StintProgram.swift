import Glibc
import StintCore
import StintRuntime

/// The program `stint`.
public enum StintProgram {
  /// The version of the product.
  public static let version = "0.1.0"

  /// Reads the command line and carries it out; the process ends here.
  public static func main() -> Never {
    let launchedAt = BootClock.now
    // It takes its signals another way, and its users count its milliseconds.
    Launch.perform(
      since: launchedAt,
      early: ExecProgram.isAskedFor ? { ExecProgram.main(launchedAt: launchedAt) } : nil
    ) { request, launch in try carryOut(request, launch) }
  }

  private static func carryOut(_ request: CommandLineRequest, _ launch: Launch) throws {
    switch request {
    case .help(let verb):
      try show(helpOf: verb, launch)
    case .version(let json):
      try StandardOutput().write(VersionText.render(json: json))
    case .verb(let verb, let parsed):
      switch verb.name {
      case VerbTable.run.name:
        try launch.runner(RunOptions(parsed, in: launch.surroundings)).run(FibonacciWork(parsed))
      case VerbTable.runImage.name:
        try ImagesProgram.become(launch)
      case VerbTable.batch.name:
        try BatchCommand(
          options: BatchOptions(parsed, in: launch.surroundings),
          surroundings: launch.surroundings, launchedAt: launch.start.launchedAt,
          signals: launch.start.signals
        ).run()
      case VerbTable.resume.name:
        try resume(VerbContext(parsed, in: launch.surroundings), launch)
      case _:
        let context = try VerbContext(parsed, in: launch.surroundings)
        SignalWatch.restoreDefaults()
        try end(with: result(of: verb, context))
      }
    }
  }

  private static func resume(_ context: VerbContext, _ launch: Launch) throws -> Never {
    switch try ResumeCommand(context: context).next() {
    case .done(let result):
      SignalWatch.restoreDefaults()
      try end(with: result)
    case .run(let record, _) where VerbTable.imageKinds.contains(record.kind):
      try ImagesProgram.become(launch)
    case .run(let record, let options):
      try launch.runner(options).run(FibonacciWork(record))
    }
  }

  /// Writes the help of a verb, or of all.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package static func show(helpOf verb: VerbSpecification?, _ launch: Launch) throws {
    let terminal = TerminalState.current(
      descriptor: STDOUT_FILENO, environment: launch.start.environment)
    try StandardOutput().write(
      verb.map { HelpText.render($0, width: terminal.columns) }
        ?? HelpText.renderOverview(width: terminal.columns))
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
    case "report": try ReportCommand(context: context).run()
    case "clean": try CleanCommand(context: context).run()
    case "doctor": try DoctorCommand(context: context).run()
    case _: throw StintError(.usage, "stint \(verb.name) cannot be carried out.")
    }
  }

  package static func end(with result: VerbResult) throws -> Never {
    try StandardOutput().write(result.output)
    for message in result.messages { writeToStandardError("stint: \(Sentence.of(message))\n") }
    exit(result.exitStatus)
  }
}

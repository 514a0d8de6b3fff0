import Glibc
import Stint
package import StintCore

/// How this process came to be: what every verb is carried out with.
package struct Launch: Sendable {
  /// When the trip's clock started: the first instruction of the program that the user started.
  package let launchedAt: Instant
  /// The words after the program's name.
  package let arguments: [String]
  /// The environment, without what one of our programs told the next.
  package let environment: [String: String]
  /// The signals, blocked before there was any thread.
  package let signals: SignalWatch

  /// Environment, directory and wall clock, for the parsers.
  package var surroundings: Surroundings {
    Surroundings(
      environment: environment, workingDirectory: Environment.workingDirectory(),
      wallTime: .now())
  }

  /// The runner of jobs that were asked for with these options.
  package func runner(_ options: RunOptions) -> RunCommand {
    RunCommand(
      options: options, launchedAt: launchedAt, environment: environment, signals: signals)
  }

  /// Reads the command line of a program and carries it out; the process ends here.
  ///
  /// It has to be called by the first instruction of `main`.
  ///
  /// - Parameter body: Carries out a request; returning, it has finished.
  package static func perform(
    _ body: (CommandLineRequest, Launch) throws -> Void
  ) -> Never {
    let now = BootClock.now
    StandardDescriptors.fill()
    do {
      // Before there is any thread.
      try ProcessOne.leave()
      let signals = SignalWatch()
      let launchedAt = LaunchTime.taken(now: now) ?? now
      let environment = Environment.current()
      let arguments = Array(CommandLine.arguments.dropFirst())
      let launch = Launch(
        launchedAt: launchedAt, arguments: arguments, environment: environment, signals: signals)
      try body(CommandLineRequest(arguments: arguments, environment: environment), launch)
      exit(ExitStatus.finished)
    } catch {
      let error = StintError(wrapping: error, while: "reading the command line")
      if error.errno == EPIPE { SignalWatch.die(of: SIGPIPE) }
      writeToStandardError("stint: \(Sentence.of(error.message))\n")
      exit(ExitStatus.of(error))
    }
  }
}

import Glibc
package import StintCore
import StintRuntime

/// How this process came to be: what every verb is carried out with.
package struct Launch: Sendable {
  /// What the process has from its first moments.
  package let start: RunStart
  /// The words after the program's name.
  package let arguments: [String]

  /// Environment, directory and wall clock, for the parsers.
  package var surroundings: Surroundings {
    Surroundings(
      environment: start.environment, workingDirectory: Environment.workingDirectory(),
      wallTime: .now(), isGrantedTime: start.invitation != nil)
  }

  /// Reads the command line of a program and carries it out; the process ends here.
  ///
  /// - Parameters:
  ///   - now: The boot-time clock at the first instruction of `main`.
  ///   - arguments: The words after the program's name.
  ///   - early: Called before there is anything that threads or signals need, and only then; nil
  ///     for nothing.
  ///   - body: Reads and carries out the words; returning, it has finished.
  package static func perform(
    since now: Instant, arguments: [String], early: (() -> Never)? = nil,
    _ body: (Launch) throws -> Void
  ) -> Never {
    fillStandardDescriptors()
    let isExec = early != nil
    SerialThread.whenRefused { error in
      let status = isExec ? SupervisorExit.cannotSupervise : ExitStatus.of(error)
      complain(error)
      _exit(status)
    }
    do {
      // Without a descriptor not even the words of the command line can be read.
      try OpenFiles.check(needed: 1)
      // Before there is any thread.
      try ProcessOne.leave()
      ProgramFile.nameProcess()
      AddressSpace.begin()
      ChainTie.take()
      HelperProgram.takeHandedOn()
      if let early { early() }
      try AddressSpace.check(threads: AddressSpace.threadsOfAny)
      let invitation = RemoteInvitation.find()
      let signals = SignalWatch()
      let launchedAt = LaunchTime.taken(now: now) ?? now
      let environment = Environment.current()
      let start = RunStart(
        launchedAt: launchedAt, environment: environment, signals: signals, invitation: invitation)
      try body(Launch(start: start, arguments: arguments))
      exit(ExitStatus.finished)
    } catch {
      let error = StintError(wrapping: error, while: "reading the command line")
      if error.errno == EPIPE { SignalWatch.die(of: SIGPIPE) }
      complain(error)
      exit(ExitStatus.of(error))
    }
  }

  /// Keeps descriptors 0, 1 and 2 from being taken by files that are opened later.
  ///
  /// A checkpoint that got descriptor 2 would have messages written into it. A result that was to
  /// go to a closed standard output must fail, so that one is filled with something that cannot be
  /// written.
  private static func fillStandardDescriptors() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is the one that is missing.
      _ = open("/dev/null", mode)
    }
  }
}

package import StintCore
import StintRuntime

extension Launch {
  /// The runner of jobs that were asked for with these options.
  package func runner(_ options: RunOptions) -> RunCommand {
    RunCommand(options: options, start: start)
  }

  /// The runner of a job whose first trip is not the process's first.
  ///
  /// - Parameters:
  ///   - options: What the command line says.
  ///   - began: When the trip began.
  /// - Returns: The runner.
  package func runner(_ options: RunOptions, tripBegan began: Instant) -> RunCommand {
    RunCommand(options: options, start: start.tripBegan(at: began))
  }
}

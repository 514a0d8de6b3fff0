package import StintCore
import StintRuntime

extension Launch {
  /// The runner of jobs that were asked for with these options; when their first trip began, if
  /// that is not the process's first.
  package func runner(_ options: RunOptions, tripBegan began: Instant? = nil) -> RunCommand {
    RunCommand(options: options, start: began.map(start.tripBegan(at:)) ?? start)
  }
}

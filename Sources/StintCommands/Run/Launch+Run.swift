package import StintCore
import StintRuntime

extension Launch {
  /// The runner of jobs that were asked for with these options; when their first trip began, if
  /// that is not the process's first.
  package func runner(_ options: RunOptions, tripBegan began: Instant? = nil) -> RunCommand {
    RunCommand(options: options, start: began.map(start.tripBegan(at:)) ?? start)
  }
}

extension RunStart {
  /// Lets a run that still opens its files end with its first trip, and the time for last words.
  package func limitOpening(_ options: RunOptions) {
    // A supervisor ends it where there is one.
    guard invitation == nil, let (grant, _) = options.time.grant(since: launchedAt) else { return }
    LastMoment.set(
      afterTripUntil: launchedAt.advanced(by: grant), lastWords: options.time.stopGrace)
  }
}

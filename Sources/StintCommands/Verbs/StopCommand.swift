import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let stop = Verb(
    showing: VerbSpecification(
      "stop", summary: "Stop a running job after its next checkpoint",
      usage: ["stop JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.now, OptionTable.jobsDirectory],
      exitStatuses: [.done, .usage, .damaged, .unavailable, .io])
  ) { try StopCommand(context: $0).run() }
}

/// `stint stop JOB`: asks the process that works on a job to save and end.
struct StopCommand {
  /// How long a process may take to save and end, beyond the usual stop grace.
  static let patience = Duration.seconds(10)

  let context: VerbContext

  func run() throws -> VerbResult {
    switch try context.target() {
    case .job(let key): return try stop(key)
    case .whole(let key):
      var result = VerbResult()
      for key in try context.whole(key).parts.compactMap(\.key) {
        let stopped = try stop(key)
        result.output += stopped.output
        result.messages += stopped.messages
      }
      return result
    }
  }

  private func stop(_ key: String) throws -> VerbResult {
    let view = context.view(of: key)
    try context.refuseUnreadable(view, to: "stopped")
    if let chain = ChainView(of: key, in: context.catalog), chain.record.state != .ended {
      return try stop(chain)
    }
    guard view.summary.isRunning else {
      let how = view.state == .finished ? "is finished" : "is not running"
      return VerbResult(output: "Nothing to stop: \(key) \(how).\n")
    }
    try context.catalog.set(.stop, to: true, for: key)
    // The worker that waits for this file's end looks for the stop file first.
    if view.summary.markers.contains(.pause) {
      try context.catalog.set(.pause, to: false, for: key)
    }
    guard context.parsed.has("now") || view.isStopped else {
      let when = view.state == .paused ? "; it is saved" : " after its next checkpoint"
      return VerbResult(output: "\(key) stops\(when).\n")
    }
    let process = try context.process(of: view)
    try process.send(SIGTERM)
    // A stopped process has saved already, and takes the signal when it is continued.
    if view.isStopped { try process.send(SIGCONT) }
    switch process.wait(atMost: Self.patience, until: { false }) {
    case .ended, .met:
      let percent = ReportText.percent(context.view(of: key).fraction ?? 0).drop { $0 == " " }
      return VerbResult(output: "Stopped \(key): \(percent) is done and saved.\n")
    case .timedOut:
      throw StintError(
        .unavailable,
        "Process \(process.pid) was told to stop \(key) and is still saving after "
          + "\(Self.patience.compactText); stint status \(key) shows when it has ended.")
    }
  }

  /// Ends a chain: that is written down before Slurm is told, so that no slice begins even if it
  /// cannot be told.
  private func stop(_ chain: ChainView) throws -> VerbResult {
    try context.catalog.set(.stop, to: true, for: chain.key)
    var result = VerbResult()
    let queue = Slurm(environment: context.surroundings.environment)
    if let array = chain.record.array, let failure = queue.cancelPending(array) {
      result.messages.append(
        "Slurm could not be told: \(failure). Slices that are still queued will do nothing.")
    }
    let isRunning = context.catalog.summary(of: chain.key).isRunning
    result.output =
      isRunning
      ? "\(chain.key) stops: the slice that is running saves, and no other one follows.\n"
      : "Stopped \(chain.key): no other slice follows.\n"
    return result
  }
}

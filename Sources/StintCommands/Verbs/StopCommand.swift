import Glibc
import StintCore
import StintRuntime

extension Verb {
  /// `stint stop`.
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
    let key = try context.key()
    let view = context.view(of: key)
    try context.refuseUnreadable(view, to: "stopped")
    guard view.summary.isRunning else {
      let how = view.state == .finished ? "it is finished" : "nobody works on it"
      return VerbResult(output: "\(key) need not be stopped: \(how).\n")
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
        "Process \(process.pid) was told to stop \(key) and still saves after "
          + "\(Self.patience.compactText); stint status \(key) shows when it has ended.")
    }
  }
}

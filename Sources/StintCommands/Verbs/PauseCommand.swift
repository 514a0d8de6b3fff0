import Glibc
import Stint
import StintCore

/// `stint pause JOB`: lets the process that works on a job save and stop, as Ctrl-Z does.
struct PauseCommand {
  /// How long a process may take to save and stop.
  static let patience = Duration.seconds(10)

  let context: VerbContext

  func run() throws -> VerbResult {
    let key = try context.key()
    let view = context.view(of: key)
    try context.refuseUnreadable(view, to: "paused")
    guard view.summary.isRunning else {
      throw StintError(.unavailable, "Nobody works on \(key), so there is nothing to pause.")
    }
    let process = try context.process(of: view)
    if process.isStopped {
      return VerbResult(output: "\(key) is paused already (process \(process.pid)).\n")
    }
    guard !process.ignores(SIGTSTP) else {
      throw StintError(
        .unavailable,
        "Process \(process.pid) was started with SIGTSTP ignored and cannot be paused; stint stop "
          + "\(key) saves and ends it.")
    }
    try process.send(SIGTSTP)
    switch process.wait(atMost: Self.patience, until: { process.isStopped }) {
    case .met:
      return VerbResult(
        output: "Paused \(key): process \(process.pid) has saved and is stopped. "
          + "stint resume \(key) goes on.\n")
    case .ended:
      return try ended(key, process.pid)
    case .timedOut:
      throw StintError(
        .unavailable,
        "Process \(process.pid) was asked to pause \(key) and is still busy after "
          + "\(Self.patience.compactText); stint status \(key) shows when it has stopped.")
    }
  }

  private func ended(_ key: String, _ pid: Int32) throws -> VerbResult {
    guard context.view(of: key).summary.isFinished else {
      throw StintError(
        .unavailable, "Process \(pid) ended instead of pausing; stint status \(key) shows why.")
    }
    return VerbResult(output: "\(key) finished meanwhile.\n")
  }
}

import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let pause = Verb(
    showing: VerbSpecification(
      "pause", summary: "Save a running job and pause its process",
      usage: ["pause JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.jobsDirectory],
      exitStatuses: [.done, .usage, .damaged, .unavailable, .io])
  ) { try PauseCommand(context: $0).run() }
}

/// `stint pause JOB`: lets the process that works on a job save and wait.
///
/// Where a signal reaches the process it is stopped, as Ctrl-Z does. On another machine, in another
/// container, or where SIGTSTP is ignored, the pause file asks for it. Commands and batches do not
/// know that file.
struct PauseCommand {
  /// How long a process may take to save and stop.
  static let patience = Duration.seconds(10)

  let context: VerbContext
  var patience = Self.patience

  func run() throws -> VerbResult {
    if let id = try context.plainRequest() { return try pause(request: id) }
    let named = try context.key()
    if let result = try pauseRequest(ofChain: named) { return result }
    let key = try context.workKey(of: named)
    let view = context.view(of: key)
    try context.refuseUnreadable(view, to: "paused")
    guard view.summary.isRunning else {
      throw StintError(.unavailable, "Nobody works on \(key), so there is nothing to pause.")
    }
    if view.state == .paused {
      return VerbResult(output: "\(key) is paused already\(holder(view)).\n")
    }
    let reached = context.reachableProcess(of: view)
    guard let process = reached, !process.ignores(SIGTSTP) else {
      // A command and a batch stand still by the signal alone.
      guard view.kind.runner.isResumed else {
        throw StintError(
          .unavailable,
          "\(key)\(holder(view)), can only be paused by a signal, and "
            + (reached == nil
              ? "none reaches it from here; run stint pause where its process runs."
              : "its process ignores that one (SIGTSTP)."))
      }
      return try leaveFile(view)
    }
    try process.send(SIGTSTP)
    switch process.wait(atMost: patience, until: { process.isStopped }) {
    case .met:
      return VerbResult(
        output: "Paused \(key): process \(process.pid) has saved and is stopped. "
          + "stint resume \(key) goes on.\n")
    case .ended:
      return try ended(key, "Process \(process.pid)")
    case .timedOut:
      throw StintError(
        .unavailable,
        "Process \(process.pid) was asked to pause \(key) and is still busy after "
          + "\(patience.compactText); stint status \(key) shows when it has stopped.")
    }
  }

  /// Lets a request that is no chain's save and end, and not begin until it is resumed.
  private func pause(request id: String) throws -> VerbResult {
    guard let request = try context.queue.read(id), !request.standing.isOver else {
      return VerbResult(output: "Request \(id) is over, so there is nothing to pause.\n")
    }
    try context.queue.set(.pause, to: true, for: id)
    let what = request.standing.state == .running ? "its work is told to save and end" : "it waits"
    return VerbResult(output: "Paused request \(id): \(what). stint resume \(id) goes on.\n")
  }

  /// Pauses the request of a chain that the queue of this machine has and of which no slice runs;
  /// nil for another job, whose process is paused.
  private func pauseRequest(ofChain key: String) throws -> VerbResult? {
    guard let chain = context.chain(of: key), chain.engine.name == EngineJob.local, chain.goesOn,
      !chain.isRunning, let array = chain.number()
    else { return nil }
    if let failure = chain.engine.hold(array, because: "") {
      throw StintError(.unavailable, "\(chain.key) could not be paused: \(failure).")
    }
    return VerbResult(
      output: "Paused \(chain.key): no slice begins. stint resume \(chain.key) goes on.\n")
  }

  /// The worker sees the file at its next tick, and says in `progress.json` that it waits.
  private func leaveFile(_ view: JobView) throws -> VerbResult {
    let key = view.key
    try context.catalog.set(.pause, to: true, for: key)
    let now = context.wait(atMost: patience, for: key) { $0.state == .paused }
    if now.state == .paused {
      return VerbResult(
        output: "Paused \(key): it is saved and waits\(holder(now)). stint resume \(key) goes on.\n"
      )
    }
    guard now.summary.isRunning else {
      // Nobody is left to obey it; the next run must not wait for ever.
      try context.catalog.set(.pause, to: false, for: key)
      return try ended(key, "The process")
    }
    throw StintError(
      .unavailable,
      "\(key) was asked to pause\(holder(now)) and has not said so after \(patience.compactText); "
        + "stint status \(key) shows when it has.")
  }

  /// Who holds the job, for the end of a clause.
  private func holder(_ view: JobView) -> String {
    view.summary.holder.map { ", held by \($0.text(seenBy: context.identity))" } ?? ""
  }

  private func ended(_ key: String, _ who: String) throws -> VerbResult {
    guard context.view(of: key).summary.isFinished else {
      throw StintError(
        .unavailable, "\(who) ended instead of pausing; stint status \(key) shows why.")
    }
    return VerbResult(output: "\(key) finished meanwhile.\n")
  }
}

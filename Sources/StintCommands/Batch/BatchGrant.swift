import StintCore
import StintRuntime

/// The limit of time of a line's process.
struct BatchBudget: Hashable, Sendable {
  /// The time until the process has to have ended.
  var time: Duration
  /// How long before that it is warned.
  var lead: Duration
}

extension BatchJob {
  /// The words after the program's name by which the line is run.
  ///
  /// What the batch gives stands first: what the line says is not touched, its `--` in particular.
  func arguments(
    _ settings: BatchSettings, budget: BatchBudget?, startsOver: Bool
  ) -> [String] {
    let options = settings.options
    // Where jobs live, as the batch was told.
    let folder = options.relativeJobsDirectory ?? options.jobsDirectory
    var words = [verb.rawValue, "--quiet", "--jobs-dir", folder]
    words += ["--stop-grace", Self.text(settings.graceOfLine)]
    // The process of a line that fails is not started again, and a job is free again some time.
    if hasJob, !gives.contains("wait-lock") { words.append("--wait-lock") }
    if hasJob { words += options.terms.environment.keys.sorted().flatMap { ["--key-env", $0] } }
    switch verb {
    case .run:
      if !gives.contains("tick") { words += ["--tick", Self.text(options.time.tick)] }
      if !gives.contains("threads") { words += ["--threads", String(settings.threads)] }
      if wantsEvents { words += ["--events", BatchLaunch.eventsPlace] }
      if startsOver, !gives.contains("fresh") { words.append("--fresh") }
    case .exec:
      // The batch has asked the engine, if there is one.
      words += BudgetChoice.all.compactMap(\.without?.spelling)
      if let budget {
        words += ["--budget", Self.text(budget.time), "--lead", Self.text(budget.lead)]
      }
      if startsOver, isResumable, !gives.contains("fresh") { words.append("--fresh") }
    }
    return words + self.words
  }

  /// Whether the batch reads the events of the line's process.
  var wantsEvents: Bool { verb == .run && !gives.contains("events") }

  /// Whether a command says that it keeps its work; one that does not begins anew each time.
  var isResumable: Bool {
    verb == .run || saysHowItGoesOn || gives.contains("progress-file")
  }

  /// Whether its options say how a command goes on in another slice (X5).
  var saysHowItGoesOn: Bool {
    ["checkpoint-file", "done-file", "resumable"].contains(where: gives.contains)
  }

  /// Whether the line's process holds a job, which another process may hold before it.
  private var hasJob: Bool { isResumable || name != nil }

  /// What stays of the output of the line's last process when the next one begins.
  func keeps(startsOver: Bool) -> BatchLaunch.Kept {
    if startsOver || !isResumable { return .nothing }
    return verb == .run ? .errors : .both
  }

  private static func text(_ duration: Duration) -> String { "\(duration.nanoseconds)ns" }
}

import StintCore
import StintRuntime

/// What a line's process is given by the batch.
struct BatchGrant: Hashable, Sendable {
  /// A limit of time.
  struct Budget: Hashable, Sendable {
    /// The time until the process has to have ended.
    var time: Duration
    /// How long before that it is warned.
    var lead: Duration
  }

  /// Nil without a limit.
  var budget: Budget?
  var stopGrace: Duration
  var threads: Int
  var tick: Duration
  var jobsDirectory: String
  /// Variables that belong to the keys of all jobs.
  var keyVariables: [String] = []
  var startsOver: Bool
}

extension BatchJob {
  /// The words after the program's name by which the line is run.
  ///
  /// What the batch gives stands first: what the line says is not touched, its `--` in particular.
  func arguments(_ grant: BatchGrant) -> [String] {
    var words = [verb.rawValue, "--quiet", "--jobs-dir", grant.jobsDirectory]
    words += ["--stop-grace", Self.text(grant.stopGrace)]
    // The process of a line that fails is not started again, and a job is free again some time.
    if hasJob, !gives.contains("wait-lock") { words.append("--wait-lock") }
    if hasJob { words += grant.keyVariables.flatMap { ["--key-env", $0] } }
    switch verb {
    case .run:
      if !gives.contains("tick") { words += ["--tick", Self.text(grant.tick)] }
      if !gives.contains("threads") { words += ["--threads", String(grant.threads)] }
      if wantsEvents { words += ["--events", BatchLaunch.eventsPlace] }
      if grant.startsOver, !gives.contains("fresh") { words.append("--fresh") }
    case .exec:
      // The batch has asked the engine, if there is one.
      words += BudgetChoice.all.compactMap(\.without?.spelling)
      if let budget = grant.budget {
        words += ["--budget", Self.text(budget.time), "--lead", Self.text(budget.lead)]
      }
      if grant.startsOver, isResumable, !gives.contains("fresh") { words.append("--fresh") }
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
  func keeps(_ grant: BatchGrant) -> BatchLaunch.Kept {
    if grant.startsOver || !isResumable { return .nothing }
    return verb == .run ? .errors : .both
  }

  private static func text(_ duration: Duration) -> String { "\(duration.nanoseconds)ns" }
}

import StintCore

extension WorkerMachine.Action {
  /// The action in the short words of the table; learnt numbers are left out.
  var words: String {
    switch self {
    case .beginTask: "begin task"
    case .endTask: "end task"
    case .stintBegan: "stint began"
    case .runChunk: "run chunk"
    case .raiseStopFlag: "raise stop flag"
    case .save: "save"
    case .deliver: "deliver"
    case .wake(let instant): instant == nil ? "no wake" : "wake"
    case .stintEnded(let summary):
      "stint ended (\(summary.end)\(summary.lost > .zero ? ", work lost" : ""))"
    case .notice(let notice): "notice (\(notice.words))"
    case .ended(let outcome): "ended (\(outcome.words))"
    }
  }
}

extension WorkerNotice {
  /// The kind of notice.
  fileprivate var words: String {
    switch self {
    case .unprotected: "unprotected"
    case .denied: "denied"
    case .nearMiss: "near miss"
    case .slowCheckpoint: "slow checkpoint"
    case .neverSaved: "never saved"
    case .saveFailed: "save failed"
    case .chunkGivenUp: "chunk given up"
    case .stepTooLong: "step too long"
    case .chunkTooLargeForBudget: "chunk too large for budget"
    }
  }
}

extension WorkerOutcome {
  /// The kind of outcome.
  fileprivate var words: String {
    switch self {
    case .finished: "finished"
    case .stopped: "stopped"
    case .failed: "failed"
    }
  }
}

extension WorkerMachine.Phase {
  /// The phase with the kind of end that it carries.
  var words: String {
    switch self {
    case .idle: "idle"
    case .registering: "registering"
    case .working: "working"
    case .closing(let end): "closing (\(end))"
    case .delivering: "delivering"
    case .parked(let end): "parked (\(end))"
    case .paused: "paused"
    case .ended(let outcome): "ended (\(outcome.words))"
    }
  }
}

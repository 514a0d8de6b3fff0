import StintCore

extension SystemMachine.Action {
  /// The action in the short words of the table; instants as distances from now.
  func words(at now: Instant) -> String {
    switch self {
    case .show(let state): "show \(state)"
    case .tell(let transition, _): "tell \(transition)"
    case .expireDirectly(_, let reason, _): "hand the expiry over (\(reason.words))"
    case .deadlineMoved: "tell the nearer deadline"
    case .deadlineExtended: "tell the later deadline"
    case .announceExpiry: "record the expiry"
    case .callHandlers(_, let reason, _, _): "call handlers (\(reason.words))"
    case .ask: "ask"
    case .answer(_, let answer): answer == .granted ? "answer granted" : "answer denied"
    case .suspend: "suspend"
    case .resume: "resume"
    case .stopCompleted: "stop completed"
    case .terminate(let cause): "terminate (\(cause.words))"
    case .diagnose(let diagnostic): "diagnose (\(diagnostic.words))"
    case .wake(let instant):
      instant.map { "wake in \(now.duration(to: $0).compactText)" } ?? "no wake"
    case .armHardStop(let instant):
      instant.map { "hard stop in \(now.duration(to: $0).compactText)" } ?? "no hard stop"
    }
  }
}

extension TaskGrant {
  /// The grant, and why there is none.
  var words: String {
    switch self {
    case .granted: "granted"
    case .denied(let reason): "denied (\(reason.words))"
    }
  }
}

extension Result<Int, ModeRefusal> {
  /// The number of the use, or why there is none.
  var words: String {
    switch self {
    case .success: "in use"
    case .failure(let reason): "refused (\(reason.words))"
    }
  }
}

extension ModeRefusal {
  /// The kind of reason.
  fileprivate var words: String {
    switch self {
    case .undeclared: "undeclared"
    case .notPermitted: "not permitted"
    case .limited: "limited"
    case .notRunning: "not running"
    case .suspended: "suspended"
    case .stopping: "stopping"
    }
  }
}

extension EndResult {
  /// The result of an end.
  var words: String {
    switch self {
    case .ended: "ended"
    case .handlerAlreadyStarted: "handler already started"
    case .alreadyEnded: "already ended"
    case .unknown: "unknown"
    }
  }
}

extension DenialReason {
  /// The kind of reason.
  fileprivate var words: String {
    switch self {
    case .notRunning: "not running"
    case .suspended: "suspended"
    case .tooLittleTime: "too little time"
    case .tooManyTasks: "too many tasks"
    case .stopping: "stopping"
    case .refused: "refused"
    }
  }
}

extension ExpiryReason {
  /// The kind of reason.
  var words: String {
    switch self {
    case .timeElapsed: "time elapsed"
    case .revoked: "revoked"
    case .denied: "denied"
    case .stopRequested: "stop requested"
    case .signal: "signal"
    case .engineEndTime: "engine's end time"
    case .requirementLost: "requirement lost"
    case .leastProgress: "least progress"
    }
  }
}

extension TerminationCause {
  /// The kind of cause.
  fileprivate var words: String {
    switch self {
    case .overrun: "overrun"
    case .leakedTask: "leaked task"
    case .neverCompleted: "never completed"
    case .handlersOverran: "handlers overran"
    case .enterBackgroundOverran: "didEnterBackground overran"
    case .killedWhileSuspended: "killed while suspended"
    case .crash: "crash"
    case .signal: "signal"
    }
  }
}

extension Diagnostic {
  /// The kind of diagnostic.
  fileprivate var words: String {
    switch self {
    case .taskWithoutHandler: "task without handler"
    case .endedInvalid: "ended invalid"
    case .endedUnknown: "ended unknown"
    case .endedTwice: "ended twice"
    case .leftOpen: "left open"
    case .handlerOverran: "handler overran"
    case .mainQueueUnserved: "main queue unserved"
    case .heldTooLong: "held too long"
    case .spentTaskEnded: "spent task ended"
    case .scopeOverran: "scope overran"
    case .modeEnded: "mode ended"
    case .tokenDropped: "token dropped"
    case .activityWithoutReason: "activity without a reason"
    case .taskDenied: "task denied"
    case .completedTwice: "completed twice"
    case .registeredTwice: "registered twice"
    case .registeredLate: "registered late"
    case .requestsNotKept: "requests not kept"
    case .requestSetAside: "request set aside"
    case .hardStopNotArmed: "hard stop not armed"
    case .terminationReported: "termination reported"
    }
  }
}

import StintCore

extension SupervisorMachine.Action {
  /// The action in the short words of the table; instants as distances from now.
  func words(at now: Instant) -> String {
    switch self {
    case .start: "start"
    case .signal(let number): "send \(Self.name(number))"
    case .freeze: "freeze"
    case .thaw(let withGrant): withGrant ? "thaw with a grant" : "thaw"
    case .killAll: "kill all"
    case .requestStop(let number, let grace):
      "request stop (\(Self.name(number)), \(grace?.compactText ?? "for ever"))"
    case .wake(let instant):
      instant.map { "wake in \(now.duration(to: $0).compactText)" } ?? "no wake"
    case .endStint(let outcome): "end stint (\(outcome.words))"
    case .rest(let duration): "rest \(duration.compactText)"
    case .stopSelf(let wholeGroup): wholeGroup ? "stop with the group" : "stop"
    case .say(let message): "say (\(message.words))"
    case .leave(.status(let status)): "leave with \(status)"
    case .leave(.signal(let number)): "die of \(Self.name(number))"
    }
  }

  fileprivate static func name(_ number: Int32) -> String {
    let names: [Int32: String] = [
      2: "SIGINT", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 15: "SIGTERM", 18: "SIGCONT",
      20: "SIGTSTP",
    ]
    return names[number] ?? "signal \(number)"
  }
}

extension SupervisorMachine.StintOutcome {
  /// The outcome.
  fileprivate var words: String {
    switch self {
    case .finished: "finished"
    case .failed: "failed"
    case .asksAgain: "asks again"
    case .leftUnfinished: "left unfinished"
    case .stoppedInTime: "stopped in time"
    case .killed: "killed"
    case .crashed: "crashed"
    case .interrupted: "interrupted"
    case .notRun: "not run"
    }
  }
}

extension SupervisorMachine.Message {
  /// The kind of message.
  fileprivate var words: String {
    switch self {
    case .sending(let number): "sending \(SupervisorMachine.Action.name(number))"
    case .notStarted: "not started"
    case .dumpedCore: "dumped core"
    case .startedAgain: "started again"
    case .noRestartsLeft: "no restarts left"
    case .noProgress: "no progress"
    case .noStintsLeft: "no stints left"
    case .stalled: "stalled"
    case .stalledTooOften: "stalled too often"
    case .takenForFinished: "taken for finished"
    case .notDone: "not done"
    case .timeIsOver: "time is over"
    case .leftBehind: "left behind"
    }
  }
}

extension SupervisorTable {
  static let idle = TableSection<Self>(
    state: .idle,
    situations: [
      (.notStarted, "the supervisor is ready")
    ],
    rows: [
      .row(.begun, "→ running: start", "A9", "the clock of its time starts with it"),
      .traps(.startFailed, "Only a command that is to run can fail to start."),
      .row(.adopted, "nothing", "A12", "nothing runs that could speak"),
      .row(.checkpointChanged, "nothing", "W13", "no stint that it could belong to"),
      .row(.timePassed, "nothing", "A12", "what the wake-up was for is over"),
      .row(.expired, "nothing", "A12", "no task is open yet"),
      .row(.deadlineMoved, "nothing", "A18", "nothing waits for that deadline"),
      .row(.deadlineExtended, "nothing", "E1", "nothing waits for that deadline"),
      .row(.deadlineCame, "nothing", "A19", "no task is open yet"),
      .traps(.finished, "A command ends once a stint."),
      .traps(.asksAgain, "A command ends once a stint."),
      .traps(.failed, "A command ends once a stint."),
      .traps(.diedOfStop, "A command ends once a stint."),
      .traps(.crashed, "A command ends once a stint."),
      .traps(.died, "A command ends once a stint."),
      .traps(.interrupted, "A command ends once a stint."),
      .traps(.leftFamily, "A command ends once a stint."),
      .row(.familyEnded, "nothing", "A14", "nothing has been started"),
      .row(.terminate, "→ ended: die of SIGTERM", "W11", "nothing is there that could be saved"),
      .row(.interrupt, "→ ended: die of SIGINT", "W11", "nothing is there that could be saved"),
      .row(.user, "nothing", "W11", "nothing has been started that could hear it"),
      .row(.commandStopped, "nothing", "A23", "nothing has been started"),
      .row(.stopAsked, "stop", "A23", "nothing runs that would go on meanwhile"),
      .row(.stopRequested, "remembered", "W11", "the first stint is the last"),
      .row(.continued, "nothing", "A23", "nothing of it was stopped"),
      .row(.restEnded, "nothing", "A9", "no rest has begun"),
      .row(.restEndedLate, "nothing", "A9", "no rest has begun"),
    ])
}

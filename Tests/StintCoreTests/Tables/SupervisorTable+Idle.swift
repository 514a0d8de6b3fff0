extension SupervisorTable {
  static let idle = section(
    state: .idle,
    situations: [
      (.notStarted, "the supervisor is ready")
    ],
    rows: [
      row(.begun, "→ running: start", "A9", "the clock of its time starts with it"),
      row(.adopted, "nothing", "A12", "nothing runs that could speak"),
      row(.checkpointChanged, "nothing", "W13", "no stint that it could belong to"),
      row(.expired, "nothing", "A12", "no task is open yet"),
      row([.deadlineCame, .graceEnded], "nothing", "A19", "no task is open yet"),
      row(.familyEnded, "nothing", "A14", "nothing has been started"),
      row(.terminate, "→ ended: die of SIGTERM", "W11", "nothing is there that could be saved"),
      row(.interrupt, "→ ended: die of SIGINT", "W11", "nothing is there that could be saved"),
      row(.user, "nothing", "W11", "nothing has been started that could hear it"),
      row(.commandStopped, "nothing", "A23", "nothing has been started"),
      row(.stopAsked, "stop", "A23", "nothing runs that would go on meanwhile"),
      row(.stopRequested, "remembered", "W11", "the first stint is the last"),
      row([.restEnded, .restEndedLate], "nothing", "A9", "no rest has begun"),
    ])
}

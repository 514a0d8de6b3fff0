extension SupervisorTable {
  static let resting = section(
    state: .resting,
    situations: [
      (.resting, "it asked to be run again")
    ],
    rows: [
      row(.checkpointChanged, "nothing", "W13", "the look was on its way when the stint ended"),
      row(
        [.terminate, .stopRequested], "→ ended: leave with 75", "W11",
        "all is saved: run me again"),
      row(
        .interrupt, "→ ended: die of SIGINT", "W11",
        "all is saved; it dies of the signal, so that a shell's loop stops"),
      row(.stopAsked, "stop", "A23", "nothing runs that would go on meanwhile"),
      row(.restEnded, "→ running: start", "A9", "a new stint"),
      row(
        .restEndedLate, "→ ended: say (time is over), leave with 75", "A9",
        "what is saved waits for the next run"),
    ])
}

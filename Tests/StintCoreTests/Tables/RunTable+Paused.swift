extension RunTable {
  static let paused = section(
    state: .paused,
    situations: [
      (.paused, "it waits for `stint resume`"),
      (.pausedInRest, "`stint pause` was called during a rest"),
      (.pausedByAuthority, "under a supervisor"),
    ],
    rows: [
      row(
        .deadlineMoved, in: [.paused, .pausedInRest], "remembered", "A18",
        "for the way back to the trip"),
      row(
        .deadlineMoved, in: [.pausedByAuthority], "nothing", "A18", "its time has no end of its own"
      ),
      row(
        .stopRequested, "→ ending: end after the next checkpoint", "W11", "no stint begins after it"
      ),
      row(.authorityVanished, "→ ended: leave (time is up)", "A18"),
      row(.terminalStopCame, "→ stopped: stop the process", "A23"),
      row(.pauseRequested, "nothing", "W7", "it is paused already"),
      row(.pauseEnded, in: [.paused], "→ working: go on (30s left)", "W7"),
      row(.pauseEnded, in: [.pausedInRest], "→ resting: rest 2s", "W7"),
      row(.pauseEnded, in: [.pausedByAuthority], "→ working: go on (authority)", "W7"),
    ])
}

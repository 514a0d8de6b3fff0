extension RunTable {
  static let working = section(
    state: .working,
    situations: [
      (.trip, "with a budget and `--until-done`"),
      (.onlyTrip, "with a budget"),
      (.unlimited, "without a budget"),
      (.authority, "under a supervisor"),
      (.lastStint, "it ends after its next checkpoint"),
    ],
    rows: [
      row(
        .deadlineMoved, in: [.trip, .onlyTrip, .lastStint], "remembered", "A18",
        "for the way back to the trip"),
      row(
        .deadlineMoved, in: [.unlimited, .authority], "nothing", "A18",
        "its time has no end of its own"),
      row(.suspended, in: [.trip], "→ resting: rest 2s", "A9"),
      row(
        .suspended, in: [.onlyTrip, .unlimited, .authority], "→ ended: leave (time is up)", "A9"),
      row(.suspended, in: [.lastStint], "→ ending", "A9"),
      row(
        .suspendedForGood, in: [.trip, .onlyTrip, .unlimited, .authority],
        "→ ended: leave (time is up)", "A9"),
      row(.suspendedForGood, in: [.lastStint], "→ ending", "A9"),
      row(
        .stopRequested, in: [.trip, .onlyTrip, .unlimited, .authority],
        "end after the next checkpoint", "W11"),
      row(.stopRequested, in: [.lastStint], "nothing", "W11", "it has been told, and ends"),
      row(.terminalStopCame, "→ saving: save", "A23"),
      row(.pauseRequested, "→ saving: save", "W7"),
    ])
}

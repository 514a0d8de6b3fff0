extension RunTable {
  static let working = TableSection<Self>(
    state: .working,
    situations: [
      (.trip, "with a budget and `--until-done`"),
      (.onlyTrip, "with a budget"),
      (.unlimited, "without a budget"),
      (.authority, "under a supervisor"),
      (.lastStint, "it ends after its next checkpoint"),
    ],
    rows: [
      .traps(.begun, "A run begins once."),
      .traps(.begunLate, "A run begins once."),
      .row(
        .deadlineMoved, in: [.trip, .onlyTrip, .lastStint], "remembered", "A18",
        "for the way back to the trip"),
      .row(
        .deadlineMoved, in: [.unlimited, .authority], "nothing", "A18",
        "its time has no end of its own"),
      .row(.suspended, in: [.trip], "→ resting: rest 2s", "A9"),
      .row(
        .suspended, in: [.onlyTrip, .unlimited, .authority], "→ ended: leave (time is up)", "A9"),
      .row(.suspended, in: [.lastStint], "→ ending", "A9"),
      .row(
        .suspendedForGood, in: [.trip, .onlyTrip, .unlimited, .authority],
        "→ ended: leave (time is up)", "A9"),
      .row(.suspendedForGood, in: [.lastStint], "→ ending", "A9"),
      .row(.restEnded, "nothing", "A9", "a stop or a signal ended the rest before"),
      .row(.restEndedLate, "nothing", "A9", "a stop or a signal ended the rest before"),
      .row(.workEnded, "→ ended: leave (work ended)", "W9"),
      .row(
        .stopRequested, in: [.trip, .onlyTrip, .unlimited, .authority],
        "end after the next checkpoint", "W11"),
      .row(.stopRequested, in: [.lastStint], "nothing", "W11", "it has been told, and ends"),
      .row(.signalCame, "→ ending: request stop (SIGTERM)", "W11"),
      .row(.signalCameAtOnce, "→ ending: request stop (SIGTERM)", "W11"),
      .row(.authorityStops, "→ ending: end the work (the system took the budget back)", "A18"),
      .row(
        .authorityVanished, "nothing", "A18", "the system ends the trip, and its suspension is told"
      ),
      .row(.terminalStopCame, "→ saving: save", "A23"),
      .row(
        .terminalContinueCame, "nothing", "A23",
        "SIGCONT means nothing else: `timeout` sends it with SIGTERM"),
      .row(.processContinued, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(.processContinuedLate, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(.pauseRequested, "→ saving: save", "W7"),
      .row(
        .pauseEnded, "nothing", "W7",
        "a stop of the terminal ended the wait; it is looked for again"),
    ])
}

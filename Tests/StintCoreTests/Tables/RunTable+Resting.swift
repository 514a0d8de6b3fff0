extension RunTable {
  static let resting = TableSection<Self>(
    state: .resting,
    situations: [
      (.resting, "the next trip begins after the rest")
    ],
    rows: [
      .traps(.begun, "A run begins once."),
      .traps(.begunLate, "A run begins once."),
      .row(.deadlineMoved, "remembered", "A18", "for the way back to the trip"),
      .row(.suspended, "nothing", "A9", "told again, or the outcome of the work is on its way"),
      .row(
        .suspendedForGood, "nothing", "A9", "told again, or the outcome of the work is on its way"),
      .row(.restEnded, "→ working: go on (30s left)", "A9"),
      .row(.restEndedLate, "→ ended: leave (time is up)", "A9"),
      .row(.workEnded, "→ ended: leave (work ended)", "W9"),
      .row(
        .stopRequested, "→ ending: end after the next checkpoint", "W11", "no stint begins after it"
      ),
      .row(.signalCame, "→ ending: request stop (SIGTERM)", "W11"),
      .row(.signalCameAtOnce, "→ ending: request stop (SIGTERM)", "W11"),
      .row(.authorityStops, "→ ending: end the work (the system took the budget back)", "A18"),
      .row(.authorityVanished, "→ ended: leave (time is up)", "A18"),
      .row(.terminalStopCame, "→ stopped: stop the process", "A23"),
      .row(
        .terminalContinueCame, "nothing", "A23",
        "SIGCONT means nothing else: `timeout` sends it with SIGTERM"),
      .row(.processContinued, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(.processContinuedLate, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(.pauseRequested, "→ paused: pause", "W7"),
      .row(
        .pauseEnded, "nothing", "W7",
        "a stop of the terminal ended the wait; it is looked for again"),
    ])
}

extension RunTable {
  static let paused = TableSection<Self>(
    state: .paused,
    situations: [
      (.paused, "it waits for `stint resume`"),
      (.pausedInRest, "`stint pause` was called during a rest"),
      (.pausedByAuthority, "under a supervisor"),
    ],
    rows: [
      .traps(.begun, "A run begins once."),
      .traps(.begunLate, "A run begins once."),
      .row(
        .deadlineMoved, in: [.paused, .pausedInRest], "remembered", "A18",
        "for the way back to the trip"),
      .row(
        .deadlineMoved, in: [.pausedByAuthority], "nothing", "A18", "its time has no end of its own"
      ),
      .row(.suspended, "nothing", "A9", "told again, or the outcome of the work is on its way"),
      .row(
        .suspendedForGood, "nothing", "A9", "told again, or the outcome of the work is on its way"),
      .row(.restEnded, "nothing", "A9", "a stop or a signal ended the rest before"),
      .row(.restEndedLate, "nothing", "A9", "a stop or a signal ended the rest before"),
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
      .row(.pauseRequested, "nothing", "W7", "it is paused already"),
      .row(.pauseEnded, in: [.paused], "→ working: go on (30s left)", "W7"),
      .row(.pauseEnded, in: [.pausedInRest], "→ resting: rest 2s", "W7"),
      .row(.pauseEnded, in: [.pausedByAuthority], "→ working: go on (authority)", "W7"),
    ])
}

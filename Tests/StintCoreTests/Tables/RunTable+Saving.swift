extension RunTable {
  static let saving = TableSection<Self>(
    state: .saving,
    situations: [
      (.forStop, "SIGTSTP came"),
      (.revoked, "SIGTSTP came, and then SIGCONT"),
      (.forPause, "`stint pause` was called"),
      (.forBoth, "both"),
      (.withWork, "SIGTSTP came to a batch, whose lines stop with it"),
    ],
    rows: [
      .traps(.begun, "A run begins once."),
      .traps(.begunLate, "A run begins once."),
      .row(.deadlineMoved, "remembered", "A18", "for the way back to the trip"),
      .row(.suspended, in: [.forStop, .forBoth, .withWork], "→ stopped: stop the process", "A9"),
      .row(.suspended, in: [.revoked], "→ working: go on (30s left)", "A9"),
      .row(.suspended, in: [.forPause], "→ paused: pause", "A9"),
      .row(
        .suspendedForGood, in: [.forStop, .forBoth, .withWork], "→ stopped: stop the process", "A9"),
      .row(.suspendedForGood, in: [.revoked], "→ working: go on (30s left)", "A9"),
      .row(.suspendedForGood, in: [.forPause], "→ paused: pause", "A9"),
      .row(.restEnded, "nothing", "A9", "a stop or a signal ended the rest before"),
      .row(.restEndedLate, "nothing", "A9", "a stop or a signal ended the rest before"),
      .row(.workEnded, "→ ended: leave (work ended)", "W9"),
      .row(.stopRequested, "end after the next checkpoint", "W11"),
      .row(.signalCame, "→ ending: request stop (SIGTERM)", "W11"),
      .row(.signalCameAtOnce, "→ ending: request stop (SIGTERM)", "W11"),
      .row(.authorityStops, "→ ending: end the work (the system took the budget back)", "A18"),
      .row(
        .authorityVanished, "nothing", "A18", "the system ends the trip, and its suspension is told"
      ),
      .row(
        .terminalStopCame, in: [.forStop, .forBoth, .withWork], "nothing", "A23",
        "a stop is asked for already"),
      .row(
        .terminalStopCame, in: [.revoked, .forPause], "remembered", "A23",
        "obeyed when everything is saved, or back from the stop before"),
      .row(
        .terminalContinueCame, in: [.forStop, .forBoth, .withWork], "remembered", "A23",
        "the stop is revoked"),
      .row(
        .terminalContinueCame, in: [.revoked, .forPause], "nothing", "A23",
        "SIGCONT means nothing else: `timeout` sends it with SIGTERM"),
      .row(.processContinued, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(.processContinuedLate, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(
        .pauseRequested, in: [.forStop, .revoked, .withWork], "remembered", "W7",
        "obeyed when everything is saved"),
      .row(.pauseRequested, in: [.forPause, .forBoth], "nothing", "W7", "it is paused already"),
      .row(
        .pauseEnded, "nothing", "W7",
        "a stop of the terminal ended the wait; it is looked for again"),
    ])
}

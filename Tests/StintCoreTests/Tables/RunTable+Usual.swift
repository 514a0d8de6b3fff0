extension RunTable {
  static let usual = [
    traps([.begun, .begunLate], "A run begins once."),
    row(.deadlineMoved, "remembered", "A18", "for the way back to the trip"),
    row(
      [.suspended, .suspendedForGood], "nothing", "A9",
      "told again, or the outcome of the work is on its way"),
    row([.restEnded, .restEndedLate], "nothing", "A9", "a stop or a signal ended the rest before"),
    row(.workEnded, "→ ended: leave (work ended)", "W9"),
    row([.signalCame, .signalCameAtOnce], "→ ending: request stop (SIGTERM)", "W11"),
    row(.warningCame, "→ ending: request stop (SIGUSR1)", "W11"),
    row(.authorityStops, "→ ending: end the work (the system took the budget back)", "A18"),
    row(
      .authorityVanished, "nothing", "A18", "the system ends the trip, and its suspension is told"),
    row(
      .terminalContinueCame, "nothing", "A23",
      "SIGCONT means nothing else: `timeout` sends it with SIGTERM"),
    row(
      [.processContinued, .processContinuedLate], "nothing", "A23",
      "a signal that came with SIGCONT was faster"),
    row(
      .pauseEnded, "nothing", "W7",
      "a stop of the terminal ended the wait; it is looked for again"),
  ]
}

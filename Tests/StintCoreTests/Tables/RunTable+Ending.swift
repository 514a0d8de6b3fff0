extension RunTable {
  static let ending = TableSection<Self>(
    state: .ending,
    situations: [
      (.signalled, "the first signal came"),
      (.stopping, "`stint stop` was obeyed"),
    ],
    rows: [
      .traps(.begun, "A run begins once."),
      .traps(.begunLate, "A run begins once."),
      .row(.deadlineMoved, "remembered", "A18", "for the way back to the trip"),
      .row(.suspended, "nothing", "A9", "told again, or the outcome of the work is on its way"),
      .row(
        .suspendedForGood, "nothing", "A9", "told again, or the outcome of the work is on its way"),
      .row(.restEnded, "nothing", "A9", "a stop or a signal ended the rest before"),
      .row(.restEndedLate, "nothing", "A9", "a stop or a signal ended the rest before"),
      .row(.workEnded, "→ ended: leave (work ended)", "W9"),
      .row(.stopRequested, "nothing", "W11", "it has been told, and ends"),
      .row(.signalCame, in: [.signalled], "die of SIGTERM", "W11", "asked again, at once"),
      .row(.signalCame, in: [.stopping], "request stop (SIGTERM)", "W11"),
      .row(
        .signalCameAtOnce, in: [.signalled], "nothing", "W11",
        "one who kills a group often sends two"),
      .row(.signalCameAtOnce, in: [.stopping], "request stop (SIGTERM)", "W11"),
      .row(.authorityStops, "nothing", "A18", "the work ends already"),
      .row(.authorityVanished, "nothing", "A18", "the work ends already"),
      .row(.terminalStopCame, "nothing", "A23", "an end that was asked for is never put off"),
      .row(
        .terminalContinueCame, "nothing", "A23",
        "SIGCONT means nothing else: `timeout` sends it with SIGTERM"),
      .row(.processContinued, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(.processContinuedLate, "nothing", "A23", "a signal that came with SIGCONT was faster"),
      .row(.pauseRequested, "nothing", "W7", "what ends does not begin to wait"),
      .row(
        .pauseEnded, "nothing", "W7",
        "a stop of the terminal ended the wait; it is looked for again"),
    ])
}

extension RunTable {
  static let idle = section(
    state: .idle,
    situations: [
      (.notBegun, "the work is being read"),
      (.toBePaused, "`stint pause` was faster"),
      (.toBeEnded, "a signal was faster"),
      (.toEndEarly, "a warning was faster"),
    ],
    rows: [
      row(.begun, in: [.notBegun], "→ working: begin (30s left)", "A9"),
      row(
        .begun, in: [.toBePaused], "→ saving: begin (30s left), save", "A9",
        "a pause that was asked for before"),
      row(
        .begun, in: [.toBeEnded], "→ ending: begin (30s left), request stop (SIGTERM)", "A9",
        "denied its task, work that is not stopped would wait for ever"),
      row(
        .begun, in: [.toEndEarly], "→ ending: begin (30s left), request stop (SIGUSR1)", "A9",
        "denied its task, work that is not stopped would wait for ever"),
      row(
        .begunLate, "→ ended: leave (time is up)", "A11", "the deadline would overtake what follows"
      ),
      row(.deadlineMoved, "nothing", "A18", "its time has no end of its own"),
      row(
        [.suspended, .suspendedForGood], "nothing", "A9",
        "the time ended while the work was being read; whoever reads ends"),
      row(.stopRequested, "nothing", "W11", "looked for again when there is work"),
      row(
        .signalCame, in: [.notBegun, .toBePaused, .toEndEarly], "request stop (SIGTERM)", "W11",
        "its grace counts from now; it is stopped again when it has begun"),
      row(.signalCame, in: [.toBeEnded], "die of SIGTERM", "W11"),
      row(
        .signalCameAtOnce, in: [.notBegun, .toBePaused, .toEndEarly], "request stop (SIGTERM)",
        "W11"),
      row(
        .signalCameAtOnce, in: [.toBeEnded], "nothing", "W11",
        "one who kills a group often sends two"),
      row(.warningCame, in: [.notBegun, .toBePaused], "request stop (SIGUSR1)", "W11"),
      row(.warningCame, in: [.toBeEnded, .toEndEarly], "nothing", "W11", "it ends already"),
      row(.authorityStops, "nothing", "A18", "what has not begun asks for no time"),
      row(.terminalStopCame, in: [.notBegun, .toBePaused], "stop the process", "A23"),
      row(
        .terminalStopCame, in: [.toBeEnded, .toEndEarly], "nothing", "A23",
        "an end that was asked for is never put off"),
      row([.processContinued, .processContinuedLate], "nothing", "A23", "nothing had begun"),
      row(
        .pauseRequested, in: [.notBegun, .toBeEnded, .toEndEarly], "remembered", "W7",
        "obeyed when everything is saved"),
      row(.pauseRequested, in: [.toBePaused], "nothing", "W7", "it is paused already"),
    ])
}

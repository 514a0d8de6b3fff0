extension RunTable {
  static let stopped = section(
    state: .stopped,
    situations: [
      (.stopped, "everything is saved"),
      (.stoppedAgain, "SIGTSTP came on the way back"),
      (.stoppedAndPaused, "SIGTSTP came during a pause"),
      (.stoppedInRest, "SIGTSTP came during a rest"),
      (.stoppedWithWork, "a batch stands still with its lines"),
    ],
    rows: [
      row(.stopRequested, "end after the next checkpoint", "W11"),
      row(.authorityVanished, "→ ended: leave (time is up)", "A18"),
      row(
        .terminalStopCame, in: [.stopped, .stoppedAndPaused, .stoppedInRest, .stoppedWithWork],
        "remembered", "A23", "obeyed when everything is saved, or back from the stop before"),
      row(.terminalStopCame, in: [.stoppedAgain], "nothing", "A23", "a stop is asked for already"),
      row(
        .terminalContinueCame, in: [.stopped, .stoppedAndPaused, .stoppedInRest, .stoppedWithWork],
        "nothing", "A23", "SIGCONT means nothing else: `timeout` sends it with SIGTERM"),
      row(.terminalContinueCame, in: [.stoppedAgain], "remembered", "A23", "the stop is revoked"),
      row(
        .processContinued, in: [.stopped, .stoppedWithWork], "→ working: go on (30s left)", "A23"),
      row(.processContinued, in: [.stoppedAgain], "→ saving: go on (30s left), save", "A23"),
      row(.processContinued, in: [.stoppedAndPaused], "→ paused: pause", "A23"),
      row(.processContinued, in: [.stoppedInRest], "→ resting: rest 2s", "A23"),
      row(.processContinuedLate, in: [.stopped], "→ resting: rest 2s", "A23"),
      row(.processContinuedLate, in: [.stoppedAgain], "rest 2s, stop the process", "A23"),
      row(.processContinuedLate, in: [.stoppedAndPaused], "→ paused: pause", "A23"),
      row(.processContinuedLate, in: [.stoppedInRest], "→ resting: rest -38s", "A23"),
      row(.processContinuedLate, in: [.stoppedWithWork], "→ working: go on (-10s left)", "A23"),
      row(
        .pauseRequested, in: [.stopped, .stoppedAgain, .stoppedInRest, .stoppedWithWork],
        "remembered", "W7", "obeyed when everything is saved"),
      row(.pauseRequested, in: [.stoppedAndPaused], "nothing", "W7", "it is paused already"),
    ])
}

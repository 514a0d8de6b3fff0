extension RunTable {
  static let saving = section(
    state: .saving,
    situations: [
      (.forStop, "SIGTSTP came"),
      (.revoked, "SIGTSTP came, and then SIGCONT"),
      (.forPause, "`stint pause` was called"),
      (.forBoth, "both"),
      (.withWork, "SIGTSTP came to a batch, whose lines stop with it"),
    ],
    rows: [
      row(
        [.suspended, .suspendedForGood], in: [.forStop, .forBoth, .withWork],
        "→ stopped: stop the process", "A9"),
      row([.suspended, .suspendedForGood], in: [.revoked], "→ working: go on (30s left)", "A9"),
      row([.suspended, .suspendedForGood], in: [.forPause], "→ paused: pause", "A9"),
      row(.stopRequested, "end after the next checkpoint", "W11"),
      row(
        .terminalStopCame, in: [.forStop, .forBoth, .withWork], "nothing", "A23",
        "a stop is asked for already"),
      row(
        .terminalStopCame, in: [.revoked, .forPause], "remembered", "A23",
        "obeyed when everything is saved, or back from the stop before"),
      row(
        .terminalContinueCame, in: [.forStop, .forBoth, .withWork], "remembered", "A23",
        "the stop is revoked"),
      row(
        .terminalContinueCame, in: [.revoked, .forPause], "nothing", "A23",
        "SIGCONT means nothing else: `timeout` sends it with SIGTERM"),
      row(
        .pauseRequested, in: [.forStop, .revoked, .withWork], "remembered", "W7",
        "obeyed when everything is saved"),
      row(.pauseRequested, in: [.forPause, .forBoth], "nothing", "W7", "it is paused already"),
    ])
}

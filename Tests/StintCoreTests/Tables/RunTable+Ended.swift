extension RunTable {
  static let ended = section(
    state: .ended,
    situations: [
      (.over, "the last words are being written"),
      (.overSignalled, "a signal came during the last words"),
      (.overWarned, "a warning came during the last words"),
    ],
    rows: [
      row(.workEnded, "nothing", "W9", "another end was faster"),
      row(.stopRequested, "nothing", "W11", "it has been told, and ends"),
      row(
        [.signalCame, .signalCameAtOnce], in: [.over, .overWarned], "request stop (SIGTERM)", "W11"),
      row(.warningCame, in: [.over], "request stop (SIGUSR1)", "W11"),
      row(
        .warningCame, in: [.overSignalled, .overWarned], "nothing", "W11",
        "the kernel repeats SIGXCPU each second"),
      row(.signalCame, in: [.overSignalled], "die of SIGTERM", "W11", "asked again, at once"),
      row(
        .signalCameAtOnce, in: [.overSignalled], "nothing", "W11",
        "one who kills a group often sends two"),
      row([.authorityStops, .authorityVanished], "nothing", "A18", "the work ends already"),
      row(.terminalStopCame, "nothing", "A23", "an end that was asked for is never put off"),
      row(.pauseRequested, "nothing", "W7", "what ends does not begin to wait"),
    ])
}

extension RunTable {
  static let ending = section(
    state: .ending,
    situations: [
      (.signalled, "the first signal came"),
      (.warned, "a warning came"),
      (.stopping, "`stint stop` was obeyed"),
    ],
    rows: [
      row(.stopRequested, "nothing", "W11", "it has been told, and ends"),
      row(.signalCame, in: [.signalled], "die of SIGTERM", "W11", "asked again, at once"),
      row(
        .signalCame, in: [.warned, .stopping], "request stop (SIGTERM)", "W11",
        "a warning before it asked for nothing"),
      row(
        .signalCameAtOnce, in: [.signalled], "nothing", "W11",
        "one who kills a group often sends two"),
      row(.signalCameAtOnce, in: [.warned, .stopping], "request stop (SIGTERM)", "W11"),
      row(
        .warningCame, in: [.signalled, .warned], "nothing", "W11",
        "the kernel repeats SIGXCPU each second"),
      row(.warningCame, in: [.stopping], "request stop (SIGUSR1)", "W11"),
      row([.authorityStops, .authorityVanished], "nothing", "A18", "the work ends already"),
      row(.terminalStopCame, "nothing", "A23", "an end that was asked for is never put off"),
      row(.pauseRequested, "nothing", "W7", "what ends does not begin to wait"),
    ])
}

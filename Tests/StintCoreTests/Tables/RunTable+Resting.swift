extension RunTable {
  static let resting = section(
    state: .resting,
    situations: [
      (.resting, "the next trip begins after the rest")
    ],
    rows: [
      row(.restEnded, "→ working: go on (30s left)", "A9"),
      row(.restEndedLate, "→ ended: leave (time is up)", "A9"),
      row(
        .stopRequested, "→ ending: end after the next checkpoint", "W11", "no stint begins after it"
      ),
      row(.authorityVanished, "→ ended: leave (time is up)", "A18"),
      row(.terminalStopCame, "→ stopped: stop the process", "A23"),
      row(.pauseRequested, "→ paused: pause", "W7"),
    ])
}

extension SupervisorTable {
  static let ended = section(
    state: .ended,
    situations: [
      (.over, "it exited with 0")
    ],
    rows: [
      row(.checkpointChanged, "nothing", "W13", "the look was on its way when the stint ended"),
      row([.terminate, .interrupt], "nothing", "W11", "nothing is left that could be asked"),
      row(.stopRequested, "remembered", "W11", "it is over"),
    ])
}

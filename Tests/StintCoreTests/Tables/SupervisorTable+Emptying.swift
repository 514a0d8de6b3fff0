extension SupervisorTable {
  static let emptying = section(
    state: .emptying,
    situations: [
      (.emptying, "it exited with 0 after SIGTERM; descendants are left")
    ],
    rows: [
      row(.deadlineMoved, "remembered", "A18", "what is left has less time"),
      row(.deadlineExtended, "remembered", "E1", "what is left has more time"),
      row(
        [.deadlineCame, .graceEnded], "→ killed: kill all, wake in 500ms", "A19",
        "no descendant is left behind after an expiry"),
      row(
        .familyEnded,
        "→ ended: no wake, end stint (finished), say (taken for finished), leave with 0", "A14",
        "the stint ends as its leader ended"),
      row(
        .terminate, "request stop (SIGTERM, 3s)", "W11",
        "the leader has been told; the rest has the grace at most"),
      row(
        .interrupt, "request stop (SIGINT, 3s)", "W11",
        "the leader has been told; the rest has the grace at most"),
      row(.user, "send SIGUSR1", "W11", "passed on as it came"),
    ])
}

extension SupervisorTable {
  static let emptying = TableSection<Self>(
    state: .emptying,
    situations: [
      (.emptying, "it exited with 0 after SIGTERM; descendants are left")
    ],
    rows: [
      .traps(.begun, "A supervisor begins once."),
      .traps(.startFailed, "Only a command that is to run can fail to start."),
      .row(.adopted, "nothing", "A12", "its words were on their way when it ended"),
      .row(
        .checkpointChanged, "remembered", "W13", "restarts and fruitless stints are counted anew"),
      .row(.timePassed, "nothing", "A12", "what the wake-up was for is over"),
      .row(.expired, "nothing", "A12", "the end, the freezing or the kill was faster"),
      .row(.deadlineMoved, "remembered", "A18", "what is left has less time"),
      .row(.deadlineExtended, "remembered", "E1", "what is left has more time"),
      .row(
        .deadlineCame, "→ killed: kill all, wake in 500ms", "A19",
        "no descendant is left behind after an expiry"),
      .traps(.finished, "A command ends once a stint."),
      .traps(.asksAgain, "A command ends once a stint."),
      .traps(.failed, "A command ends once a stint."),
      .traps(.diedOfStop, "A command ends once a stint."),
      .traps(.crashed, "A command ends once a stint."),
      .traps(.died, "A command ends once a stint."),
      .traps(.interrupted, "A command ends once a stint."),
      .traps(.leftFamily, "A command ends once a stint."),
      .row(
        .familyEnded, "→ ended: no wake, end stint (finished), leave with 0", "A14",
        "the stint ends as its leader ended"),
      .row(
        .terminate, "request stop (SIGTERM, 3s)", "W11",
        "the leader has been told; the rest has the grace at most"),
      .row(
        .interrupt, "request stop (SIGINT, 3s)", "W11",
        "the leader has been told; the rest has the grace at most"),
      .row(.user, "send SIGUSR1", "W11", "passed on as it came"),
      .row(.commandStopped, "nothing", "A23", "our own stop is told as well, or it is over"),
      .row(.stopAsked, "nothing", "A23", "it is over in a moment, or is stopped already"),
      .row(.stopRequested, "remembered", "W11", "the next stint does not begin"),
      .row(.continued, "nothing", "A23", "nothing of it was stopped"),
      .row(.restEnded, "nothing", "A9", "it does not rest any more"),
      .row(.restEndedLate, "nothing", "A9", "it does not rest any more"),
    ])
}

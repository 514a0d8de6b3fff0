extension SupervisorTable {
  static let ended = TableSection<Self>(
    state: .ended,
    situations: [
      (.over, "it exited with 0")
    ],
    rows: [
      .traps(.begun, "A supervisor begins once."),
      .traps(.startFailed, "Only a command that is to run can fail to start."),
      .row(.adopted, "nothing", "A12", "its words were on their way when it ended"),
      .row(.checkpointChanged, "nothing", "W13", "the look was on its way when the stint ended"),
      .row(.timePassed, "nothing", "A12", "what the wake-up was for is over"),
      .row(.expired, "nothing", "A12", "the end, the freezing or the kill was faster"),
      .row(.deadlineMoved, "nothing", "A18", "nothing waits for that deadline"),
      .row(.deadlineExtended, "nothing", "E1", "nothing waits for that deadline"),
      .row(.deadlineCame, "nothing", "A19", "it has ended, is frozen or was killed already"),
      .traps(.finished, "A command ends once a stint."),
      .traps(.asksAgain, "A command ends once a stint."),
      .traps(.failed, "A command ends once a stint."),
      .traps(.diedOfStop, "A command ends once a stint."),
      .traps(.crashed, "A command ends once a stint."),
      .traps(.died, "A command ends once a stint."),
      .traps(.interrupted, "A command ends once a stint."),
      .traps(.leftFamily, "A command ends once a stint."),
      .row(.familyEnded, "nothing", "A14", "looked for while the command itself is what counts"),
      .row(.terminate, "nothing", "W11", "nothing is left that could be asked"),
      .row(.interrupt, "nothing", "W11", "nothing is left that could be asked"),
      .row(.user, "nothing", "W11", "nobody is there to hear it"),
      .row(.commandStopped, "nothing", "A23", "our own stop is told as well, or it is over"),
      .row(.stopAsked, "nothing", "A23", "it is over in a moment, or is stopped already"),
      .row(.stopRequested, "remembered", "W11", "it is over"),
      .row(.continued, "nothing", "A23", "nothing of it was stopped"),
      .row(.restEnded, "nothing", "A9", "it does not rest any more"),
      .row(.restEndedLate, "nothing", "A9", "it does not rest any more"),
    ])
}

extension SupervisorTable {
  static let resting = TableSection<Self>(
    state: .resting,
    situations: [
      (.resting, "it asked to be run again")
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
      .row(.terminate, "→ ended: leave with 75", "W11", "all is saved: run me again"),
      .row(
        .interrupt, "→ ended: die of SIGINT", "W11",
        "all is saved; it dies of the signal, so that a shell's loop stops"),
      .row(.user, "nothing", "W11", "nobody is there to hear it"),
      .row(.commandStopped, "nothing", "A23", "our own stop is told as well, or it is over"),
      .row(.stopAsked, "stop", "A23", "nothing runs that would go on meanwhile"),
      .row(.stopRequested, "→ ended: leave with 75", "W11", "all is saved: run me again"),
      .row(.continued, "nothing", "A23", "nothing of it was stopped"),
      .row(.restEnded, "→ running: start", "A9", "a new stint"),
      .row(
        .restEndedLate, "→ ended: say (time is over), leave with 75", "A9",
        "what is saved waits for the next run"),
    ])
}

extension SupervisorTable {
  static let usual = [
    traps(.begun, "A supervisor begins once."),
    traps(.startFailed, "Only a command that is to run can fail to start."),
    row(.adopted, "nothing", "A12", "its words were on their way when it ended"),
    row(.conversationEnded, "nothing", "A12", "it did not speak, or has ended"),
    row(.checkpointChanged, "remembered", "W13", "restarts and fruitless stints are counted anew"),
    row(.timePassed, "nothing", "A12", "what the wake-up was for is over"),
    row(.expired, "nothing", "A12", "the end, the freezing or the kill was faster"),
    row(.stalled, "nothing", "X6", "its time is up anyway, or nothing runs"),
    row(.deadlineMoved, "nothing", "A18", "nothing waits for that deadline"),
    row(.deadlineExtended, "nothing", "E1", "nothing waits for that deadline"),
    row(
      [.deadlineCame, .graceEnded], "nothing", "A19",
      "it has ended, is frozen or was killed already"),
    traps(
      [.finished, .asksAgain, .failed, .diedOfStop, .crashed, .died, .interrupted, .leftFamily],
      "A command ends once a stint."),
    row(.familyEnded, "nothing", "A14", "looked for while the command itself is what counts"),
    row(.user, "nothing", "W11", "nobody is there to hear it"),
    row(.commandStopped, "nothing", "A23", "our own stop is told as well, or it is over"),
    row(.stopAsked, "nothing", "A23", "it is over in a moment, or is stopped already"),
    row(.stopRequested, "remembered", "W11", "the next stint does not begin"),
    row(.continued, "nothing", "A23", "nothing of it was stopped"),
    row([.restEnded, .restEndedLate], "nothing", "A9", "it does not rest any more"),
  ]
}

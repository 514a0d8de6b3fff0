extension SupervisorTable {
  static let killed = TableSection<Self>(
    state: .killed,
    situations: [
      (.killing, "a job at its deadline; its end is awaited"),
      (.sweeping, "it had exited with 0; at the deadline its descendants were sent SIGKILL"),
    ],
    rows: [
      .traps(.begun, "A supervisor begins once."),
      .row(
        .startFailed, "→ ended: no wake, end stint (not run), say (not started), leave with 127",
        "L8", "its time was over before it began"),
      .row(.adopted, "remembered", "A12", "its tasks are told of the expiry"),
      .row(
        .checkpointChanged, "remembered", "W13", "restarts and fruitless stints are counted anew"),
      .row(
        .timePassed, in: [.killing], "wake in 4s", "A12",
        "SIGKILL needs its time; nobody waits for ever"),
      .row(
        .timePassed, in: [.sweeping],
        "→ ended: say (left behind), no wake, end stint (finished), leave with 0", "A12",
        "SIGKILL needs its time; nobody waits for ever"),
      .row(.expired, "nothing", "A12", "the end, the freezing or the kill was faster"),
      .row(.deadlineMoved, "nothing", "A18", "nothing waits for that deadline"),
      .row(.deadlineExtended, "nothing", "E1", "nothing waits for that deadline"),
      .row(.deadlineCame, "nothing", "A19", "it has ended, is frozen or was killed already"),
      .row(
        .finished, in: [.killing], "→ ended: no wake, end stint (finished), leave with 0", "L8",
        "0 says finished, before or after an expiry; `timeout` says 124"),
      .traps(.finished, in: [.sweeping], "A command ends once a stint."),
      .row(
        .asksAgain, in: [.killing], "→ resting: no wake, end stint (stopped in time), rest 1s",
        "L8",
        "75 asks for another stint, but the checkpoint file is as it was"),
      .traps(.asksAgain, in: [.sweeping], "A command ends once a stint."),
      .row(
        .failed, in: [.killing], "→ ended: no wake, end stint (failed), leave with 3", "L8",
        "a status that is no 75 says that it failed; `timeout` says 124"),
      .traps(.failed, in: [.sweeping], "A command ends once a stint."),
      .row(
        .diedOfStop, in: [.killing], "→ resting: no wake, end stint (stopped in time), rest 1s",
        "L8", "stopped in time by what was sent"),
      .traps(.diedOfStop, in: [.sweeping], "A command ends once a stint."),
      .row(
        .crashed, in: [.killing],
        "→ resting: no wake, end stint (crashed), say (dumped core), say (started again), rest 1s",
        "L8", "nobody here had sent it"),
      .traps(.crashed, in: [.sweeping], "A command ends once a stint."),
      .row(
        .died, in: [.killing],
        "→ resting: no wake, end stint (killed), say (started again), rest 1s", "L8",
        "killed at its deadline, it is started again if restarts are left"),
      .traps(.died, in: [.sweeping], "A command ends once a stint."),
      .row(
        .interrupted, in: [.killing], "→ ended: no wake, end stint (interrupted), die of SIGINT",
        "W11", "a terminal's key, which its group got alone, is the end of it all"),
      .traps(.interrupted, in: [.sweeping], "A command ends once a stint."),
      .row(
        .leftFamily, in: [.killing], "kill all, wake in 5s", "L8",
        "what came to us when it died is killed too"),
      .traps(.leftFamily, in: [.sweeping], "A command ends once a stint."),
      .row(
        .familyEnded, in: [.killing], "nothing", "A14",
        "looked for while the command itself is what counts"),
      .row(
        .familyEnded, in: [.sweeping], "→ ended: no wake, end stint (finished), leave with 0",
        "A14", "the stint ends as its leader ended"),
      .row(.terminate, "request stop (SIGTERM, 3s)", "W11", "the next stint does not begin"),
      .row(.interrupt, "request stop (SIGINT, 3s)", "W11", "the next stint does not begin"),
      .row(.user, "nothing", "W11", "nobody is there to hear it"),
      .row(.commandStopped, "nothing", "A23", "our own stop is told as well, or it is over"),
      .row(.stopAsked, "nothing", "A23", "it is over in a moment, or is stopped already"),
      .row(.stopRequested, "remembered", "W11", "the next stint does not begin"),
      .row(.continued, "nothing", "A23", "nothing of it was stopped"),
      .row(.restEnded, "nothing", "A9", "it does not rest any more"),
      .row(.restEndedLate, "nothing", "A9", "it does not rest any more"),
    ])
}

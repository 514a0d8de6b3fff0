extension SupervisorTable {
  static let killed = section(
    state: .killed,
    situations: [
      (.killing, "a job at its deadline; its end is awaited"),
      (.sweeping, "it had exited with 0; at the deadline its descendants were sent SIGKILL"),
    ],
    rows: [
      row(
        .startFailed, "→ ended: no wake, end stint (not run), say (not started), leave with 127",
        "L8", "its time was over before it began"),
      row(.adopted, "remembered", "A12", "its tasks are told of the expiry"),
      row(
        .timePassed, in: [.killing], "wake in 4s", "A12",
        "SIGKILL needs its time; nobody waits for ever"),
      row(
        .timePassed, in: [.sweeping],
        "→ ended: say (left behind), no wake, end stint (finished), say (taken for finished), leave with 0",
        "A12",
        "SIGKILL needs its time; nobody waits for ever"),
      row(
        .finished, in: [.killing], "→ resting: no wake, end stint (left unfinished), rest 1s", "X1",
        "it was warned, and its checkpoint file says that it goes on"),
      traps(.finished, in: [.sweeping], "A command ends once a stint."),
      row(
        .asksAgain, in: [.killing], "→ resting: no wake, end stint (stopped in time), rest 1s",
        "L8", "75 asks for another stint, but the checkpoint file is as it was"),
      traps(.asksAgain, in: [.sweeping], "A command ends once a stint."),
      row(
        .failed, in: [.killing], "→ ended: no wake, end stint (failed), leave with 3", "L8",
        "a status that is no 75 says that it failed; `timeout` says 124"),
      traps(.failed, in: [.sweeping], "A command ends once a stint."),
      row(
        .diedOfStop, in: [.killing], "→ resting: no wake, end stint (stopped in time), rest 1s",
        "L8", "stopped in time by what was sent"),
      traps(.diedOfStop, in: [.sweeping], "A command ends once a stint."),
      row(
        .crashed, in: [.killing],
        "→ resting: no wake, end stint (crashed), say (dumped core), say (started again), rest 1s",
        "L8", "nobody here had sent it"),
      traps(.crashed, in: [.sweeping], "A command ends once a stint."),
      row(
        .died, in: [.killing],
        "→ resting: no wake, end stint (killed), say (started again), rest 1s", "L8",
        "killed at its deadline, it is started again if restarts are left"),
      traps(.died, in: [.sweeping], "A command ends once a stint."),
      row(
        .interrupted, in: [.killing], "→ ended: no wake, end stint (interrupted), die of SIGINT",
        "W11", "a terminal's key, which its group got alone, is the end of it all"),
      traps(.interrupted, in: [.sweeping], "A command ends once a stint."),
      row(
        .leftFamily, in: [.killing], "kill all, wake in 5s", "L8",
        "what came to us when it died is killed too"),
      traps(.leftFamily, in: [.sweeping], "A command ends once a stint."),
      row(
        .familyEnded, in: [.killing], "nothing", "A14",
        "looked for while the command itself is what counts"),
      row(
        .familyEnded, in: [.sweeping],
        "→ ended: no wake, end stint (finished), say (taken for finished), leave with 0",
        "A14", "the stint ends as its leader ended"),
      row(.terminate, "request stop (SIGTERM, 3s)", "W11", "the next stint does not begin"),
      row(.interrupt, "request stop (SIGINT, 3s)", "W11", "the next stint does not begin"),
    ])
}

extension SupervisorTable {
  static let running = section(
    state: .running,
    situations: [
      (.plain, "it has time, and there is no file and no second stint"),
      (.job, "the same with a checkpoint file and `--until-done`"),
      (.stopped, "Ctrl-Z stopped it, and the supervisor with it"),
      (.speaking, "it speaks to the system itself"),
    ],
    rows: [
      row(
        .startFailed, "→ ended: no wake, end stint (not run), say (not started), leave with 127",
        "L8", "126 or 127, as a shell says it"),
      row(
        .adopted, in: [.plain, .job, .stopped], "remembered", "A12",
        "its tasks are told of the expiry"),
      row(.adopted, in: [.speaking], "nothing", "A12", "it spoke before"),
      row(
        .conversationEnded, in: [.plain, .job, .stopped], "nothing", "A12", "it did not speak"),
      row(
        .conversationEnded, in: [.speaking], "remembered", "A12",
        "from here on it is one that does not speak"),
      row(.timePassed, "nothing", "A12", "no wake-up is wanted before the expiry"),
      row(
        .expired, in: [.plain, .job, .stopped],
        "→ expiring: say (sending SIGTERM), send SIGTERM", "A12", "the lead is reached"),
      row(.expired, in: [.speaking], "→ expiring", "A12", "the lead is reached; its tasks say so"),
      row(
        .stalled, "→ expiring: say (stalled), say (sending SIGTERM), send SIGTERM, wake in 5s",
        "X6",
        "its progress stands still: its time ends, with the lead to save in"),
      row(.deadlineMoved, "nothing", "A18", "it has not been told of an end that could move"),
      row(.deadlineExtended, "nothing", "E1", "it has not been told of an end that could move"),
      row(
        [.deadlineCame, .graceEnded], "→ killed: say (sending SIGKILL), kill all, no wake", "A19",
        "the whole group, while its leader is unreaped"),
      row(
        .finished, "→ ended: no wake, end stint (finished), leave with 0", "L8",
        "0 says finished, before or after an expiry; `timeout` says 124"),
      row(
        .asksAgain, in: [.plain, .stopped, .speaking],
        "→ ended: no wake, end stint (asks again), leave with 75", "L8",
        "75 asks for another stint; `timeout` says 124"),
      row(
        .asksAgain, in: [.job], "→ resting: no wake, end stint (asks again), rest 1s", "L8",
        "75 asks for another stint; `timeout` says 124"),
      row(
        .failed, "→ ended: no wake, end stint (failed), leave with 3", "L8",
        "a status that is no 75 says that it failed; `timeout` says 124"),
      row(
        .diedOfStop, in: [.plain, .stopped, .speaking],
        "→ ended: no wake, end stint (crashed), die of SIGTERM", "L8", "nobody here had sent it"),
      row(
        .diedOfStop, in: [.job],
        "→ resting: no wake, end stint (crashed), say (started again), rest 1s", "L8",
        "nobody here had sent it"),
      row(
        .crashed, in: [.plain, .stopped, .speaking],
        "→ ended: no wake, end stint (crashed), say (dumped core), die of SIGSEGV", "L8",
        "nobody here had sent it"),
      row(
        .crashed, in: [.job],
        "→ resting: no wake, end stint (crashed), say (dumped core), say (started again), rest 1s",
        "L8", "nobody here had sent it"),
      row(
        .died, in: [.plain, .stopped, .speaking],
        "→ ended: no wake, end stint (crashed), die of SIGKILL",
        "L8", "nobody here had sent it; 137 after an expiry"),
      row(
        .died, in: [.job], "→ resting: no wake, end stint (crashed), say (started again), rest 1s",
        "L8", "nobody here had sent it; 137 after an expiry"),
      row(
        .interrupted, "→ ended: no wake, end stint (interrupted), die of SIGINT", "W11",
        "a terminal's key, which its group got alone, is the end of it all"),
      row(
        .leftFamily, "→ ended: no wake, end stint (finished), leave with 0", "L8",
        "in its own time it may leave behind what it likes"),
      row(
        .terminate, in: [.plain, .job, .stopped],
        "say (sending SIGTERM), send SIGTERM, request stop (SIGTERM, 3s)", "W11",
        "passed on, and a grace begins"),
      row(
        .terminate, in: [.speaking], "send SIGCONT, request stop (SIGTERM, 3s)", "W11",
        "told of the stop in words; the signal could be faster"),
      row(
        .interrupt, in: [.plain, .job, .stopped],
        "say (sending SIGINT), send SIGINT, request stop (SIGINT, 3s)", "W11",
        "passed on, and a grace begins"),
      row(
        .interrupt, in: [.speaking], "send SIGCONT, request stop (SIGINT, 3s)", "W11",
        "told of the stop in words; the signal could be faster"),
      row(.user, "send SIGUSR1", "W11", "passed on as it came"),
      row(
        .commandStopped, in: [.plain, .job, .speaking], "stop with the group", "A23",
        "whoever continues the job continues both"),
      row(
        .commandStopped, in: [.stopped], "nothing", "A23",
        "our own stop is told as well, or it is over"),
      row(
        .stopAsked, in: [.plain, .job, .speaking], "send SIGTSTP, stop", "A23",
        "the command stops with its supervisor"),
      row(
        .stopAsked, in: [.stopped], "nothing", "A23",
        "it is over in a moment, or is stopped already"),
      row(.stopRequested, "remembered", "W11", "it goes on to its next checkpoint, or to its end"),
      row(
        .continued, in: [.plain, .job, .speaking], "nothing", "A23", "nothing of it was stopped"),
      row(
        .continued, in: [.stopped], "send SIGCONT", "A23", "the command goes on with its supervisor"
      ),
    ])
}

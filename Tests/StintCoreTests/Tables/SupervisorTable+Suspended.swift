extension SupervisorTable {
  static let suspended = section(
    state: .suspended,
    situations: [
      (.frozen, "at its deadline, until the next grant")
    ],
    rows: [
      row(
        .startFailed, "→ ended: no wake, end stint (not run), say (not started), leave with 127",
        "L8", "its time was over before it began"),
      row(.adopted, "remembered", "A12", "its tasks are told of the expiry"),
      row(
        .finished, "→ ended: no wake, end stint (finished), leave with 0", "L8",
        "0 says finished, before or after an expiry; `timeout` says 124"),
      row(
        .asksAgain, "→ ended: no wake, end stint (asks again), leave with 75", "L8",
        "75 asks for another stint; `timeout` says 124"),
      row(
        .failed, "→ ended: no wake, end stint (failed), leave with 3", "L8",
        "a status that is no 75 says that it failed; `timeout` says 124"),
      row(
        .diedOfStop, "→ ended: no wake, end stint (stopped in time), leave with 124", "L8",
        "stopped in time by what was sent"),
      row(
        .crashed, "→ ended: no wake, end stint (crashed), say (dumped core), die of SIGSEGV", "L8",
        "nobody here had sent it"),
      row(
        .died, "→ ended: no wake, end stint (crashed), leave with 137", "L8",
        "nobody here had sent it; 137 after an expiry"),
      row(
        .interrupted, "→ ended: no wake, end stint (interrupted), die of SIGINT", "W11",
        "a terminal's key, which its group got alone, is the end of it all"),
      row(
        .leftFamily, "→ killed: kill all, wake in 500ms", "L8",
        "what stands still beside it would do so for ever"),
      row(
        .terminate,
        "→ running: thaw, say (sending SIGTERM), send SIGTERM, request stop (SIGTERM, 3s)", "W11",
        "thawed, so that it can hear it and save"),
      row(
        .interrupt, "→ running: thaw, say (sending SIGINT), send SIGINT, request stop (SIGINT, 3s)",
        "W11", "thawed, so that it can hear it and save"),
      row(.stopAsked, "stop", "A23", "nothing runs that would go on meanwhile"),
      row(
        .stopRequested,
        "→ running: thaw, say (sending SIGTERM), send SIGTERM, request stop (SIGTERM, 3s)", "W11",
        "it would save nothing before its next stint"),
      row(.restEnded, "→ running: thaw with a grant", "A9", "the same process, with a new grant"),
      row(
        .restEndedLate, "→ killed: say (time is over), kill all, no wake", "A9",
        "nothing may stand still for ever"),
    ])
}

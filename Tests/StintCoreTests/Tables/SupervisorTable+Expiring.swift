extension SupervisorTable {
  /// Those in which the command is killed or suspended at the end.
  private static let withDeadline: [Situation] = [
    .stopSent, .warned, .asked, .told, .toldInVain, .adopted, .suspending,
  ]

  static let expiring = section(
    state: .expiring,
    situations: [
      (.stopSent, "5 s left; SIGTERM was sent"),
      (.warned, "5 s left; SIGUSR1 was sent, SIGTERM is due 2 s before the deadline"),
      (.asked, "SIGTERM came and was passed on; 3 s of grace are left"),
      (.told, "SIGTERM came, and it speaks; 3 s of grace are left"),
      (.toldInVain, "the grace is over, and SIGTERM was sent after it; it has as long again"),
      (.endless, "`timeout` without `-k`: SIGTERM was sent, and nobody kills it"),
      (.adopted, "5 s left; it speaks to the system itself and was told there"),
      (.suspending, "5 s left; at the deadline it is suspended"),
    ],
    rows: [
      row(
        .startFailed, "→ ended: no wake, end stint (not run), say (not started), leave with 127",
        "L8", "its time was over before it began"),
      row(
        .adopted, in: [.stopSent, .warned, .asked, .endless, .suspending], "remembered", "A12",
        "its tasks are told of the expiry"),
      row(.adopted, in: [.adopted, .told, .toldInVain], "nothing", "A12", "it spoke before"),
      row(
        .conversationEnded, in: [.stopSent, .warned, .asked, .endless, .suspending], "nothing",
        "A12", "it did not speak"),
      row(
        .conversationEnded, in: [.adopted, .told, .toldInVain], "remembered", "A12",
        "it is told already, and may be about to exit"),
      row(
        .timePassed, in: [.stopSent, .asked, .told, .endless, .adopted, .suspending], "nothing",
        "A12", "no stop signal is due: sent already, or never"),
      row(
        .timePassed, in: [.toldInVain], "→ killed: say (sending SIGKILL), kill all, no wake", "W11",
        "neither words nor the signal ended it"),
      row(
        .timePassed, in: [.warned], "say (sending SIGTERM), send SIGTERM", "A12",
        "the warning was not enough: asked to end"),
      row(
        .expired, in: [.stopSent, .asked, .told, .toldInVain, .adopted, .suspending], "nothing",
        "A12", "told again, with no nearer end"),
      row(.expired, in: [.warned], "wake in 3s", "A12", "told again, by an end that comes nearer"),
      row(.expired, in: [.endless], "remembered", "A12", "told again, by an end that comes nearer"),
      row(
        .deadlineMoved,
        in: [.stopSent, .asked, .told, .toldInVain, .endless, .adopted, .suspending], "remembered",
        "A18", "the stop signal moves with the deadline"),
      row(
        .deadlineMoved, in: [.warned], "say (sending SIGTERM), send SIGTERM", "A18",
        "the stop signal moves with the deadline"),
      row(
        .deadlineExtended,
        in: [.stopSent, .asked, .told, .toldInVain, .endless, .adopted, .suspending], "remembered",
        "E1", "told to stop, it stays told, and has more time for it"),
      row(
        .deadlineExtended, in: [.warned], "wake in 58s", "E1",
        "the stop signal moves with the deadline"),
      row(
        .deadlineCame, in: [.stopSent, .warned, .asked, .told, .toldInVain, .endless, .adopted],
        "→ killed: say (sending SIGKILL), kill all, no wake", "A19",
        "the whole group, while its leader is unreaped; or suspended, if that was asked for"),
      row(
        .graceEnded, in: [.stopSent, .warned, .asked, .toldInVain, .endless, .adopted],
        "→ killed: say (sending SIGKILL), kill all, no wake", "A19",
        "the whole group, while its leader is unreaped; or suspended, if that was asked for"),
      row(
        .graceEnded, in: [.told], "say (sending SIGTERM), send SIGTERM, wake in 3s", "W11",
        "its words did not end it; the signal may, and has a grace of its own"),
      row(
        [.deadlineCame, .graceEnded], in: [.suspending], "→ suspended: no wake, freeze, rest 1s",
        "A19",
        "the whole group, while its leader is unreaped; or suspended, if that was asked for"),
      row(
        .finished, in: [.stopSent, .warned, .asked],
        "→ ended: no wake, end stint (finished), say (taken for finished), leave with 0", "X1",
        "nothing says that it goes on; `timeout` says 124"),
      row(
        .finished, in: [.told, .toldInVain, .adopted, .suspending],
        "→ ended: no wake, end stint (finished), leave with 0", "X1",
        "it has other words for that, or was not warned"),
      row(
        .finished, in: [.endless], "→ ended: no wake, end stint (finished), leave with 124", "L8",
        "0 says finished, before or after an expiry; `timeout` says 124"),
      row(
        .asksAgain, in: withDeadline, "→ ended: no wake, end stint (asks again), leave with 75",
        "L8", "75 asks for another stint; `timeout` says 124"),
      row(
        .asksAgain, in: [.endless], "→ ended: no wake, end stint (asks again), leave with 124",
        "L8", "75 asks for another stint; `timeout` says 124"),
      row(
        .failed, in: withDeadline, "→ ended: no wake, end stint (failed), leave with 3", "L8",
        "a status that is no 75 says that it failed; `timeout` says 124"),
      row(
        .failed, in: [.endless], "→ ended: no wake, end stint (failed), leave with 124", "L8",
        "a status that is no 75 says that it failed; `timeout` says 124"),
      row(
        .diedOfStop, in: [.stopSent, .warned, .endless, .adopted, .suspending],
        "→ ended: no wake, end stint (stopped in time), leave with 124", "L8",
        "stopped in time by what was sent"),
      row(
        .diedOfStop, in: [.asked, .told, .toldInVain],
        "→ ended: no wake, end stint (stopped in time), die of SIGTERM",
        "L8", "stopped in time by what was sent"),
      row(
        .crashed, in: withDeadline,
        "→ ended: no wake, end stint (crashed), say (dumped core), die of SIGSEGV", "L8",
        "nobody here had sent it"),
      row(
        .crashed, in: [.endless],
        "→ ended: no wake, end stint (crashed), say (dumped core), leave with 124", "L8",
        "nobody here had sent it"),
      row(
        .died, in: [.stopSent, .warned, .endless, .adopted, .suspending],
        "→ ended: no wake, end stint (crashed), leave with 137", "L8",
        "nobody here had sent it; 137 after an expiry"),
      row(
        .died, in: [.asked, .told, .toldInVain],
        "→ ended: no wake, end stint (crashed), die of SIGKILL", "L8",
        "nobody here had sent it; 137 after an expiry"),
      row(
        .interrupted, in: withDeadline, "→ ended: no wake, end stint (interrupted), die of SIGINT",
        "W11", "a terminal's key, which its group got alone, is the end of it all"),
      row(
        .interrupted, in: [.endless], "→ ended: no wake, end stint (interrupted), leave with 124",
        "W11", "a terminal's key, which its group got alone, is the end of it all"),
      row(
        .leftFamily, in: [.stopSent, .warned, .asked, .adopted, .suspending],
        "→ emptying: no wake", "L8",
        "what it left behind has until the deadline, and without one a moment"),
      row(
        .leftFamily, in: [.told], "→ emptying: say (sending SIGTERM), send SIGTERM, no wake", "W11",
        "what it left behind does not speak, and has until the deadline"),
      row(
        .leftFamily, in: [.toldInVain], "→ emptying: wake in 3s", "L8",
        "what it left behind has as long as it had"),
      row(
        .leftFamily, in: [.endless], "→ emptying: wake in 300ms", "L8",
        "what it left behind has until the deadline, and without one a moment"),
      row(
        .terminate, in: [.stopSent, .warned, .suspending],
        "say (sending SIGTERM), send SIGTERM, request stop (SIGTERM, 3s)", "W11",
        "passed on, and a grace begins; a second one ends it at once"),
      row(
        .terminate, in: [.adopted], "send SIGCONT, request stop (SIGTERM, 3s)", "W11",
        "told of the stop in words; the signal could be faster"),
      row(
        .terminate, in: [.asked, .told, .toldInVain],
        "→ killed: say (sending SIGKILL), kill all, no wake", "W11",
        "passed on, and a grace begins; a second one ends it at once"),
      row(
        .terminate, in: [.endless],
        "say (sending SIGTERM), send SIGTERM, request stop (SIGTERM, for ever)", "W11",
        "passed on, and a grace begins; a second one ends it at once"),
      row(
        .interrupt, in: [.stopSent, .warned, .suspending],
        "say (sending SIGINT), send SIGINT, request stop (SIGINT, 3s)", "W11",
        "passed on, and a grace begins; a second one ends it at once"),
      row(
        .interrupt, in: [.adopted], "send SIGCONT, request stop (SIGINT, 3s)", "W11",
        "told of the stop in words; the signal could be faster"),
      row(
        .interrupt, in: [.asked, .told, .toldInVain],
        "→ killed: say (sending SIGKILL), kill all, no wake", "W11",
        "passed on, and a grace begins; a second one ends it at once"),
      row(
        .interrupt, in: [.endless],
        "say (sending SIGINT), send SIGINT, request stop (SIGINT, for ever)", "W11",
        "passed on, and a grace begins; a second one ends it at once"),
      row(.user, "send SIGUSR1", "W11", "passed on as it came"),
      row(
        .commandStopped, "stop with the group", "A23", "whoever continues the job continues both"),
      row(.stopAsked, "send SIGTSTP, stop", "A23", "the command stops with its supervisor"),
    ])
}

extension SystemTable {
  static let active = section(
    state: .active,
    situations: [
      (.idle, "nothing is open"),
      (.holding, "its handler is on the main queue"),
      (.using, "nothing is open"),
      (.stopping, "asked to stop with a grace of 3 s; the task is of the direct form"),
    ],
    rows: [
      row(
        .resigned, "→ inactive: tell willResignActive, show inactive", "L2",
        "the state seen inside willResignActive is active"),
      row(
        .timePassed, in: [.idle, .holding, .using], "nothing", "A9",
        "no clock runs in the foreground"),
      row(
        .timePassed, in: [.stopping],
        "→ not running: no hard stop, no wake, terminate (handlers overran)", "A19",
        "the grace is over and the owner has not ended the task"),
      row(
        [.began, .beganDirect], in: [.idle, .holding, .using], "granted", "A9",
        "dormant in the foreground"),
      row(
        [.began, .beganDirect], in: [.stopping], "denied (stopping)", "W11",
        "who is asked to stop gets no task"),
      row(
        .beganMute, in: [.idle, .holding, .using], "granted, diagnose (task without handler)",
        "A13", "it will not be warned"),
      row(
        .beganMute, in: [.stopping], "denied (stopping)", "W11", "who is asked to stop gets no task"
      ),
      row(
        .beganBySystem, in: [.idle, .holding, .using], "granted", "Q9", "dormant in the foreground"),
      row(
        .beganBySystem, in: [.stopping], "denied (stopping)", "W11",
        "who is asked to stop gets no task"),
      row(.timeAllowed, "nothing", "Q9", "no clock runs in the foreground"),
      row(.notCompleted, in: [.idle, .using], "nothing", "Q4", "it was completed"),
      row(
        .notCompleted, in: [.holding], "→ not running: terminate (never completed)", "Q4",
        "its own time counts in the foreground too"),
      row(
        .notCompleted, in: [.stopping],
        "→ not running: no hard stop, no wake, terminate (never completed)", "Q4",
        "a stop gives it no more time"),
      row(.ended, in: [.idle, .using], "unknown, diagnose (ended unknown)", "A7", "never begun"),
      row(.ended, in: [.holding], "ended", "A5"),
      row(
        .ended, in: [.stopping], "handler already started, no hard stop, no wake, stop completed",
        "W11", "the last task of a stop: the process may go"),
      row(.revoked, "nothing", "A18", "no trip: the budget that was meant is over"),
      row(
        [.expiredByAuthority, .deadlineMoved, .deadlineExtended], "nothing", "A18",
        "no trip: the one that was meant is over"),
      row(
        .stopped, in: [.idle, .using], "tell willTerminate, stop completed", "W11",
        "nothing is open: complete"),
      row(
        .stopped, in: [.holding],
        "hard stop in 3s, wake in 2.5s, tell willTerminate, record the expiry, call handlers (stop requested)",
        "W11", "the end comes by the grace, and the handlers are called"),
      row(
        .stopped, in: [.stopping], "nothing", "W11",
        "a second request can only bring the end nearer"),
      row(
        .modeBegan, in: [.idle, .holding, .using], "in use", "B5", "it counts from the next trip on"
      ),
      row(.modeBegan, in: [.stopping], "refused (stopping)", "B5", "a stop waits for no mode"),
      row(
        [.modeEnded, .modeForbidden], in: [.idle, .holding, .stopping], "nothing", "B5",
        "no mode is in use"),
      row(.modeEnded, in: [.using], "remembered", "B5", "the next trip has an end"),
      row(
        .modeForbidden, in: [.using], "diagnose (mode ended)", "B5",
        "whoever uses it is told, and the next trip has an end"),
      row(
        .terminated, in: [.idle, .holding, .using], "→ not running: tell willTerminate", "L2",
        "willTerminate is told, unless the stop has told it"),
      row(
        .terminated, in: [.stopping], "→ not running: no hard stop, no wake", "L2",
        "willTerminate is told, unless the stop has told it"),
    ])
}

extension SystemTable {
  static let suspended = section(
    state: .suspended,
    situations: [
      (.suspended, "the last task was ended in the background"),
      (.suspendedWithDenied, "another process refused the task, whose owner was told"),
    ],
    rows: [
      row(
        .foregroundEntered, "→ inactive: resume, tell willEnterForeground, show inactive", "L2",
        "runs again first"),
      row(.timePassed, "nothing", "L5", "no code runs, no tick fires"),
      row(
        [.began, .beganDirect, .beganMute], "denied (suspended)", "L4",
        "too late: denied, not ignored"),
      row(
        .beganBySystem, in: [.suspended],
        "→ background: granted, resume, hard stop in 40s, wake in 35s", "Q9",
        "it gets a trip of its own"),
      row(
        .beganBySystem, in: [.suspendedWithDenied],
        "→ background: granted, resume, hard stop in 30s, wake in 30s, ask", "Q9",
        "another process's trip goes on with what is left of it"),
      row(.timeAllowed, "nothing", "Q9", "nothing runs that could use it"),
      row(.notCompleted, "nothing", "Q4", "it was completed, or refused"),
      row(
        .ended, in: [.suspended], "already ended, diagnose (ended twice)", "A7",
        "names where it was ended first"),
      row(
        .ended, in: [.suspendedWithDenied], "handler already started", "A4",
        "a denied task is ended by its owner; it held nothing"),
      row([.revoked, .expiredByAuthority], "nothing", "A18", "the trip holds nothing any more"),
      row(.deadlineMoved, "remembered", "A18", "it counts when the trip goes on"),
      row(.deadlineExtended, "remembered", "E1", "it counts when the trip goes on"),
      row(.stopped, "stop completed", "W11", "nothing runs that could be told: complete"),
      row(.resumed, "→ background: wake in 5s, resume", "A23", "the trip goes on with a new grace"),
      row(.killed, "→ not running: terminate (killed while suspended)", "L6", "without notice"),
      row(.memoryPressed, "nothing", "L10", "nothing runs that could be told"),
      row(.modeBegan, "refused (suspended)", "B5", "no code runs that could use it"),
      row(
        .modeBeganUndeclared, "refused (undeclared)", "B5", "no code runs, and it would be no other"
      ),
      row(.modeEnded, "nothing", "B5", "the system ended it before"),
      row(.modeForbidden, "nothing", "B5", "it is not in use"),
      row(.terminated, "→ not running", "L6", "nobody is there to be told"),
    ])
}

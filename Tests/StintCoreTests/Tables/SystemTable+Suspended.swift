extension SystemTable {
  static let suspended = TableSection<Self>(
    state: .suspended,
    situations: [
      (.suspended, "the last task was ended in the background"),
      (.suspendedWithDenied, "another process refused the task, whose owner was told"),
    ],
    rows: [
      .traps(.launched, "An application is launched once."),
      .traps(.launchedIntoBackground, "An application is launched once."),
      .traps(.resigned, "Only an active application resigns."),
      .traps(.backgroundEntered, "The background is entered from the inactive state."),
      .row(.enterReturned, "nothing", "L4", "returned after its trip was over"),
      .row(
        .foregroundEntered, "→ inactive: resume, tell willEnterForeground, show inactive", "L2",
        "runs again first"),
      .traps(.becameActive, "An application becomes active from the inactive state."),
      .row(.timePassed, "nothing", "L5", "no code runs, no tick fires"),
      .row(.began, "denied (suspended)", "L4", "too late: denied, not ignored"),
      .row(.beganDirect, "denied (suspended)", "L4", "too late: denied, not ignored"),
      .row(.beganMute, "denied (suspended)", "L4", "too late: denied, not ignored"),
      .row(
        .ended, in: [.suspended], "already ended, diagnose (ended twice)", "A7",
        "names where it was ended first"),
      .row(
        .ended, in: [.suspendedWithDenied], "handler already started", "A4",
        "a denied task is ended by its owner; it held nothing"),
      .row(.endedUnknown, "unknown, diagnose (ended unknown)", "A7"),
      .row(.answered, "nothing", "A3", "no answer is awaited for that task"),
      .row(.refused, "nothing", "A3", "no answer is awaited for that task"),
      .row(.claimed, "nothing", "A17", "no call is due: a stale one is dropped"),
      .row(.returned, "nothing", "A12", "no handler runs"),
      .row(.revoked, "nothing", "A18", "the trip holds nothing any more"),
      .row(.expiredByAuthority, "nothing", "A18", "the trip holds nothing any more"),
      .row(.deadlineMoved, "remembered", "A18", "it counts when the trip goes on"),
      .row(.deadlineExtended, "remembered", "E1", "it counts when the trip goes on"),
      .row(.stopped, "stop completed", "W11", "nothing runs that could be told: complete"),
      .row(.continued, "nothing", "A23", "the deadline is not reached, or there is none"),
      .row(
        .resumed, "→ background: wake in 5s, resume", "A23", "the trip goes on with a new grace"),
      .row(.killed, "→ not running: terminate (killed while suspended)", "L6", "without notice"),
      .row(.memoryPressed, "nothing", "L10", "nothing runs that could be told"),
      .row(.modeDeclared, "remembered", "B5", "a mode may be declared at any time"),
      .row(.modeBegan, "refused (suspended)", "B5", "no code runs that could use it"),
      .row(
        .modeBeganUndeclared, "refused (undeclared)", "B5",
        "no code runs, and it would be no other"),
      .row(.modeEnded, "nothing", "B5", "the system ended it before"),
      .row(.modeForbidden, "nothing", "B5", "it is not in use"),
      .row(.terminated, "→ not running", "L6", "nobody is there to be told"),
      .row(.reported, "nothing", "L8", "nothing was terminated"),
    ])
}

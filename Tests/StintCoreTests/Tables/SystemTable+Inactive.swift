extension SystemTable {
  static let inactive = TableSection<Self>(
    state: .inactive,
    situations: [
      (.launching, "after the launch, never active yet"),
      (.leaving, "after resigning"),
    ],
    rows: [
      .traps(.launched, "An application is launched once."),
      .traps(.launchedIntoBackground, "An application is launched once."),
      .traps(.resigned, "Only an active application resigns."),
      .row(
        .backgroundEntered, in: [.launching],
        "→ background: wake in 5s, show background, tell didEnterBackground", "A9",
        "the clock starts before didEnterBackground runs; the grace ends first"),
      .row(
        .backgroundEntered, in: [.leaving],
        "→ background: hard stop in 30s, wake in 5s, show background, tell didEnterBackground",
        "A9", "the clock starts before didEnterBackground runs; the grace ends first"),
      .row(.enterReturned, "nothing", "L4", "returned after its trip was over"),
      .traps(.foregroundEntered, "The foreground is entered from the background."),
      .row(.becameActive, "→ active: show active, tell didBecomeActive", "L2"),
      .row(.timePassed, "nothing", "A9", "no clock runs in the foreground"),
      .row(.began, "granted", "A9", "dormant in the foreground"),
      .row(.beganDirect, "granted", "A9", "dormant in the foreground"),
      .row(.beganMute, "granted, diagnose (task without handler)", "A13", "it will not be warned"),
      .row(.ended, in: [.launching], "unknown, diagnose (ended unknown)", "A7", "never begun"),
      .row(.ended, in: [.leaving], "ended", "A5"),
      .row(.endedUnknown, "unknown, diagnose (ended unknown)", "A7"),
      .row(.answered, "nothing", "A3", "no answer is awaited for that task"),
      .row(.refused, "nothing", "A3", "no answer is awaited for that task"),
      .row(.claimed, "nothing", "A17", "no call is due: a stale one is dropped"),
      .row(.returned, "nothing", "A12", "no handler runs"),
      .row(.revoked, "nothing", "A18", "no trip: the budget that was meant is over"),
      .row(.expiredByAuthority, "nothing", "A18", "no trip: the one that was meant is over"),
      .row(.deadlineMoved, "nothing", "A18", "no trip: the one that was meant is over"),
      .row(.deadlineExtended, "nothing", "A18", "no trip: the one that was meant is over"),
      .row(
        .stopped, in: [.launching], "tell willTerminate, stop completed", "W11",
        "nothing is open: complete"),
      .row(
        .stopped, in: [.leaving],
        "hard stop in 3s, wake in 2.5s, tell willTerminate, record the expiry, call handlers (stop requested)",
        "W11", "the end comes by the grace, and the handlers are called"),
      .row(.continued, "nothing", "A23", "the deadline is not reached, or there is none"),
      .row(.resumed, "nothing", "A23", "not suspended, or the foreground was entered first"),
      .row(.killed, "nothing", "L6", "resumed, or gone, before the decision took effect"),
      .row(.memoryPressed, "tell didReceiveMemoryWarning", "L10"),
      .row(.modeDeclared, "remembered", "B5", "a mode may be declared at any time"),
      .row(.modeBegan, "in use", "B5", "it counts from the next trip on"),
      .row(.modeBeganUndeclared, "refused (undeclared)", "B5"),
      .row(.modeEnded, "nothing", "B5", "no mode is in use"),
      .row(.modeForbidden, "nothing", "B5", "no mode is in use"),
      .row(
        .terminated, "→ not running: tell willTerminate", "L2",
        "willTerminate is told, unless the stop has told it"),
      .row(.reported, "nothing", "L8", "nothing was terminated"),
    ])
}

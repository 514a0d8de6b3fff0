extension SystemTable {
  static let notRunning = TableSection<Self>(
    state: .notRunning,
    situations: [
      (.notLaunched, "the beginning"),
      (.overrun, "the trip ran past its deadline; the handler had been called and not claimed"),
    ],
    rows: [
      .row(
        .launched, in: [.notLaunched],
        "→ inactive: show inactive, tell willFinishLaunching, tell didFinishLaunching", "L9",
        "on its way to the active state"),
      .traps(.launched, in: [.overrun], "An application is launched once."),
      .row(
        .launchedIntoBackground, in: [.notLaunched],
        "→ background: wake in 5s, show background, tell willFinishLaunching, tell didFinishLaunching, tell didEnterBackground",
        "L7", "no willEnterForeground"),
      .traps(.launchedIntoBackground, in: [.overrun], "An application is launched once."),
      .traps(.resigned, "Only an active application resigns."),
      .traps(.backgroundEntered, "The background is entered from the inactive state."),
      .row(.enterReturned, "nothing", "L4", "returned after its trip was over"),
      .traps(.foregroundEntered, "The foreground is entered from the background."),
      .traps(.becameActive, "An application becomes active from the inactive state."),
      .row(.timePassed, "nothing", "L1", "a timer that crossed the termination"),
      .row(.began, "denied (not running)", "A4", "nothing runs that could hold a task"),
      .row(.beganDirect, "denied (not running)", "A4", "nothing runs that could hold a task"),
      .row(.beganMute, "denied (not running)", "A4", "nothing runs that could hold a task"),
      .row(.ended, in: [.notLaunched], "unknown, diagnose (ended unknown)", "A7", "never begun"),
      .row(.ended, in: [.overrun], "ended", "A5", "the owner ends what is left"),
      .row(.endedUnknown, "unknown, diagnose (ended unknown)", "A7"),
      .row(.answered, "nothing", "A3", "no answer is awaited for that task"),
      .row(.refused, "nothing", "A3", "no answer is awaited for that task"),
      .row(.claimed, in: [.notLaunched], "nothing", "A5", "no such task"),
      .row(
        .claimed, in: [.overrun], "may call", "A19",
        "the call was on its way; a termination does not wait for it"),
      .row(.returned, "nothing", "A12", "returned after the task or the application was gone"),
      .row(.revoked, "nothing", "A18", "the trip that was meant is over"),
      .row(.expiredByAuthority, "nothing", "A18", "the trip that was meant is over"),
      .row(.deadlineMoved, "nothing", "A18", "the trip that was meant is over"),
      .row(.deadlineExtended, "nothing", "A18", "the trip that was meant is over"),
      .row(
        .stopped, in: [.notLaunched], "stop completed", "W11", "nothing runs that could be told"),
      .row(
        .stopped, in: [.overrun], "record the expiry, stop completed", "W11",
        "nothing runs that could be told; the record names the task"),
      .row(.continued, "nothing", "A23", "the deadline is not reached, or there is none"),
      .row(.resumed, "nothing", "A23", "not suspended, or the foreground was entered first"),
      .row(.killed, "nothing", "L6", "resumed, or gone, before the decision took effect"),
      .row(.memoryPressed, "nothing", "L10", "nothing runs that could be told"),
      .row(.modeDeclared, "remembered", "B5", "declared before the launch"),
      .row(.modeBegan, "refused (not running)", "B5", "nothing runs that could use it"),
      .row(
        .modeBeganUndeclared, "refused (undeclared)", "B5", "nothing runs, and it would be no other"
      ),
      .row(.modeEnded, "nothing", "B5", "the termination ended it"),
      .row(.modeForbidden, "nothing", "B5", "it is not in use"),
      .row(.terminated, "nothing", "L8", "ended already"),
      .row(.reported, in: [.notLaunched], "nothing", "L8", "nothing was terminated"),
      .row(
        .reported, in: [.overrun], "→ suspended: suspend", "L8",
        "all tasks are ended and the application is suspended instead"),
    ])
}

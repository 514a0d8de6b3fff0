extension SystemTable {
  static let notRunning = section(
    state: .notRunning,
    situations: [
      (.notLaunched, "the beginning"),
      (.overrun, "the trip ran past its deadline; the handler had been called and not claimed"),
    ],
    rows: [
      row(
        .launched, in: [.notLaunched],
        "→ inactive: show inactive, tell willFinishLaunching, tell didFinishLaunching", "L9",
        "on its way to the active state"),
      traps(.launched, in: [.overrun], "An application is launched once."),
      row(
        .launchedIntoBackground, in: [.notLaunched],
        "→ background: wake in 5s, show background, tell willFinishLaunching, tell didFinishLaunching, tell didEnterBackground",
        "L7", "no willEnterForeground"),
      traps(.launchedIntoBackground, in: [.overrun], "An application is launched once."),
      row(.timePassed, "nothing", "L1", "a timer that crossed the termination"),
      row(
        [.began, .beganDirect, .beganMute], "denied (not running)", "A4",
        "nothing runs that could hold a task"),
      row(.beganBySystem, "denied (not running)", "Q9", "it is launched first"),
      row(.timeAllowed, "nothing", "Q9", "the trip that was meant is over"),
      row(.notCompleted, "nothing", "Q4", "the process is gone already"),
      row(.ended, in: [.notLaunched], "unknown, diagnose (ended unknown)", "A7", "never begun"),
      row(.ended, in: [.overrun], "ended", "A5", "the owner ends what is left"),
      row(.claimed, in: [.notLaunched], "nothing", "A5", "no such task"),
      row(
        .claimed, in: [.overrun], "may call", "A19",
        "the call was on its way; a termination does not wait for it"),
      row(.returned, "nothing", "A12", "returned after the task or the application was gone"),
      row(
        [.revoked, .expiredByAuthority, .deadlineMoved, .deadlineExtended], "nothing", "A18",
        "the trip that was meant is over"),
      row(.stopped, in: [.notLaunched], "stop completed", "W11", "nothing runs that could be told"),
      row(
        .stopped, in: [.overrun], "record the expiry, stop completed", "W11",
        "nothing runs that could be told; the record names the task"),
      row(.memoryPressed, "nothing", "L10", "nothing runs that could be told"),
      row(.modeDeclared, "remembered", "B5", "declared before the launch"),
      row(.modeBegan, "refused (not running)", "B5", "nothing runs that could use it"),
      row(
        .modeBeganUndeclared, "refused (undeclared)", "B5", "nothing runs, and it would be no other"
      ),
      row(.modeEnded, "nothing", "B5", "the termination ended it"),
      row(.modeForbidden, "nothing", "B5", "it is not in use"),
      row(.terminated, "nothing", "L8", "ended already"),
      row(.reported, in: [.notLaunched], "nothing", "L8", "nothing was terminated"),
      row(
        .reported, in: [.overrun], "→ suspended: suspend", "L8",
        "all tasks are ended and the application is suspended instead"),
    ])
}

extension SystemTable {
  static let inactive = section(
    state: .inactive,
    situations: [
      (.launching, "after the launch, never active yet"),
      (.leaving, "after resigning"),
    ],
    rows: [
      row(
        .backgroundEntered, in: [.launching],
        "→ background: wake in 5s, show background, tell didEnterBackground", "A9",
        "the clock starts before didEnterBackground runs; the grace ends first"),
      row(
        .backgroundEntered, in: [.leaving],
        "→ background: hard stop in 30s, wake in 5s, show background, tell didEnterBackground",
        "A9", "the clock starts before didEnterBackground runs; the grace ends first"),
      row(.becameActive, "→ active: show active, tell didBecomeActive", "L2"),
      row(.timePassed, "nothing", "A9", "no clock runs in the foreground"),
      row([.began, .beganDirect], "granted", "A9", "dormant in the foreground"),
      row(.beganMute, "granted, diagnose (task without handler)", "A13", "it will not be warned"),
      row(.beganBySystem, "granted", "Q9", "dormant in the foreground"),
      row(.timeAllowed, "nothing", "Q9", "no clock runs in the foreground"),
      row(.notCompleted, in: [.launching], "nothing", "Q4", "it was completed"),
      row(
        .notCompleted, in: [.leaving], "→ not running: terminate (never completed)", "Q4",
        "its own time counts in the foreground too"),
      row(.ended, in: [.launching], "unknown, diagnose (ended unknown)", "A7", "never begun"),
      row(.ended, in: [.leaving], "ended", "A5"),
      row(.revoked, "nothing", "A18", "no trip: the budget that was meant is over"),
      row(
        [.expiredByAuthority, .deadlineMoved, .deadlineExtended], "nothing", "A18",
        "no trip: the one that was meant is over"),
      row(
        .stopped, in: [.launching], "tell willTerminate, stop completed", "W11",
        "nothing is open: complete"),
      row(
        .stopped, in: [.leaving],
        "hard stop in 3s, wake in 2.5s, tell willTerminate, record the expiry, call handlers (stop requested)",
        "W11", "the end comes by the grace, and the handlers are called"),
      row(.modeBegan, "in use", "B5", "it counts from the next trip on"),
      row([.modeEnded, .modeForbidden], "nothing", "B5", "no mode is in use"),
      row(
        .terminated, "→ not running: tell willTerminate", "L2",
        "willTerminate is told, unless the stop has told it"),
    ])
}

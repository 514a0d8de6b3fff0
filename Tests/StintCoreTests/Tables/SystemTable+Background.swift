extension SystemTable {
  static let background = section(
    state: .background,
    situations: [
      (.entering, "didEnterBackground has not returned"),
      (.enteringPending, "the same, where another process grants; the task is of the direct form"),
      (.held, "the trip has just begun, 30 s left"),
      (.called, "5 s left; the call is on its way to the main queue"),
      (.handling, "5 s left; the call was claimed"),
      (.spent, "5 s left; the task was not ended"),
      (.playing, "didEnterBackground has returned"),
      (.playingHeld, "the same; the task's handler is on the main queue"),
      (.budgeted, "somebody else than the policy says when the trip ends; 10 s without a task"),
      (.budgetedHeld, "the same; the task has been open since the trip began"),
    ],
    rows: [
      row(
        .enterReturned, in: [.entering], "remembered", "L4",
        "the grace still runs, because no task was begun"),
      row(
        .enterReturned, in: [.enteringPending], "wake in 30s", "L4",
        "an answer that is pending counts as open"),
      row(
        .enterReturned,
        in: [
          .held, .called, .handling, .spent, .playing, .playingHeld, .budgeted, .budgetedHeld,
        ], "nothing", "L4", "returned already"),
      row(
        .foregroundEntered, in: [.entering, .budgeted],
        "→ inactive: no wake, tell willEnterForeground, show inactive", "A16",
        "the trip is over: no hard stop, no wake, unlimited time"),
      row(
        .foregroundEntered, in: [.enteringPending, .held, .called, .spent, .budgetedHeld],
        "→ inactive: no hard stop, no wake, tell willEnterForeground, show inactive", "A16",
        "the trip is over: no hard stop, no wake, unlimited time"),
      row(
        .foregroundEntered, in: [.handling],
        "→ inactive: no hard stop, tell willEnterForeground, show inactive", "A16",
        "the hard stop is disarmed; the allowance of the running handler is still watched"),
      row(
        .foregroundEntered, in: [.playing, .playingHeld],
        "→ inactive: tell willEnterForeground, show inactive", "A16",
        "the trip is over; the mode stays in use"),
      row(
        .timePassed, in: [.entering],
        "→ not running: no wake, terminate (didEnterBackground overran)", "L4", "the grace is over"),
      row(
        .timePassed, in: [.enteringPending],
        "→ not running: no hard stop, no wake, terminate (didEnterBackground overran)", "L4",
        "the grace is over"),
      row(
        .timePassed, in: [.held, .budgetedHeld],
        "wake in 2.5s, record the expiry, call handlers (time elapsed)", "A12",
        "the lead is reached"),
      row(
        .timePassed, in: [.budgeted], "→ suspended: no wake, suspend", "A15",
        "its time is used up, and nothing holds it"),
      row(
        .timePassed, in: [.called], "wake in 2.5s, diagnose (main queue unserved)", "A12",
        "nothing serves the main queue"),
      row(
        .timePassed, in: [.handling], "wake in 2.5s, diagnose (handler overran)", "A19",
        "longer than its allowance, and still running"),
      row(
        .timePassed, in: [.spent], "→ not running: no hard stop, no wake, terminate (leaked task)",
        "A14", "the deadline has come with the task open"),
      row(
        .timePassed, in: [.playing, .playingHeld], "nothing", "B5",
        "no clock runs while a mode is in use"),
      row(
        [.began, .beganDirect], in: [.entering], "granted, hard stop in 30s", "L4",
        "begun within the grace, it counts"),
      row(
        [.began, .beganDirect], in: [.enteringPending], "granted, ask", "A3",
        "the grant is asynchronous"),
      row(
        [.began, .beganDirect], in: [.held, .playing, .playingHeld, .budgetedHeld], "granted",
        "A11",
        "joins the trip"),
      row(
        [.began, .beganDirect], in: [.budgeted], "granted, hard stop in 20s, wake in 15s", "A11",
        "joins the trip: its time is what is left"),
      row(
        .began, in: [.called, .handling, .spent], "granted, call handlers (time elapsed)", "A11",
        "inside the lead it is warned at once"),
      row(
        .beganDirect, in: [.called, .handling, .spent],
        "granted, hand the expiry over (time elapsed)", "A11",
        "inside the lead it is warned at once"),
      row(
        .beganMute, in: [.entering], "granted, hard stop in 30s, diagnose (task without handler)",
        "A13", "it will not be warned, and costs the process its life like any other"),
      row(
        .beganMute, in: [.enteringPending], "granted, diagnose (task without handler), ask", "A13",
        "it will not be warned, and costs the process its life like any other"),
      row(
        .beganMute, in: [.held, .called, .handling, .playing, .playingHeld, .budgetedHeld],
        "granted, diagnose (task without handler)", "A13",
        "it will not be warned, and costs the process its life like any other"),
      row(
        .beganMute, in: [.budgeted],
        "granted, hard stop in 20s, wake in 15s, diagnose (task without handler)", "A13",
        "it will not be warned, and costs the process its life like any other"),
      row(
        .beganMute, in: [.spent], "granted, diagnose (task without handler), diagnose (left open)",
        "A13", "it will not be warned, and costs the process its life like any other"),
      row(
        .beganBySystem, in: [.entering], "granted, hard stop in 40s", "Q9",
        "it joins the trip, whose end moves to the later of the two"),
      row(
        .beganBySystem, in: [.enteringPending], "granted, ask", "Q9",
        "another process says when the trip ends"),
      row(
        .beganBySystem, in: [.held, .called, .spent],
        "granted, tell the later deadline, hard stop in 40s, wake in 35s", "Q9",
        "it joins the trip, whose end moves to the later of the two"),
      row(
        .beganBySystem, in: [.handling],
        "granted, tell the later deadline, hard stop in 40s", "Q9",
        "it joins the trip, whose end moves; the handler goes on"),
      row(
        .beganBySystem, in: [.playing, .playingHeld, .budgetedHeld], "granted", "Q9",
        "it joins the trip, which ends later or not at all"),
      row(
        .beganBySystem, in: [.budgeted], "granted, hard stop in 20s, wake in 15s", "Q9",
        "never beyond the end of a budget"),
      row(.timeAllowed, in: [.entering], "remembered", "Q9", "the trip ends later"),
      row(
        .timeAllowed, in: [.enteringPending, .playing, .playingHeld, .budgeted, .budgetedHeld],
        "nothing", "Q9", "somebody else says when the trip ends, or it has no end"),
      row(
        .timeAllowed, in: [.held, .called],
        "hard stop in 1m, wake in 55s, tell the later deadline", "Q9", "the trip ends later"),
      row(
        .timeAllowed, in: [.handling], "hard stop in 1m, tell the later deadline", "Q9",
        "the trip ends later; the handler goes on"),
      row(
        .timeAllowed, in: [.spent], "hard stop in 1m, wake in 1m, tell the later deadline", "Q9",
        "the trip ends later, and the task stays spent"),
      row(
        .notCompleted, in: [.entering, .playing, .budgeted], "nothing", "Q4", "it was completed"),
      row(
        .notCompleted, in: [.enteringPending, .held, .called, .handling, .spent, .budgetedHeld],
        "→ not running: no hard stop, no wake, terminate (never completed)", "Q4",
        "its own time is over"),
      row(
        .notCompleted, in: [.playingHeld], "→ not running: terminate (never completed)", "Q4",
        "its own time is over, whatever mode is in use"),
      row(
        .ended, in: [.entering, .playing, .budgeted], "unknown, diagnose (ended unknown)", "A7",
        "never begun"),
      row(
        .ended, in: [.enteringPending], "ended, no hard stop", "L4",
        "didEnterBackground has still to return"),
      row(
        .ended, in: [.held, .called], "→ suspended: ended, no hard stop, no wake, suspend", "A15",
        "suspended, not terminated"),
      row(
        .ended, in: [.handling, .spent],
        "→ suspended: handler already started, no hard stop, no wake, suspend", "A15",
        "suspended, not terminated"),
      row(.ended, in: [.playingHeld], "ended", "B5", "the mode keeps the application"),
      row(
        .ended, in: [.budgetedHeld], "ended, no hard stop, wake in 20s", "A15",
        "a task may still be begun: nothing is suspended before the trip's time is used up"),
      row(
        .idled, in: [.entering, .enteringPending], "remembered", "A15",
        "didEnterBackground has still to return"),
      row(
        .idled, in: [.held, .called, .handling, .spent, .playing, .playingHeld, .budgetedHeld],
        "remembered", "A15", "suspended when nothing holds the application any more"),
      row(
        .idled, in: [.budgeted], "→ suspended: no wake, suspend", "A15",
        "nothing is left that could use the time"),
      row(
        [.answered, .refused],
        in: [
          .entering, .held, .called, .handling, .spent, .playing, .playingHeld, .budgeted,
          .budgetedHeld,
        ], "nothing", "A3", "no answer is awaited for that task"),
      row(.answered, in: [.enteringPending], "answer granted", "A3", "the owner is told"),
      row(
        .refused, in: [.enteringPending],
        "no hard stop, answer denied, hand the expiry over (denied)", "A4",
        "one call with the reason; the task holds nothing any more"),
      row(
        .claimed,
        in: [
          .entering, .enteringPending, .held, .handling, .spent, .playing, .playingHeld, .budgeted,
          .budgetedHeld,
        ], "nothing", "A5", "no call is due, or it is claimed already"),
      row(.claimed, in: [.called], "may call", "A5", "claimed: from now on an end comes too late"),
      row(
        .returned,
        in: [
          .entering, .enteringPending, .held, .called, .spent, .playing, .playingHeld, .budgeted,
          .budgetedHeld,
        ], "nothing", "A12", "no handler runs"),
      row(
        .returned, in: [.handling], "wake in 5s, diagnose (left open)", "A14",
        "returned, and its task is still open"),
      row(
        .revoked, in: [.entering], "remembered", "A18",
        "no more than the lead is left; there is nobody to warn"),
      row(
        .revoked, in: [.enteringPending],
        "hard stop in 5s, record the expiry, diagnose (left open)", "A18",
        "no more than the lead is left; a task without a grant cannot be warned"),
      row(
        .revoked, in: [.budgeted], "wake in 5s", "A18",
        "no more than the lead is left; there is nobody to warn"),
      row(
        .revoked, in: [.held, .budgetedHeld],
        "hard stop in 5s, wake in 2.5s, record the expiry, call handlers (revoked)", "A18",
        "no more than the lead is left"),
      row(
        .revoked, in: [.called, .handling, .spent], "remembered", "A18",
        "what is left is the lead already; no mode lifts it any more"),
      row(
        .revoked, in: [.playing], "wake in 5s, diagnose (mode ended)", "B5",
        "no mode lifts what is taken back"),
      row(
        .revoked, in: [.playingHeld],
        "hard stop in 5s, wake in 2.5s, diagnose (mode ended), record the expiry, call handlers (revoked)",
        "B5", "no mode lifts what is taken back"),
      row(
        [.expiredByAuthority, .deadlineMoved], in: [.entering, .budgeted], "wake in 3s", "A18",
        "nobody is there to be warned; the grace ends with the trip"),
      row(
        .expiredByAuthority, in: [.enteringPending],
        "hard stop in 3s, wake in 3s, record the expiry, diagnose (left open)", "A18",
        "a task without a grant cannot be warned"),
      row(
        .expiredByAuthority, in: [.held, .budgetedHeld],
        "hard stop in 3s, wake in 2.5s, record the expiry, call handlers (engine's end time)",
        "A18", "whatever the own clock says, with the reason that came"),
      row(.expiredByAuthority, in: [.called], "hard stop in 3s", "A18", "called once is called"),
      row(
        .expiredByAuthority, in: [.handling], "hard stop in 3s, tell the nearer deadline", "A18",
        "called once is called; it has less time than it was told"),
      row(
        .expiredByAuthority, in: [.spent], "hard stop in 3s, wake in 3s, tell the nearer deadline",
        "A18", "called once is called"),
      row(
        .expiredByAuthority, in: [.playing], "wake in 3s, diagnose (mode ended)", "B5",
        "no mode lifts another's end"),
      row(
        .expiredByAuthority, in: [.playingHeld],
        "hard stop in 3s, wake in 2.5s, diagnose (mode ended), record the expiry, call handlers (engine's end time)",
        "B5", "no mode lifts another's end"),
      row(
        .deadlineMoved, in: [.enteringPending], "hard stop in 3s, wake in 3s", "A18",
        "a task without a grant cannot be warned"),
      row(
        .deadlineMoved, in: [.held, .budgetedHeld],
        "hard stop in 3s, wake in 2.5s, record the expiry, call handlers (revoked)", "A18",
        "time taken back is a revocation"),
      row(
        .deadlineMoved, in: [.called], "hard stop in 3s", "A18",
        "the call that is on its way gets the new end"),
      row(
        .deadlineMoved, in: [.handling], "hard stop in 3s, tell the nearer deadline", "A18",
        "it has less time than it was told"),
      row(
        .deadlineMoved, in: [.spent], "hard stop in 3s, wake in 3s, tell the nearer deadline",
        "A18", "its owner still saves"),
      row(
        .deadlineMoved, in: [.playing], "wake in 3s, diagnose (mode ended)", "B5",
        "no mode lifts another's end; the grace ends with it"),
      row(
        .deadlineMoved, in: [.playingHeld],
        "hard stop in 3s, wake in 2.5s, diagnose (mode ended), record the expiry, call handlers (revoked)",
        "B5", "no mode lifts another's end"),
      row(
        .deadlineExtended, in: [.entering], "remembered", "E1",
        "the grace has its full length already"),
      row(
        .deadlineExtended, in: [.enteringPending], "hard stop in 1m, tell the later deadline", "E1",
        "a task that is begun then gets the new end"),
      row(
        .deadlineExtended, in: [.budgeted], "wake in 1m", "E1",
        "a task that is begun then gets the new end"),
      row(
        .deadlineExtended, in: [.held, .budgetedHeld],
        "hard stop in 1m, wake in 55s, tell the later deadline",
        "E1", "it is warned by the new end"),
      row(
        .deadlineExtended, in: [.called], "hard stop in 1m, wake in 55s, tell the later deadline",
        "E1", "nobody was told yet: the call is taken back, and made by the new end"),
      row(
        .deadlineExtended, in: [.handling], "hard stop in 1m, tell the later deadline", "E1",
        "nothing is un-called: the task stays spent"),
      row(
        .deadlineExtended, in: [.spent], "hard stop in 1m, wake in 1m, tell the later deadline",
        "E1", "nothing is un-called: the task stays spent"),
      row(
        .deadlineExtended, in: [.playing], "wake in 1m, diagnose (mode ended)", "B5",
        "somebody else says when the trip ends, with a task or without"),
      row(
        .deadlineExtended, in: [.playingHeld],
        "hard stop in 1m, wake in 55s, diagnose (mode ended), tell the nearer deadline", "B5",
        "somebody else says when the trip ends"),
      row(
        .stopped, in: [.playing], "tell willTerminate, stop completed", "W11",
        "a stop waits for no mode"),
      row(
        .stopped, in: [.entering, .budgeted], "no wake, tell willTerminate, stop completed", "W11",
        "nothing is open: complete"),
      row(
        .stopped, in: [.enteringPending],
        "hard stop in 3s, wake in 3s, tell willTerminate, record the expiry, diagnose (left open)",
        "W11", "the end comes by the grace; a task without a grant cannot be warned"),
      row(
        .stopped, in: [.held, .playingHeld, .budgetedHeld],
        "hard stop in 3s, wake in 2.5s, tell willTerminate, record the expiry, call handlers (stop requested)",
        "W11", "the end comes by the grace, and the handlers are called"),
      row(
        .stopped, in: [.called], "hard stop in 3s, tell willTerminate", "W11",
        "the end comes by the grace; called once is called"),
      row(
        .stopped, in: [.handling], "hard stop in 3s, tell the nearer deadline, tell willTerminate",
        "W11", "the end comes by the grace; called once is called"),
      row(
        .stopped, in: [.spent],
        "hard stop in 3s, wake in 3s, tell the nearer deadline, tell willTerminate", "W11",
        "the end comes by the grace; called once is called"),
      row(
        .modeBegan, in: [.entering], "in use", "B5",
        "no deadline; didEnterBackground has still to return"),
      row(
        .modeBegan, in: [.enteringPending, .budgeted, .budgetedHeld], "refused (limited)", "B5",
        "somebody else than the policy says when the time ends"),
      row(
        .modeBegan, in: [.held], "in use, no hard stop, no wake, tell the later deadline", "B5",
        "the deadline that was under way is lifted"),
      row(
        .modeBegan, in: [.called], "in use, no hard stop, no wake, tell the later deadline", "B5",
        "nobody was told yet: the call is taken back"),
      row(
        .modeBegan, in: [.handling], "in use, no hard stop, tell the later deadline", "B5",
        "nothing is un-called: the task stays spent"),
      row(
        .modeBegan, in: [.spent], "in use, no hard stop, no wake, tell the later deadline", "B5",
        "nothing is un-called: the task stays spent"),
      row(.modeBegan, in: [.playing, .playingHeld], "in use", "B5", "the last one to end counts"),
      row(
        [.modeEnded, .modeForbidden],
        in: [
          .entering, .enteringPending, .held, .called, .handling, .spent, .budgeted, .budgetedHeld,
        ], "nothing", "B5", "no mode is in use"),
      row(
        .modeEnded, in: [.playing], "wake in 5s", "B5",
        "the last one: without a task a grace begins, as after entering"),
      row(
        .modeEnded, in: [.playingHeld], "hard stop in 30s, wake in 25s, tell the nearer deadline",
        "B5", "the last one: the trip's budget begins, as after entering"),
      row(
        .modeForbidden, in: [.playing], "wake in 5s, diagnose (mode ended)", "B5",
        "as if it had been ended, and whoever uses it is told"),
      row(
        .modeForbidden, in: [.playingHeld],
        "hard stop in 30s, wake in 25s, diagnose (mode ended), tell the nearer deadline", "B5",
        "as if it had been ended, and whoever uses it is told"),
      row(
        .terminated, in: [.playing, .playingHeld], "→ not running: tell willTerminate", "L2",
        "willTerminate is told"),
      row(
        .terminated, in: [.entering, .budgeted], "→ not running: no wake, tell willTerminate", "L2",
        "willTerminate is told"),
      row(
        .terminated, in: [.enteringPending, .held, .called, .handling, .spent, .budgetedHeld],
        "→ not running: no hard stop, no wake, tell willTerminate", "L2", "willTerminate is told"),
    ])
}

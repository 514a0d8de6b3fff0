extension SystemTable {
  static let usual = [
    traps([.launched, .launchedIntoBackground], "An application is launched once."),
    traps(.resigned, "Only an active application resigns."),
    traps(.backgroundEntered, "The background is entered from the inactive state."),
    row(.enterReturned, "nothing", "L4", "returned after its trip was over"),
    traps(.foregroundEntered, "The foreground is entered from the background."),
    traps(.becameActive, "An application becomes active from the inactive state."),
    row(.endedUnknown, "unknown, diagnose (ended unknown)", "A7"),
    row([.answered, .refused], "nothing", "A3", "no answer is awaited for that task"),
    row(.claimed, "nothing", "A17", "no call is due: a stale one is dropped"),
    row(.returned, "nothing", "A12", "no handler runs"),
    row(.continued, "nothing", "A23", "the deadline is not reached, or there is none"),
    row(.resumed, "nothing", "A23", "not suspended, or the foreground was entered first"),
    row(.idled, "nothing", "A15", "the trip that was meant is over"),
    row(.killed, "nothing", "L6", "resumed, or gone, before the decision took effect"),
    row(.memoryPressed, "tell didReceiveMemoryWarning", "L10"),
    row(.modeDeclared, "remembered", "B5", "a mode may be declared at any time"),
    row(.modeBeganUndeclared, "refused (undeclared)", "B5"),
    row(.reported, "nothing", "L8", "nothing was terminated"),
  ]
}

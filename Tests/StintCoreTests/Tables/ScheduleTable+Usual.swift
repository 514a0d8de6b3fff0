extension ScheduleTable {
  static let usual = [
    row(.takenBack, "nothing", "Q2", "none that may not wait was denied"),
    row(
      [.cancelled, .allCancelled], "remembered", "Q2",
      "what has begun goes on; unheard of, it would not wait again"),
    row(.granted, "end the task", "Q9", "given up meanwhile: the task is given back"),
    row(.denied, "nothing", "Q9", "no answer is awaited"),
    row(.claimed, "nothing", "Q4", "no call is due"),
    row(.progressed, "remembered", "Q5", "when memory is short, the least progress decides"),
    row(.clockSet, "nothing", "Q3", "the wall clock decides about earliest times alone"),
    row(.becameActive, "remembered", "B3", "the hour counts as one of use"),
    row(.backgroundEntered, "nothing", "Q9", "in the background already"),
    row(.suspended, "remembered", "Q9", "what becomes due begins a trip"),
    row(.gone, "remembered", "Q9", "nothing begins before the next launch"),
    row(.statusDenied, "remembered", "L11", "what has begun goes on"),
    row(.statusAvailable, "nothing", "L11", "available already"),
    row(.networkLost, "remembered", "Q3", "for what needs it"),
    row(.networkBack, "nothing", "Q3", "it was there"),
    row(
      .recordRead, "remembered", "Q6", "what an earlier process left waits until the launch ends"),
    row(.launchEnded, "nothing", "Q6", "no earlier process left anything"),
    row(.lossSimulated, "nothing", "Q8", "nothing runs that could be told"),
    row(.memoryPressed, "nothing", "Q5", "of two or more continued ones none runs"),
  ]
}

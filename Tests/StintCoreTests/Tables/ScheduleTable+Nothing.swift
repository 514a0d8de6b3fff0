extension ScheduleTable {
  static let nothing = section(
    state: .nothing,
    situations: [
      (.unregistered, "no handler is registered for the identifier"),
      (.idle, "a handler is registered, and nothing was submitted"),
    ],
    rows: [
      row(.registered, in: [.unregistered], "taken", "Q1"),
      row(
        [.registered, .registeredLate], in: [.idle], "refused", "Q1",
        "there is a handler already, which stays"),
      row(
        .registeredLate, in: [.unregistered], "taken late", "Q1", "the diagnostic says so"),
      row([.submitted, .submittedForNow], in: [.unregistered], "refused (no handler)", "Q2"),
      row(.submitted, in: [.idle], "→ asking: ask for 30s", "Q2", "nothing keeps it"),
      row(
        .submittedForNow, in: [.idle], "refused (cannot begin)", "Q2",
        "it would have to wait"),
      row([.cancelled, .allCancelled], "nothing", "Q2", "nothing waits"),
      row([.completed, .expired], "nothing", "Q4", "it is over, or was never begun"),
      row(.progressed, "nothing", "Q5", "it is over, or was never begun"),
      row(.timePassed, "nothing", "Q3", "nothing waits"),
      row(.terminated, "remembered", "Q9", "nothing begins before the next launch"),
      row(.statusDenied, "remembered", "L11", "nothing begins until that changes"),
      row(.fetchesAllowed, "remembered", "B1", "the first fetch comes an interval later"),
      row(.fetchesForbidden, "nothing", "B1", "there was no interval"),
      row(.launchSimulated, "nothing", "Q8", "nothing waits"),
      row(.expirySimulated, "nothing", "Q8", "nothing runs"),
      row(
        .recordRead, "→ left by an earlier process", "Q6", "it waits until the launch ends"),
      row(.fetchSimulated, "ask for 30s (background fetch)", "B4", "whatever waits or runs"),
    ])
}

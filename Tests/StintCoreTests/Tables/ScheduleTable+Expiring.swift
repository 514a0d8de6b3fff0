extension ScheduleTable {
  static let expiring = section(
    state: .expiring,
    situations: [
      (.expiring, "the expiration handler of a refresh was called 5 s before its end"),
      (.expiringAnew, "it has submitted the next one"),
    ],
    rows: [
      row(
        [.registered, .registeredLate], "refused", "Q1", "there is a handler already, which stays"),
      row(
        .submitted, in: [.expiring], "remembered", "Q2", "it waits for the end of the one before"),
      row(.submitted, in: [.expiringAnew], "nothing", "Q2", "the same request once more"),
      row(.submittedForNow, "refused (cannot begin)", "Q2", "it would have to wait"),
      row(.completed, in: [.expiring], "→ no request: completed, end the task", "Q4"),
      row(
        .completed, in: [.expiringAnew], "→ asking: completed, ask for 30s, end the task", "Q9",
        "the next one joins before this one's task ends"),
      row(.expired, "nothing", "Q4", "its handler was called already"),
      row(.timePassed, in: [.expiring], "→ no request: terminate", "Q4", "it was never completed"),
      row(
        .timePassed, in: [.expiringAnew], "→ asking: terminate, ask for 30s", "Q4",
        "it was never completed; the next one is asked for"),
      row(.terminated, in: [.expiring], "→ no request", "Q4", "it is over with the process"),
      row(
        .terminated, in: [.expiringAnew], "→ waiting", "Q4", "the next one waits for the next trip"),
      row(.fetchesAllowed, "remembered", "B1", "the first fetch comes an interval later"),
      row(.fetchesForbidden, "nothing", "B1", "there was no interval"),
      row(.launchSimulated, "nothing", "Q8", "it has begun already"),
      row(.expirySimulated, "nothing", "Q8", "its time is up already"),
      row(.fetchSimulated, "ask for 30s (background fetch)", "B4", "whatever waits or runs"),
    ])
}

extension ScheduleTable {
  static let launching = section(
    state: .launching,
    situations: [
      (.launching, "the system's task holds"),
      (.launchingFetch, "the same of a fetch"),
    ],
    rows: [
      row(
        [.registered, .registeredLate], in: [.launching], "refused", "Q1",
        "there is a handler already, which stays"),
      row(
        .registered, in: [.launchingFetch], "taken", "Q1", "a fetch needs none; the name is free"),
      row(
        .registeredLate, in: [.launchingFetch], "taken late", "Q1",
        "a fetch needs none; the name is free"),
      row(
        .submitted, in: [.launching], "remembered", "Q2", "it waits for the end of the one before"),
      row(
        .submitted, in: [.launchingFetch], "refused (the system's own)", "B1",
        "nobody submits a fetch"),
      row(
        .submittedForNow, in: [.launching], "refused (cannot begin)", "Q2", "it would have to wait"),
      row(.submittedForNow, in: [.launchingFetch], "refused (no handler)", "Q2"),
      row(.claimed, "→ running: may call", "Q4"),
      row(.completed, in: [.launching], "→ no request: completed, end the task", "Q4"),
      row(
        .completed, in: [.launchingFetch], "→ waiting: completed, end the task", "B2",
        "the next fetch comes an interval after this one"),
      row(
        .expired, in: [.launching], "→ waiting: end the task", "Q4",
        "nobody has heard of it: it waits again"),
      row(
        [.expired, .timePassed], in: [.launchingFetch], "→ waiting: end the task", "B2",
        "nobody has heard of it; the next one comes an interval later"),
      row(
        .timePassed, in: [.launching], "→ asking: end the task, ask for 30s", "Q4",
        "nobody has heard of it: it waits again"),
      row(
        .terminated, in: [.launching], "→ waiting", "Q4", "nobody has heard of it: it waits again"),
      row(.terminated, in: [.launchingFetch], "→ waiting", "B2", "nobody has heard of it"),
      row(
        .fetchesAllowed, in: [.launching], "remembered", "B1",
        "the first fetch comes an interval later"),
      row(.fetchesAllowed, in: [.launchingFetch], "nothing", "B1", "it is the interval already"),
      row(.fetchesForbidden, in: [.launching], "nothing", "B1", "there was no interval"),
      row(
        .fetchesForbidden, in: [.launchingFetch], "remembered", "B1",
        "this one goes on, and no other follows"),
      row(.launchSimulated, in: [.launching], "nothing", "Q8", "it has begun already"),
      row(
        .launchSimulated, in: [.launchingFetch], "nothing", "B4",
        "a fetch is simulated by an event of its own"),
      row(
        .expirySimulated, in: [.launching], "→ waiting: found, end the task", "Q8",
        "nobody has heard of it: it waits again"),
      row(.expirySimulated, in: [.launchingFetch], "nothing", "Q8", "a fetch is not warned"),
      row(
        .lossSimulated, in: [.launching], "→ waiting: found, end the task", "Q8",
        "nobody has heard of it: it waits again"),
      row(.lossSimulated, in: [.launchingFetch], "nothing", "Q8", "a fetch is not warned"),
      row(
        .fetchSimulated, in: [.launching], "ask for 30s (background fetch)", "B4",
        "whatever waits or runs"),
      row(
        .fetchSimulated, in: [.launchingFetch], "ask for 30s", "B2", "each fetch has its own time"),
    ])
}

extension ScheduleTable {
  static let asking = section(
    state: .asking,
    situations: [
      (.asking, "the system has not answered"),
      (.askingAnew, "the same, and a newer request waits"),
      (.askingContinued, "a continued task in the foreground"),
      (.askingFetch, "the interval is over"),
    ],
    rows: [
      row(
        [.registered, .registeredLate], in: [.asking, .askingAnew, .askingContinued], "refused",
        "Q1", "there is a handler already, which stays"),
      row(.registered, in: [.askingFetch], "taken", "Q1", "a fetch needs none; the name is free"),
      row(
        .registeredLate, in: [.askingFetch], "taken late", "Q1",
        "a fetch needs none; the name is free"),
      row(
        .submitted, in: [.asking, .askingContinued], "remembered", "Q2",
        "it waits for the end of the one before"),
      row(.submitted, in: [.askingAnew], "nothing", "Q2", "the same request once more"),
      row(
        .submitted, in: [.askingFetch], "refused (the system's own)", "B1", "nobody submits a fetch"
      ),
      row(
        .submittedForNow, in: [.asking, .askingAnew, .askingContinued], "refused (cannot begin)",
        "Q2", "it would have to wait"),
      row(.submittedForNow, in: [.askingFetch], "refused (no handler)", "Q2"),
      row(.granted, "→ launching: call the handler", "Q9"),
      row(
        .denied, in: [.asking, .askingContinued, .askingFetch], "→ waiting", "Q9",
        "asked for again after 2 s"),
      row(.denied, in: [.askingAnew], "ask for 30s", "Q9", "the newer request counts"),
      row(
        .completed, in: [.asking, .askingContinued], "→ no request: completed", "Q4",
        "a grant that comes is given back"),
      row(
        .completed, in: [.askingAnew], "→ waiting: completed", "Q4",
        "a grant that comes is given back"),
      row(
        .completed, in: [.askingFetch], "→ waiting: completed", "B2",
        "it has not begun; a grant is given back"),
      row(
        [.expired, .terminated], in: [.asking, .askingAnew, .askingContinued], "→ waiting", "Q4",
        "nobody has heard of it: it waits again"),
      row(
        .expired, in: [.askingFetch], "→ waiting", "B2", "nobody has heard of it: it waits again"),
      row(.timePassed, "nothing", "Q9", "an answer is awaited"),
      row(
        .becameActive, in: [.asking, .askingAnew, .askingFetch], "remembered", "B3",
        "the hour counts as one of use"),
      row(.becameActive, in: [.askingContinued], "nothing", "B3", "active already"),
      row(
        .backgroundEntered, in: [.asking, .askingAnew, .askingFetch], "nothing", "Q9",
        "in the background already"),
      row(
        .backgroundEntered, in: [.askingContinued], "allow 30s", "Q5",
        "from now on it goes on while it moves"),
      row(.terminated, in: [.askingFetch], "→ waiting", "B2", "nobody has heard of it"),
      row(
        .fetchesAllowed, in: [.asking, .askingAnew, .askingContinued], "remembered", "B1",
        "the first fetch comes an interval later"),
      row(.fetchesAllowed, in: [.askingFetch], "nothing", "B1", "it is the interval already"),
      row(
        .fetchesForbidden, in: [.asking, .askingAnew, .askingContinued], "nothing", "B1",
        "there was no interval"),
      row(
        .fetchesForbidden, in: [.askingFetch], "remembered", "B1",
        "this one goes on, and no other follows"),
      row(
        .launchSimulated, in: [.asking, .askingAnew, .askingContinued], "nothing", "Q8",
        "it has begun already"),
      row(
        .launchSimulated, in: [.askingFetch], "nothing", "B4",
        "a fetch is simulated by an event of its own"),
      row(
        .expirySimulated, in: [.asking, .askingAnew, .askingContinued], "nothing", "Q8",
        "its task does not hold yet"),
      row(.expirySimulated, in: [.askingFetch], "nothing", "Q8", "a fetch is not warned"),
      row(
        .fetchSimulated, in: [.asking, .askingAnew, .askingContinued],
        "ask for 30s (background fetch)", "B4", "whatever waits or runs"),
      row(.fetchSimulated, in: [.askingFetch], "ask for 30s", "B2", "each fetch has its own time"),
    ])
}

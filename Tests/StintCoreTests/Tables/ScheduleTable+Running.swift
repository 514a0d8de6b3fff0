extension ScheduleTable {
  static let running = section(
    state: .running,
    situations: [
      (.running, "its handler was called"),
      (.runningAnew, "it submitted the next one 2 s ago"),
      (.needy, "a processing task whose network has just been lost"),
      (.continued, "the application is active"),
      (.continuedBehind, "the application has just entered the background"),
      (.pair, "the application is active, and another continued task is a tenth ahead"),
      (.fetching, "the application was told of a fetch"),
    ],
    rows: [
      row(
        [.registered, .registeredLate],
        in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair], "refused", "Q1",
        "there is a handler already, which stays"),
      row(.registered, in: [.fetching], "taken", "Q1", "a fetch needs none; the name is free"),
      row(
        .registeredLate, in: [.fetching], "taken late", "Q1", "a fetch needs none; the name is free"
      ),
      row(
        .submitted, in: [.running, .needy, .continued, .continuedBehind, .pair], "remembered", "Q2",
        "it waits for the end of the one before"),
      row(.submitted, in: [.runningAnew], "nothing", "Q2", "the same request once more"),
      row(
        .submitted, in: [.fetching], "refused (the system's own)", "B1", "nobody submits a fetch"),
      row(
        .submittedForNow,
        in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair],
        "refused (cannot begin)", "Q2", "it would have to wait"),
      row(.submittedForNow, in: [.fetching], "refused (no handler)", "Q2"),
      row(
        .completed, in: [.running, .needy, .continued, .continuedBehind, .pair],
        "→ no request: completed, end the task", "Q4"),
      row(
        .completed, in: [.runningAnew], "→ asking: completed, ask for 30s, end the task", "Q9",
        "the next one joins before this one's task ends"),
      row(
        .completed, in: [.fetching], "→ waiting: completed, end the task", "B2",
        "the next fetch comes an interval after this one"),
      row(
        .progressed, in: [.running, .runningAnew, .needy, .continued, .pair, .fetching],
        "remembered", "Q5", "when memory is short, the least progress decides"),
      row(.progressed, in: [.continuedBehind], "allow 30s", "Q5", "it moves: it may go on"),
      row(
        .expired, in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair],
        "→ expiring: expire (time elapsed), 3s left", "Q4"),
      row(.expired, in: [.fetching], "nothing", "B2", "nobody is warned of the end of a fetch"),
      row(
        .timePassed, in: [.running, .runningAnew], "→ expiring: expire (time elapsed), 5s left",
        "Q4", "the lead is reached"),
      row(
        .timePassed, in: [.needy], "→ expiring: expire (requirement lost), 5s left", "Q3",
        "lost for 10 s"),
      row(
        .timePassed, in: [.continued, .pair], "nothing", "Q5", "no end of its own in the foreground"
      ),
      row(
        .timePassed, in: [.continuedBehind], "→ expiring: expire (time elapsed), 5s left", "Q5",
        "it did not move"),
      row(.timePassed, in: [.fetching], "→ waiting: terminate", "B2", "it was never completed"),
      row(
        .becameActive, in: [.running, .runningAnew, .needy, .fetching], "remembered", "B3",
        "the hour counts as one of use"),
      row(.becameActive, in: [.continued, .pair], "nothing", "B3", "active already"),
      row(
        .becameActive, in: [.continuedBehind], "remembered", "Q5",
        "in the foreground it has no end of its own"),
      row(
        .backgroundEntered, in: [.running, .runningAnew, .needy, .continuedBehind, .fetching],
        "nothing", "Q9", "in the background already"),
      row(
        .backgroundEntered, in: [.continued], "allow 30s", "Q5",
        "from now on it goes on while it moves"),
      row(
        .backgroundEntered, in: [.pair], "allow 30s, allow 30s", "Q5",
        "from now on it goes on while it moves"),
      row(
        .terminated, in: [.running, .needy, .continued, .continuedBehind, .pair], "→ no request",
        "Q4", "it is over with the process"),
      row(
        .terminated, in: [.runningAnew], "→ waiting", "Q4", "the next one waits for the next trip"),
      row(.terminated, in: [.fetching], "→ waiting", "B2", "it counts as one in vain"),
      row(
        .networkLost, in: [.running, .runningAnew, .continued, .continuedBehind, .pair, .fetching],
        "remembered", "Q3", "for what needs it"),
      row(.networkLost, in: [.needy], "nothing", "Q3", "lost already"),
      row(
        .networkBack, in: [.running, .runningAnew, .continued, .continuedBehind, .pair, .fetching],
        "nothing", "Q3", "it was there"),
      row(.networkBack, in: [.needy], "remembered", "Q3", "in time: its loss is forgotten"),
      row(
        .memoryPressed,
        in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .fetching], "nothing",
        "Q5", "of two or more continued ones none runs"),
      row(
        .memoryPressed, in: [.pair], "→ expiring: expire (least progress), 5s left", "Q5",
        "it has the least progress"),
      row(
        .fetchesAllowed, in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair],
        "remembered", "B1", "the first fetch comes an interval later"),
      row(.fetchesAllowed, in: [.fetching], "nothing", "B1", "it is the interval already"),
      row(
        .fetchesForbidden,
        in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair], "nothing", "B1",
        "there was no interval"),
      row(
        .fetchesForbidden, in: [.fetching], "remembered", "B1",
        "this one goes on, and no other follows"),
      row(
        .launchSimulated,
        in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair], "nothing", "Q8",
        "it has begun already"),
      row(
        .launchSimulated, in: [.fetching], "nothing", "B4",
        "a fetch is simulated by an event of its own"),
      row(
        .expirySimulated,
        in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair],
        "→ expiring: found, expire (revoked), 5s left", "Q8"),
      row(.expirySimulated, in: [.fetching], "nothing", "Q8", "a fetch is not warned"),
      row(
        .lossSimulated, in: [.running, .runningAnew, .continued, .continuedBehind, .pair],
        "→ expiring: found, expire (revoked), 5s left", "Q8", "it requires nothing"),
      row(
        .lossSimulated, in: [.needy], "→ expiring: found, expire (requirement lost), 5s left", "Q8"),
      row(.lossSimulated, in: [.fetching], "nothing", "Q8", "a fetch is not warned"),
      row(
        .fetchSimulated, in: [.running, .runningAnew, .needy, .continued, .continuedBehind, .pair],
        "ask for 30s (background fetch)", "B4", "whatever waits or runs"),
      row(.fetchSimulated, in: [.fetching], "ask for 30s", "B2", "each fetch has its own time"),
    ])
}

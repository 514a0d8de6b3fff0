extension ScheduleTable {
  static let waiting = section(
    state: .waiting,
    situations: [
      (.notLaunched, "submitted before the application is launched"),
      (.foreground, "the application is active"),
      (.early, "its earliest begin is 100 s ahead"),
      (.died, "a program ended in it once, 10 s before it may begin"),
      (.paced, "one of the identifier has just begun, and is completed"),
      (.conditional, "a processing task that requires the network, which is not there"),
      (.refused, "the system denied it when it was asked for"),
      (.forced, "its launch was simulated in the foreground, and the system denied it"),
      (.forbidden, "submitted before work in the background was denied"),
      (.continuedOutside, "a continued task, submitted in the background"),
      (
        .continuedRefused,
        "a continued task that does not wait for room, in the foreground; the system denied it"
      ),
      (.fetchEarly, "the interval was just set"),
      (.fetchRefused, "the system denied it when it was asked for"),
    ],
    rows: [
      row(
        [.registered, .registeredLate],
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .forbidden,
          .continuedOutside, .continuedRefused,
        ], "refused", "Q1", "there is a handler already, which stays"),
      row(
        .registered, in: [.fetchEarly, .fetchRefused], "taken", "Q1",
        "a fetch needs none; the name is free"),
      row(
        .registeredLate, in: [.fetchEarly, .fetchRefused], "taken late", "Q1",
        "a fetch needs none; the name is free"),
      row(
        .submitted,
        in: [.notLaunched, .foreground, .early, .died, .paced, .conditional, .continuedOutside],
        "nothing",
        "Q2", "the same request once more"),
      row(
        .submitted, in: [.refused, .continuedRefused], "→ asking: ask for 30s", "Q2",
        "a new one is asked for at once"),
      row(.submitted, in: [.forced], "remembered", "Q2", "it replaces the simulated one"),
      row([.submitted, .submittedForNow], in: [.forbidden], "refused (unavailable)", "L11"),
      row(
        .submitted, in: [.fetchEarly, .fetchRefused], "refused (the system's own)", "B1",
        "nobody submits a fetch"),
      row(
        .submittedForNow,
        in: [.notLaunched, .early, .died, .paced, .conditional, .refused, .continuedOutside],
        "refused (cannot begin)", "Q2", "it would have to wait; what waits goes on waiting"),
      row(
        .submittedForNow, in: [.foreground, .forced, .continuedRefused], "→ asking: ask for 30s",
        "Q5", "it begins in the foreground"),
      row(.submittedForNow, in: [.fetchEarly, .fetchRefused], "refused (no handler)", "Q2"),
      row(
        .takenBack,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .forbidden,
          .continuedOutside, .fetchEarly, .fetchRefused,
        ], "nothing", "Q2", "none that may not wait was denied"),
      row(
        .takenBack, in: [.continuedRefused], "→ no request: the denial", "Q2",
        "it is refused in the end"),
      row(
        [.cancelled, .allCancelled],
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .forbidden,
          .continuedOutside, .continuedRefused,
        ], "→ no request", "Q2"),
      row(
        [.cancelled, .allCancelled], in: [.fetchEarly, .fetchRefused], "nothing", "B1",
        "a fetch goes by its interval"),
      row([.completed, .expired], "nothing", "Q4", "it is over, or was never begun"),
      row(.progressed, "nothing", "Q5", "it is over, or was never begun"),
      row(
        .timePassed, in: [.notLaunched, .foreground, .conditional, .forbidden, .continuedOutside],
        "nothing", "Q7", "time alone changes nothing"),
      row(.timePassed, in: [.early], "→ asking: ask for 30s", "Q3", "its time has come"),
      row(.timePassed, in: [.died], "→ asking: ask for 30s", "Q6", "it is tried again after 10 s"),
      row(.timePassed, in: [.paced], "→ asking: ask for 30s", "Q9", "one second has passed"),
      row(
        .timePassed, in: [.refused, .forced, .continuedRefused, .fetchRefused],
        "→ asking: ask for 30s", "Q9", "asked for again after 2 s"),
      row(.timePassed, in: [.fetchEarly], "→ asking: ask for 30s", "B1", "the interval is over"),
      row(
        .clockSet,
        in: [
          .notLaunched, .foreground, .paced, .conditional, .refused, .forced, .forbidden,
          .continuedOutside, .continuedRefused, .fetchRefused,
        ], "nothing", "Q3", "the wall clock decides about earliest times alone"),
      row(.clockSet, in: [.early], "→ asking: ask for 30s", "Q3"),
      row(.clockSet, in: [.died], "→ asking: ask for 30s", "Q6"),
      row(.clockSet, in: [.fetchEarly], "→ asking: ask for 30s", "B1"),
      row(
        .becameActive,
        in: [
          .notLaunched, .early, .died, .paced, .conditional, .refused, .forbidden, .fetchEarly,
          .fetchRefused,
        ], "remembered", "B3", "the hour counts as one of use"),
      row(
        .becameActive, in: [.foreground, .forced, .continuedRefused], "nothing", "B3",
        "active already"),
      row(
        .becameActive, in: [.continuedOutside], "→ asking: ask for 30s", "Q5",
        "it begins in the foreground"),
      row(
        .backgroundEntered, in: [.notLaunched, .foreground], "→ asking: ask for 30s", "Q9",
        "a trip begins"),
      row(
        .backgroundEntered,
        in: [
          .early, .died, .paced, .conditional, .refused, .forbidden, .continuedOutside, .fetchEarly,
          .fetchRefused,
        ], "nothing", "Q9", "in the background already"),
      row(
        .backgroundEntered, in: [.forced], "→ asking: ask for 30s", "Q9",
        "asked for again in the next trip"),
      row(
        .backgroundEntered, in: [.continuedRefused], "remembered", "Q9",
        "a continued one begins in the foreground"),
      row(
        .suspended, in: [.notLaunched, .foreground], "→ asking: ask for 30s", "Q9",
        "a trip begins for it"),
      row(
        .suspended,
        in: [
          .early, .died, .paced, .conditional, .refused, .forced, .forbidden, .continuedOutside,
          .continuedRefused, .fetchEarly, .fetchRefused,
        ], "remembered", "Q9", "what becomes due begins a trip"),
      row([.gone, .terminated], in: [.notLaunched], "nothing", "Q9", "not launched yet"),
      row(
        [.gone, .terminated],
        in: [
          .foreground, .early, .died, .paced, .conditional, .refused, .forced, .forbidden,
          .continuedOutside, .continuedRefused, .fetchEarly, .fetchRefused,
        ], "remembered", "Q9", "nothing begins before the next launch"),
      row(
        .statusDenied,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .continuedOutside, .continuedRefused, .fetchEarly, .fetchRefused,
        ], "remembered", "L11", "nothing begins until that changes"),
      row(.statusDenied, in: [.forbidden], "nothing", "L11", "denied already"),
      row(
        .statusAvailable,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .continuedOutside, .continuedRefused, .fetchEarly, .fetchRefused,
        ], "nothing", "L11", "available already"),
      row(.statusAvailable, in: [.forbidden], "→ asking: ask for 30s", "L11"),
      row(
        .networkLost,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .refused, .forced, .forbidden,
          .continuedOutside, .continuedRefused, .fetchEarly, .fetchRefused,
        ], "remembered", "Q3", "for what needs it"),
      row(.networkLost, in: [.conditional], "nothing", "Q3", "lost already"),
      row(
        .networkBack,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .refused, .forced, .forbidden,
          .continuedOutside, .continuedRefused, .fetchEarly, .fetchRefused,
        ], "nothing", "Q3", "it was there"),
      row(
        .networkBack, in: [.conditional], "→ asking: ask for 5m", "Q3", "what it requires is there"),
      row(
        .fetchesAllowed,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .forbidden,
          .continuedOutside, .continuedRefused,
        ], "remembered", "B1", "the first fetch comes an interval later"),
      row(.fetchesAllowed, in: [.fetchEarly], "nothing", "B1", "it is the interval already"),
      row(.fetchesAllowed, in: [.fetchRefused], "→ asking: ask for 30s", "B1", "asked for at once"),
      row(
        .fetchesForbidden,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .forbidden,
          .continuedOutside, .continuedRefused,
        ], "nothing", "B1", "there was no interval"),
      row(.fetchesForbidden, in: [.fetchEarly, .fetchRefused], "→ no request", "B1"),
      row(
        .launchSimulated,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .refused, .forced, .forbidden,
          .continuedOutside, .continuedRefused,
        ], "→ asking: found, ask for 30s", "Q8", "whatever it waits for"),
      row(
        .launchSimulated, in: [.conditional], "→ asking: found, ask for 5m", "Q8",
        "whatever it waits for"),
      row(
        .launchSimulated, in: [.fetchEarly, .fetchRefused], "nothing", "B4",
        "a fetch is simulated by an event of its own"),
      row(
        .recordRead,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .forbidden, .continuedOutside, .continuedRefused,
        ], "remembered", "Q6", "the newer one waits; fetches begin when the launch has ended"),
      row(
        .recordRead, in: [.fetchEarly, .fetchRefused], "→ no request", "Q6",
        "fetches begin when the launch has ended"),
      row(.expirySimulated, "nothing", "Q8", "nothing runs"),
      row(
        .fetchSimulated,
        in: [
          .notLaunched, .foreground, .early, .died, .paced, .conditional, .refused, .forced,
          .forbidden,
          .continuedOutside, .continuedRefused,
        ], "ask for 30s (background fetch)", "B4", "whatever waits or runs"),
      row(
        .fetchSimulated, in: [.fetchEarly, .fetchRefused], "→ asking: ask for 30s", "B4",
        "whatever waits or runs"),
    ])
}

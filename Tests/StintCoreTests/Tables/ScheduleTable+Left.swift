@testable import StintCore

extension ScheduleTable {
  static let left = section(
    state: .left,
    situations: [
      (.left, "it waited when an earlier process ended; a handler is registered"),
      (.leftHomeless, "the same, and no handler is registered yet"),
    ],
    rows: [
      row(
        [.registered, .registeredLate], in: [.left], "refused", "Q1", "there is a handler already"),
      row(.registered, in: [.leftHomeless], "taken", "Q1"),
      row(.registeredLate, in: [.leftHomeless], "taken late", "Q1", "the diagnostic says so"),
      row(
        .submitted, in: [.left], "→ asking: ask for 30s", "Q2", "it replaces what was left"),
      row(
        .submittedForNow, in: [.left], "refused (cannot begin)", "Q2",
        "it would have to wait; what was left is left"),
      row([.submitted, .submittedForNow], in: [.leftHomeless], "refused (no handler)", "Q2"),
      row([.cancelled, .allCancelled], "→ no request", "Q2"),
      row([.completed, .expired], "nothing", "Q4", "it has not begun in this process"),
      row(.progressed, "nothing", "Q5", "it has not begun in this process"),
      row(.timePassed, "nothing", "Q6", "it waits for the end of the launch"),
      row(.terminated, "remembered", "Q9", "nothing begins before the next launch"),
      row(.statusDenied, "remembered", "L11", "nothing begins until that changes"),
      row(.fetchesAllowed, "remembered", "B1", "the first fetch comes an interval later"),
      row(.fetchesForbidden, "nothing", "B1", "there was no interval"),
      row(.recordRead, "nothing", "Q6", "it is known already"),
      row(.launchEnded, in: [.left], "→ asking: ask for 30s", "Q6"),
      row(
        .launchEnded, in: [.leftHomeless], "→ set aside: the diagnostic", "Q6",
        "a program that has a handler takes it up again"),
      row(.launchSimulated, "nothing", "Q8", "it does not wait yet"),
      row(.expirySimulated, "nothing", "Q8", "nothing runs"),
      row(.fetchSimulated, "ask for 30s (background fetch)", "B4", "whatever waits or runs"),
    ])

  static let setAside = section(
    state: .setAside,
    situations: [
      (.dead, "three programs in a row ended before it was completed"),
      (.homeless, "no handler was registered when the launch ended"),
    ],
    rows: [
      row(
        [.registered, .registeredLate], in: [.dead], "refused", "Q1", "there is a handler already"),
      row(.registered, in: [.homeless], "taken", "Q1", "the next process takes it up again"),
      row(.registeredLate, in: [.homeless], "taken late", "Q1", "the diagnostic says so"),
      row(.submitted, in: [.dead], "→ asking: ask for 30s", "Q6", "it is asked for anew"),
      row(.submittedForNow, in: [.dead], "refused (cannot begin)", "Q2", "it would have to wait"),
      row([.submitted, .submittedForNow], in: [.homeless], "refused (no handler)", "Q2"),
      row([.cancelled, .allCancelled], "→ no request", "Q2"),
      row([.completed, .expired], "nothing", "Q4", "it has not begun in this process"),
      row(.progressed, "nothing", "Q5", "it has not begun in this process"),
      row(.timePassed, "nothing", "Q6", "time changes nothing"),
      row(.terminated, "remembered", "Q9", "nothing begins before the next launch"),
      row(.statusDenied, "remembered", "L11", "nothing begins until that changes"),
      row(.fetchesAllowed, "remembered", "B1", "the first fetch comes an interval later"),
      row(.fetchesForbidden, "nothing", "B1", "there was no interval"),
      row(.recordRead, in: [.dead], "nothing", "Q6", "it is known already"),
      row(.recordRead, in: [.homeless], "remembered", "Q6", "a record was read already"),
      row(.launchEnded, in: [.dead], "remembered", "Q6", "fetches may begin"),
      row(.launchEnded, in: [.homeless], "nothing", "Q6", "the launch has ended already"),
      row(.launchSimulated, "nothing", "Q8", "it does not wait"),
      row(.expirySimulated, "nothing", "Q8", "nothing runs"),
      row(.fetchSimulated, "ask for 30s (background fetch)", "B4", "whatever waits or runs"),
    ])
}

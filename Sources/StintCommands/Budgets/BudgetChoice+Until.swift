import StintCore
import StintRuntime

extension BudgetChoice {
  private static let untilOption = OptionSpecification(
    "until", argument: "WHEN", group: .time,
    help:
      "Stop by this time: 06:00, or 2026-11-21T06:00, with Z or an offset if it is not local "
      + "time")

  /// One instant at which all ends: `--until`.
  static let until = BudgetChoice(options: [untilOption], comesAgain: false) {
    parsed, surroundings in
    guard let text = parsed.text("until") else { return nil }
    let wallTime = surroundings.wallTime
    let left = try UntilTime.remaining(
      text, nowNanoseconds: wallTime.nanosecondsSince1970, calendar: wallTime.calendar)
    guard left >= TimeOptions.Defaults.leastBudget else {
      throw StintError(
        .usage,
        "--until leaves only \(left.compactText); the least is "
          + "\(TimeOptions.Defaults.leastBudget.compactText).")
    }
    return .steady(UntilBudget(wallTime.instant.advanced(by: left)))
  }
}

import StintCore
import StintRuntime

extension BudgetChoice {
  private static let budget = OptionSpecification(
    "budget", argument: "TIME", group: .time,
    help: "Time limit for one run, such as 30s or 1h30m (default: none)")
  private static let policy = OptionSpecification(
    "policy", argument: "NAME", group: .time,
    help:
      "Use the time limits of a known system: ios6, ios7, ios13, harmonyos, command-line, "
      + "unlimited")

  /// The same time for every trip: `--budget`, else the grant of a preset.
  static let fixed = BudgetChoice(options: [budget, policy]) { parsed, _ in
    if let time = try parsed.duration("budget", least: TimeOptions.Defaults.leastBudget) {
      return .steady(FixedBudget(time))
    }
    return try preset(parsed).grant.map { .steady(FixedBudget($0, name: .policy)) }
  }

  /// The preset whose numbers hold where no option says otherwise.
  static func preset(_ parsed: ParsedOptions) throws -> SystemPolicy {
    guard let value = parsed.value("policy") else { return .commandLine }
    if let preset = SystemPolicy.named(value.text) { return preset }
    throw parsed.unknown(value, among: SystemPolicy.presets.map(\.name))
  }
}

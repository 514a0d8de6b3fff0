/// The strategies that ship.
package enum StrategyName: String, CaseIterable, Hashable, Sendable, Codable {
  case untilKilled, every, young, daly, eightyPercent, signal, scrHalt, p99, staticCount
  case expectationOnce, expectation, stint, oracle

  /// The name for people.
  package var title: String {
    switch self {
    case .untilKilled: "run until killed"
    case .every: "checkpoint every T"
    case .young: "Young"
    case .daly: "Daly"
    case .eightyPercent: "stop at 80 %"
    case .signal: "stop at the signal"
    case .scrHalt: "SCR halt rule"
    case .p99: "p99 fit test"
    case .staticCount: "static count"
    case .expectationOnce: "expectation rule, once"
    case .expectation: "expectation rule"
    case .stint: "Stint's own choice"
    case .oracle: "oracle"
    }
  }
}

extension StrategyName {
  /// The rule of the literature that goes by this name; nil for Stint's own choice and for the
  /// oracle.
  package func rule(_ knowledge: Knowledge) -> (any Rule)? {
    switch self {
    case .untilKilled: UntilKilled()
    case .every: Periodic(every: knowledge.everySeconds)
    case .young: Periodic(every: knowledge.youngSeconds)
    case .daly: Periodic(every: knowledge.dalySeconds)
    case .eightyPercent: ShareOfBudget(share: 0.8)
    case .signal: AtTheSignal()
    case .scrHalt: HaltRule(knowledge)
    case .p99: QuantileFit(knowledge)
    case .expectation: ExpectationRule(knowledge)
    case .stint, .oracle: nil
    }
  }
}

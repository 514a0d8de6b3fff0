extension StrategyName {
  /// The rule of the literature that goes by this name; nil for Stint's own choice and for the
  /// oracle.
  package func rule(_ knowledge: Knowledge) -> (any Rule)? {
    switch self {
    case .untilKilled: UntilKilled()
    case .every: Periodic(every: knowledge.everySeconds)
    case .young: Periodic(every: knowledge.youngSeconds, endingBy: knowledge)
    case .daly: Periodic(every: knowledge.dalySeconds, endingBy: knowledge)
    case .eightyPercent: ShareOfBudget(share: 0.8)
    case .signal: AtTheSignal(before: knowledge.signalSeconds)
    case .scrHalt: HaltRule(knowledge)
    case .p99: QuantileFit(knowledge)
    case .staticCount: StaticCount(knowledge)
    case .expectationOnce: Once(ExpectationRule(knowledge))
    case .expectation: ExpectationRule(knowledge)
    case .stint, .oracle: nil
    }
  }
}

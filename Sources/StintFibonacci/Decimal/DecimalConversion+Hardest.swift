// What a budget must be able to hold, and what uses all threads.

extension DecimalConversion {
  /// The cost of the hardest operation of the whole conversion.
  var hardestCost: Double {
    max(
      startCost, blockCost, hardestReciprocal(fromLevel: 0),
      hardestSplitting(fromLevel: plan.levels - 1))
  }

  /// The cost of the hardest operation that is still to come.
  func hardestCost(_ state: DecimalState) -> Double {
    switch state {
    case .reciprocal(let state):
      max(
        cost(state), blockCost, hardestReciprocal(fromLevel: state.level + 1),
        hardestSplitting(fromLevel: plan.levels - 1))
    case .splitting(let state):
      max(blockCost, hardestSplitting(fromLevel: state.level))
    case .writing:
      blockCost
    }
  }

  /// The least cost for which the next operations use all threads; nil where there is only one operation.
  func efficientCost(_ state: DecimalState) -> Double? {
    guard case .splitting(let state) = state, case .ready = state.divisor, state.todo.count > 1,
      state.estimate == nil
    else { return nil }
    return 2 * productCost(level: state.level)
  }

  /// Levels only get harder upwards, so the last one that is squared to is the hardest.
  private func hardestReciprocal(fromLevel level: Int) -> Double {
    let last = plan.levels - 2
    return last >= level ? stepCosts(level: last).max() ?? 0 : 0
  }

  /// Levels only get easier downwards.
  private func hardestSplitting(fromLevel level: Int) -> Double {
    level >= 0 ? productCost(level: level) : 0
  }
}

extension DecimalConversion {
  func advanced(_ state: ReciprocalState) -> DecimalState {
    let bits = plan.bits(atLevel: state.level)
    var next = state
    switch state.step {
    case .ready(let power, let reciprocal):
      next.step = .squared(reciprocal: reciprocal, square: power.squared())
    case .squared(let reciprocal, let square):
      next.step = .approximated(
        approximation: Reciprocal.approximation(reciprocal, bits: bits), square: square)
    case .approximated(let approximation, let square):
      let error = Reciprocal.error(of: approximation, square: square, bits: bits)
      if Reciprocal.isPlausible(error: error, bits: bits) {
        next.step = .measured(approximation: approximation, error: error, square: square)
      } else {
        next.level += 1
        next.step = .ready(power: square, reciprocal: Reciprocal.direct(square))
      }
    case .measured(let approximation, let error, let square):
      next.level += 1
      let squareBits = plan.bits(atLevel: next.level)
      let refined = Reciprocal.refined(
        approximation: approximation, error: error, bits: bits, squareBits: squareBits)
      next.step = .ready(
        power: square, reciprocal: Reciprocal.sound(refined, for: square, bits: squareBits))
    }
    return settled(next)
  }

  /// Goes over to the splitting once the divisor of the whole number is there.
  func settled(_ state: ReciprocalState) -> DecimalState {
    guard state.level == plan.levels - 1, case .ready(let power, let reciprocal) = state.step else {
      return .reciprocal(state)
    }
    return .splitting(
      SplittingState(
        level: state.level, divisor: .ready(power: power, reciprocal: reciprocal), done: [],
        todo: [state.number], estimate: nil))
  }

  func cost(_ state: ReciprocalState) -> Double {
    let costs = stepCosts(level: state.level)
    switch state.step {
    case .ready: return costs[0]
    case .squared: return costs[1]
    case .approximated: return costs[2]
    case .measured: return costs[3]
    }
  }

  func remainingCost(_ state: ReciprocalState) -> Double {
    let costs = stepCosts(level: state.level)
    let done =
      switch state.step {
      case .ready: 0
      case .squared: 1
      case .approximated: 2
      case .measured: 3
      }
    return costs[done...].reduce(0, +) + reciprocalCost(fromLevel: state.level + 1)
      + splittingCost(belowLevel: plan.levels) + writingCost(blocks: plan.blockCount)
  }

  /// The cost of going up from a level to the last one that is needed.
  func reciprocalCost(fromLevel level: Int) -> Double {
    var sum = 0.0
    for lower in stride(from: level, to: plan.levels - 1, by: 1) {
      sum += stepCosts(level: lower).reduce(0, +)
    }
    return sum
  }

  func stepCosts(level: Int) -> [Double] {
    let bits = plan.bits(atLevel: level)
    let square = GMPCost.squaring(bits: bits) + GMPCost.linear(bits: bits)
    let half = GMPCost.product(bits: bits, bits: bits)
    let whole = GMPCost.product(bits: 2 * bits, bits: bits)
    return [
      square, square, whole + GMPCost.linear(bits: 4 * bits), half + GMPCost.linear(bits: 4 * bits),
    ]
  }
}

import Stint

extension DecimalConversion {
  func advanced(
    _ state: SplittingState, atMost cost: Double, threads: Int
  ) throws -> (DecimalState, cost: Double) {
    let bits = plan.bits(atLevel: state.level)
    switch state.divisor {
    case .descending(let power, let upper):
      return (.splitting(descended(state, power: power, upper: upper)), self.cost(state))
    case .ready(let power, let reciprocal):
      let piece = state.todo[0]
      if let estimate = state.estimate {
        let half = productCost(level: state.level)
        return (
          settled(
            state,
            parts: [
              Reciprocal.corrected(piece, by: power, estimate: estimate)
            ]), half
        )
      }
      let whole = 2 * productCost(level: state.level)
      guard whole <= cost else {
        var next = state
        next.estimate = Reciprocal.estimatedQuotient(piece, reciprocal: reciprocal, bits: bits)
        return (.splitting(next), whole / 2)
      }
      let batch = state.todo.prefix(max(threads, 1))
      let parts = try Parallel.map(count: batch.count, threads: threads) { index in
        let estimate = Reciprocal.estimatedQuotient(
          batch[index], reciprocal: reciprocal, bits: bits)
        return Reciprocal.corrected(batch[index], by: power, estimate: estimate)
      }
      return (settled(state, parts: parts), whole)
    }
  }

  /// Takes the halves of the first pieces over, and goes a level down after the last one.
  private func settled(
    _ state: SplittingState, parts: [(quotient: BigInteger, remainder: BigInteger)]
  ) -> DecimalState {
    var next = state
    next.estimate = nil
    next.todo.removeFirst(parts.count)
    for part in parts {
      next.done.append(part.quotient)
      next.done.append(part.remainder)
    }
    guard next.todo.isEmpty else { return .splitting(next) }
    guard state.level > 0, case .ready(_, let reciprocal) = state.divisor else {
      return .writing(WritingState(written: 0, residue: 0, blocks: next.done[...]))
    }
    return .splitting(
      SplittingState(
        level: state.level - 1, divisor: .descending(power: nil, upper: reciprocal), done: [],
        todo: next.done, estimate: nil))
  }

  private func descended(
    _ state: SplittingState, power: BigInteger?, upper: BigInteger
  ) -> SplittingState {
    var next = state
    let bits = plan.bits(atLevel: state.level)
    if let power {
      let reciprocal = Reciprocal.descended(
        upper, bits: plan.bits(atLevel: state.level + 1), root: power,
        rootBits: bits)
      next.divisor = .ready(
        power: power, reciprocal: Reciprocal.sound(reciprocal, for: power, bits: bits))
    } else {
      next.divisor = .descending(
        power: BigInteger.powerOfTen(plan.digits(atLevel: state.level)), upper: upper)
    }
    return next
  }

  func cost(_ state: SplittingState) -> Double {
    switch state.divisor {
    case .descending(nil, _): GMPCost.power(bits: plan.bits(atLevel: state.level))
    case .descending, .ready: productCost(level: state.level)
    }
  }

  func remainingCost(_ state: SplittingState) -> Double {
    let half = productCost(level: state.level)
    var sum = splittingCost(belowLevel: state.level) + writingCost(blocks: plan.blockCount)
    switch state.divisor {
    case .descending(nil, _): sum += half + GMPCost.power(bits: plan.bits(atLevel: state.level))
    case .descending: sum += half
    case .ready: break
    }
    // An estimated quotient is half of the work of one of the pieces.
    let pieces = Double(state.todo.count) - (state.estimate == nil ? 0 : 0.5)
    return sum + 2 * half * rounds(pieces, of: plan.blockCount >> (state.level + 1))
  }

  /// The cost of halving everything by the divisors below a level.
  func splittingCost(belowLevel level: Int) -> Double {
    var sum = 0.0
    for divisor in stride(from: level - 1, through: 0, by: -1) {
      let pieces = plan.blockCount >> (divisor + 1)
      sum += 2 * productCost(level: divisor) * rounds(Double(pieces), of: pieces)
      if divisor < plan.levels - 1 {
        sum += GMPCost.power(bits: plan.bits(atLevel: divisor)) + productCost(level: divisor)
      }
    }
    return sum
  }

  /// One of the two multiplications of a division.
  func productCost(level: Int) -> Double {
    let bits = plan.bits(atLevel: level)
    return GMPCost.product(bits: bits, bits: bits) + GMPCost.linear(bits: 4 * bits)
  }
}

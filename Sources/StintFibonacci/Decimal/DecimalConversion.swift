import Stint
import StintCore

/// The second phase: from a number to its decimal digits, in small resumable operations.
///
/// The number is halved by powers 10^(b·2^i), level by level, until blocks of b digits are left, which GMP
/// converts. Each division is two multiplications by way of a reciprocal, so that no operation is longer than one
/// multiplication of two numbers half as long as the whole.
struct DecimalConversion {
  let plan: DecimalPlan
  /// The threads on which the estimates count.
  let threads: Int

  /// What an operation made.
  enum Advance {
    case more(DecimalState, cost: Double)
    /// All digits are written; the value of the text is given modulo 2^61 − 1.
    case complete(residue: UInt64, cost: Double)
  }

  /// The state that begins with a number.
  func start(_ number: BigInteger) -> DecimalState {
    guard plan.levels > 0 else {
      return .writing(WritingState(written: 0, residue: 0, blocks: [number]))
    }
    let power = BigInteger.powerOfTen(plan.blockDigits)
    return settled(
      ReciprocalState(
        number: number, level: 0,
        step: .ready(power: power, reciprocal: Reciprocal.direct(power))))
  }

  /// Does the next operation, or several independent ones side by side.
  func advanced(
    _ state: DecimalState, atMost cost: Double, in context: ChunkContext
  ) throws -> Advance {
    switch state {
    case .reciprocal(let state):
      return .more(advanced(state), cost: self.cost(state))
    case .splitting(let state):
      let (next, spent) = try advanced(state, atMost: cost, threads: context.threads)
      return .more(next, cost: spent)
    case .writing(let state):
      return try advanced(state, in: context)
    }
  }

  /// The cost of the smallest operation that comes next.
  func cost(_ state: DecimalState) -> Double {
    switch state {
    case .reciprocal(let state): cost(state)
    case .splitting(let state): cost(state)
    case .writing: blockCost
    }
  }

  /// The cost from a state until all digits are written.
  func remainingCost(_ state: DecimalState) -> Double {
    switch state {
    case .reciprocal(let state): remainingCost(state)
    case .splitting(let state): remainingCost(state)
    case .writing(let state): writingCost(blocks: state.blocks.count)
    }
  }

  /// The cost from the number until all digits are written.
  var wholeCost: Double {
    startCost + reciprocalCost(fromLevel: 0) + splittingCost(belowLevel: plan.levels)
      + writingCost(blocks: plan.blockCount)
  }

  /// The cost of ``start(_:)``.
  var startCost: Double {
    guard plan.levels > 0 else { return GMPCost.overhead }
    let bits = plan.bits(atLevel: 0)
    return GMPCost.power(bits: bits) + GMPCost.quotient(divisorBits: bits)
  }

  /// The cost of converting and writing a block.
  var blockCost: Double {
    GMPCost.decimalText(bits: plan.bits(atLevel: 0))
  }

  func writingCost(blocks: Int) -> Double {
    blockCost * rounds(Double(blocks), of: plan.blockCount)
  }

  /// How long some of a set of independent operations take on all threads, in operations.
  ///
  /// In proportion to their number, so that what remains never grows, even where one is run alone.
  func rounds(_ count: Double, of all: Int) -> Double {
    count / Double(max(min(threads, all), 1))
  }
}

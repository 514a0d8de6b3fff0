package import Stint
import StintCore

extension FibonacciComputation {
  /// Does the next operation of a state, or a few independent ones side by side.
  package func advanced(
    _ state: FibonacciState, atMost cost: Double, in context: ChunkContext
  ) throws -> (state: FibonacciState, cost: Double) {
    switch state.phase {
    case .doubling(let doublingState) where doublingState.remainingBits > 0:
      let step = try doubling.advanced(doublingState, atMost: cost, threads: context.threads)
      return (FibonacciState(phase: .doubling(step.state)), step.cost)
    case .doubling(let doublingState):
      return (FibonacciState(phase: written(doublingState.current)), startCost)
    case .decimal(let decimalState):
      switch try conversion.advanced(decimalState, atMost: cost, in: context) {
      case .more(let next, let cost):
        return (FibonacciState(phase: .decimal(next)), cost)
      case .complete(let residue, let cost):
        guard residue == ModularArithmetic.mersenne.fibonacci(n).value else {
          throw StintError(
            .checkFailed,
            "The digits of F(\(n)) fail their check modulo 2^61 - 1; start over with --fresh.")
        }
        return (FibonacciState(phase: .checking(CheckingState(checked: 0, residue: 0))), cost)
      }
    case .binary(let binaryState):
      let next = try binary.advanced(binaryState, in: context.workspace)
      let cost = binary.cost(binaryState)
      if next.written < binary.length { return (FibonacciState(phase: .binary(next)), cost) }
      return (FibonacciState(phase: .checking(CheckingState(checked: 0, residue: 0))), cost)
    case .checking(let checkingState):
      let cost = check.cost(checkingState)
      let next = try check.advanced(checkingState, in: context.workspace)
      return (FibonacciState(phase: next.map { .checking($0) } ?? .complete), cost)
    case .complete:
      preconditionFailure("A complete computation has no next chunk.")
    }
  }

  /// The phase that writes the number.
  private func written(_ number: BigInteger) -> FibonacciState.Phase {
    switch format {
    case .decimal, .digits: .decimal(conversion.start(number))
    case .hex, .raw: .binary(BinaryState(number: number, written: 0))
    }
  }

  private var startCost: Double {
    format == .decimal ? conversion.startCost : GMPCost.overhead
  }

  /// The cost of the operation that comes next, or nil when nothing is left.
  func smallestCost(_ state: FibonacciState) -> Double? {
    switch state.phase {
    case .doubling(let state):
      state.remainingBits > 0 ? doubling.squaringCost(state.remainingBits) : startCost
    case .decimal(let state): conversion.cost(state)
    case .binary(let state): binary.cost(state)
    case .checking(let state): check.cost(state)
    case .complete: nil
    }
  }

  /// The least cost for which the next operations use all threads.
  func efficientCost(_ state: FibonacciState) -> Double? {
    guard threads > 1 else { return nil }
    switch state.phase {
    case .doubling(let state) where state.remainingBits > 0:
      return doubling.efficientCost(state)
    case .decimal(let state):
      return conversion.efficientCost(state)
    case .doubling, .binary, .checking, .complete:
      return nil
    }
  }

  /// The cost of the hardest operation of the whole work.
  var hardestCost: Double {
    let phase: FibonacciState.Phase =
      format == .digits
      ? .checking(CheckingState(checked: 0, residue: 0)) : .doubling(doubling.start())
    return hardestCost(FibonacciState(phase: phase)) ?? 0
  }

  /// The cost of the hardest operation that is still to come, or nil when nothing is left.
  func hardestCost(_ state: FibonacciState) -> Double? {
    guard let smallest = smallestCost(state) else { return nil }
    guard case .checking = state.phase else {
      return max(
        hardestBeforeChecking(state, smallest), check.cost(CheckingState(checked: 0, residue: 0)))
    }
    return smallest
  }

  private func hardestBeforeChecking(_ state: FibonacciState, _ next: Double) -> Double {
    switch state.phase {
    case .doubling(let state):
      let last = state.remainingBits > 0 ? doubling.squaringCost(1) : 0
      return max(next, last, hardestAfterDoubling)
    case .decimal(let state):
      return max(next, conversion.hardestCost(state))
    case .binary, .checking, .complete:
      return next
    }
  }

  func remainingCost(_ state: FibonacciState) -> Double {
    let checking = check.remainingCost(from: 0)
    switch state.phase {
    case .doubling(let state):
      let writing =
        format == .decimal ? conversion.wholeCost : startCost + binary.remainingCost(from: 0)
      return doubling.remainingCost(state, threads: threads) + writing + checking
    case .decimal(let state): return conversion.remainingCost(state) + checking
    case .binary(let state): return binary.remainingCost(from: state.written) + checking
    case .checking(let state): return check.remainingCost(from: state.checked)
    case .complete: return 0
    }
  }

  func phaseName(_ state: FibonacciState) -> String {
    switch state.phase {
    case .doubling: "doubling"
    case .decimal(.reciprocal): "reciprocals"
    case .decimal(.splitting): "splitting"
    case .decimal(.writing): "digits"
    case .binary: "writing"
    case .checking: "checking"
    case .complete: "complete"
    }
  }

  func checkpointBytes(_ state: FibonacciState) -> Int {
    let integers: [BigInteger] =
      switch state.phase {
      case .doubling(let state): [state.current, state.previous]
      case .decimal(let state): state.integers
      case .binary(let state): [state.number]
      case .checking, .complete: []
      }
    return 64 + integers.reduce(0) { $0 + $1.limbBytes + 8 }
  }
}

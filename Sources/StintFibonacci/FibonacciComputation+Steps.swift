import StintCore
package import StintRuntime

extension FibonacciComputation {
  package func advanced(
    _ state: FibonacciState, atMost cost: Double, in context: ChunkContext
  ) throws -> (state: FibonacciState, cost: Double) {
    switch state.phase {
    case .doubling(let pair) where pair.remainingBits > 0:
      let step = try doubling.advanced(pair, atMost: cost, threads: context.threads)
      return (FibonacciState(phase: .doubling(step.state)), step.cost)
    case .doubling(let pair):
      let binaryState = BinaryState(number: pair.current, written: 0)
      return (FibonacciState(phase: .binary(binaryState)), GMPCost.overhead)
    case .decimalDoubling(let pair) where pair.remainingBits > 0:
      let step = try decimalDoubling.advanced(pair, atMost: cost, threads: context.threads)
      return (FibonacciState(phase: .decimalDoubling(step.state)), step.cost)
    case .decimalDoubling(let pair):
      let digits = DigitsState(number: pair.current, written: 0, residue: 0)
      return (FibonacciState(phase: .digits(digits)), GMPCost.overhead)
    case .digits(let digits):
      return (try advanced(digits, in: context), decimal.cost(digits))
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

  private func advanced(
    _ state: DigitsState, in context: ChunkContext
  ) throws -> FibonacciState {
    switch try decimal.advanced(state, in: context) {
    case .more(let next):
      return FibonacciState(phase: .digits(next))
    case .complete(let residue):
      guard residue == ModularArithmetic.mersenne.fibonacci(n).value else {
        throw StintError(
          .checkFailed,
          "The digits of F(\(n)) fail their check modulo 2^61 - 1.", remedies: [.startOver])
      }
      return FibonacciState(phase: .checking(CheckingState(checked: 0, residue: 0)))
    }
  }

  package func doublingOutlook(_ state: FibonacciState) -> (any DoublingOutlook)? {
    switch state.phase {
    case .doubling(let state): doubling.costs(of: state, threads: threads)
    case .decimalDoubling(let state): decimalDoubling.costs(of: state, threads: threads)
    case .digits, .binary, .checking, .complete: nil
    }
  }

  package func smallestCost(_ state: FibonacciState) -> Double? {
    switch state.phase {
    case .doubling, .decimalDoubling:
      doublingOutlook(state).map { $0.isOver ? GMPCost.overhead : $0.cost }
    case .digits(let state): decimal.cost(state)
    case .binary(let state): binary.cost(state)
    case .checking(let state): check.cost(state)
    case .complete: nil
    }
  }

  /// The least cost for which no product is split, and the next operations use all threads.
  func efficientCost(_ state: FibonacciState) -> Double? {
    doublingOutlook(state).flatMap { $0.isOver ? nil : $0.efficientCost }
  }

  /// The cost of the hardest operation of the whole work.
  var hardestCost: Double { hardestCost(firstState) ?? 0 }

  /// The cost of the hardest operation that is still to come, or nil when nothing is left.
  func hardestCost(_ state: FibonacciState) -> Double? {
    guard let smallest = smallestCost(state) else { return nil }
    let checking = check.cost(CheckingState(checked: 0, residue: 0))
    let doubling = doublingOutlook(state)?.hardestCost ?? 0
    switch state.phase {
    case .doubling(let state):
      let writing = binary.cost(BinaryState(number: state.current, written: 0))
      return max(smallest, checking, writing, doubling)
    case .decimalDoubling(let state):
      let writing = decimal.cost(DigitsState(number: state.current, written: 0, residue: 0))
      return max(smallest, checking, writing, doubling)
    case .digits, .binary:
      return max(smallest, checking)
    case .checking, .complete:
      return smallest
    }
  }

  package func remainingCost(_ state: FibonacciState) -> Double {
    let checking = check.remainingCost(from: 0)
    switch state.phase {
    case .doubling, .decimalDoubling:
      let doubling = doublingOutlook(state)?.remainingCost ?? 0
      let writing =
        format == .decimal
        ? decimal.remainingCost(from: 0, threads: threads) : binary.remainingCost(from: 0)
      return doubling + GMPCost.overhead + writing + checking
    case .digits(let state):
      return decimal.remainingCost(from: state.written, threads: threads) + checking
    case .binary(let state): return binary.remainingCost(from: state.written) + checking
    case .checking(let state): return check.remainingCost(from: state.checked)
    case .complete: return 0
    }
  }

  func phaseName(_ state: FibonacciState) -> String {
    switch state.phase {
    case .doubling, .decimalDoubling: "doubling"
    case .digits: "digits"
    case .binary: "writing"
    case .checking: "checking"
    case .complete: "complete"
    }
  }

  func checkpointBytes(_ state: FibonacciState) -> Int {
    switch state.phase {
    case .doubling, .decimalDoubling: doublingOutlook(state)?.checkpointBytes ?? 0
    case .digits(let state): 64 + 8 * decimal.unwritten(state).count
    case .binary(let state): 64 + state.number.limbBytes
    case .checking, .complete: 64
    }
  }

  package func outputPerCost(_ state: FibonacciState) -> Double {
    switch state.phase {
    case .digits: DecimalOutput.outputPerCost(threads: threads)
    case .binary: BinaryOutput.outputPerCost
    // Making the state for the writing costs nothing compared with the writing, so both are one
    // chunk.
    case .decimalDoubling(let state):
      state.remainingBits == 0 ? DecimalOutput.outputPerCost(threads: threads) : 0
    case .doubling(let state): state.remainingBits == 0 ? BinaryOutput.outputPerCost : 0
    case .checking, .complete: 0
    }
  }

  package func outputBytes(_ state: FibonacciState) -> Int {
    switch state.phase {
    case .doubling, .decimalDoubling: 0
    case .digits(let state):
      // The first limb has as many digits as the others leave.
      state.written == 0
        ? 0 : decimal.digits - (decimal.limbCount - state.written) * DecimalNumber.limbDigits
    case .binary(let state): state.written
    case .checking, .complete: format.outputBytes(n)
    }
  }

  /// The size of the largest checkpoint of the whole work, in bytes.
  var largestCheckpointBytes: Int {
    switch format {
    case .decimal: 64 + decimalDoubling.largestCheckpointBytes
    case .hex, .raw: 64 + doubling.largestCheckpointBytes
    case .digits: 64
    }
  }
}

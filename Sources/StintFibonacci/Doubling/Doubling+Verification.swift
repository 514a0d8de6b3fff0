import Stint
import StintCore

extension Doubling {
  /// Checks that the state is what it says, modulo a prime.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func verify(_ state: State) throws {
    let modular = Number.modular
    let k = index(state)
    let expected = modular.fibonacci(k)
    let gone = missing(state)
    let current = state.current.residue()
    let previous = state.previous.residue()
    let expectedCurrent =
      state.isHalfway ? modular.multiply(expected.value, expected.value) : expected.value
    guard gone.current ? state.current.isZero : current == expectedCurrent,
      gone.previous ? state.previous.isZero : previous == expected.previous,
      gone.current || gone.previous || state.isHalfway
        || modular.isFibonacciPair((current, previous), index: k)
    else {
      throw StintError(
        .damaged, "The checkpoint's numbers are not F(\(k)) and F(\(k - 1)) modulo a prime.")
    }
    guard isRight(state, expected) else {
      throw StintError(
        .damaged, "The checkpoint's pieces do not make up a product of F(\(k)) modulo a prime.")
    }
  }

  /// Which numbers a state does not have, because nothing needs them any more.
  private func missing(_ state: State) -> (current: Bool, previous: Bool) {
    if let split = state.split, !split.needsFactors {
      let factors = factors(state)
      return (factors != .previous, factors != .current)
    }
    // The last step computes F(n−1) only when it is wanted, and leaves zero otherwise.
    return (false, state.remainingBits == 0 && !wantsPair && state.previous.isZero)
  }

  /// Whether the pieces of a product are its own: each value for itself, and later all together.
  private func isRight(_ state: State, _ pair: (value: UInt64, previous: UInt64)) -> Bool {
    if let half = state.half {
      let (left, right) = numbers(state, factors(state), threads: 1)
      return half.isRight(left, right)
    }
    guard let split = state.split else { return true }
    guard split.needsFactors else {
      let factors = residues(state, pair)
      return split.residueOfProduct() == Number.modular.multiply(factors.0, factors.1)
    }
    switch factors(state) {
    case .current: return split.areValues(of: state.current, state.current)
    case .previous: return split.areValues(of: state.previous, state.previous)
    case .last: return split.areValues(of: state.current, lastFactor(state, threads: 1))
    }
  }
}

import StintCore
import StintRuntime

extension Doubling {
  /// Checks that the state is what it says, modulo a prime.
  ///
  /// - Returns: The state, perhaps with what the check has found out besides.
  /// - Throws: ``StintError`` with the code `damaged`.
  func verified(_ state: State) throws -> State {
    let modular = Number.modular
    let k = index(state)
    let expected = modular.fibonacci(k)
    let gone = missing(state)
    let current = state.current.residue()
    let previous = state.previous.residue()
    let expectedCurrent =
      state.isHalfway ? modular.multiply(expected.value, expected.value) : expected.value
    guard hasItsLength(state.current, index: k, isSquare: state.isHalfway),
      hasItsLength(state.previous, index: max(k - 1, 1), isSquare: false)
    else {
      throw StintError(
        .damaged, "The checkpoint's numbers are longer or shorter than F(\(k)) and F(\(k - 1)).")
    }
    guard gone.current ? state.current.isZero : current == expectedCurrent,
      gone.previous ? state.previous.isZero : previous == expected.previous,
      gone.current || gone.previous || state.isHalfway
        || modular.isFibonacciPair((current, previous), index: k)
    else {
      throw StintError(
        .damaged, "The checkpoint's numbers are not F(\(k)) and F(\(k - 1)) modulo a prime.")
    }
    let checked = state.staged == nil ? state : verifiedStages(state, expected)
    guard let checked, isRight(state, expected) else {
      throw StintError(
        .damaged, "The checkpoint's pieces do not make up a product of F(\(k)) modulo a prime.")
    }
    return checked
  }

  /// Whether a number is as long as F(k) or its square, if it is not zero: another one may have the
  /// same residue.
  private func hasItsLength(_ number: Number, index: Int, isSquare: Bool) -> Bool {
    let length = Number.length(ofFibonacci: index)
    return number.isZero
      || (isSquare ? 2 * length - 1...2 * length : length...length) ~= number.length
  }

  /// Which numbers a state does not have, because nothing needs them any more.
  private func missing(_ state: State) -> (current: Bool, previous: Bool) {
    if !needsFactors(state) {
      let factors = factors(state)
      return (factors != .previous, factors != .current)
    }
    // The last step computes F(n−1) only when it is wanted, and leaves zero otherwise.
    return (false, state.remainingBits == 0 && !wantsPair && state.previous.isZero)
  }

  /// A state whose stages are those of its product, or nil.
  private func verifiedStages(
    _ state: State, _ pair: (value: UInt64, previous: UInt64)
  ) -> State? {
    if let staged = state.staged, !staged.needsFactors {
      return staged.residueOfProduct() == residueOfProduct(state, pair) ? state : nil
    }
    let (left, right) = numbers(state, factors(state), threads: 2)
    var verified = state
    verified.staged = state.staged?.verified(left, right)
    return verified.staged == nil ? nil : verified
  }

  /// Whether the pieces of a product are its own: each value for itself, and later all together.
  private func isRight(_ state: State, _ pair: (value: UInt64, previous: UInt64)) -> Bool {
    guard let split = state.split else { return true }
    guard split.needsFactors else {
      return split.residueOfProduct() == residueOfProduct(state, pair)
    }
    let (left, right) = numbers(state, factors(state), threads: 1)
    return split.areValues(of: left, right)
  }
}

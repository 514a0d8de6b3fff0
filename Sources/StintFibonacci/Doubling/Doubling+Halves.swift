// Products in two halves, where the numbers have such: the smallest operation takes half as long, and nothing takes longer for it.

extension Doubling {
  /// Whether a product of a step is done in halves.
  func isHalved(_ remainingBits: Int) -> Bool {
    Number.Half.exists && splitting.halves && mayBeSplit(remainingBits)
  }

  /// Whether a state's product is done in halves, or one of them is.
  func isInHalves(_ state: State) -> Bool {
    state.half != nil || isHalved(state.remainingBits)
  }

  /// Does the next half.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed`.
  func advancedByHalf(_ state: State, threads: Int) throws -> (state: State, cost: Double) {
    let factors = factors(state)
    let (left, right) = numbers(state, factors, threads: threads)
    let spent = unsplitCost(state, threads: threads)
    guard let half = state.half else {
      var next = state
      next.half = .begun(left, right, threads: threads)
      return (next, spent)
    }
    let product = try half.completed(left, right, threads: threads)
    return (completed(state, factors, product: product, threads: threads), spent)
  }

  /// The cost of the next operation of a product that costs so much with what follows it.
  func operationCost(
    _ state: State, product: Double, after: Double
  ) -> Double {
    guard isInHalves(state) else { return product + after }
    let first = Number.Half.share * product
    return state.half == nil ? first : product - first + after
  }

  /// The cost of the hardest operation of such a product.
  func hardestOperationCost(_ remainingBits: Int, product: Double, after: Double) -> Double {
    guard isHalved(remainingBits) else { return product + after }
    return max(Number.Half.share, 1 - Number.Half.share) * product + after
  }

  /// The cost of what is done of a state's product.
  func costOfHalf(_ state: State, threads: Int) -> Double {
    guard state.half != nil else { return 0 }
    let bits = state.remainingBits
    let product =
      factors(state).isSquare
      ? firstCost(bits, threads: threads)
      : Number.productCost(length: length(bits), threads: threads)
    return Number.Half.share * product
  }
}

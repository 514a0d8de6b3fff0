import StintRuntime

// Products in stages, where the numbers have such: operations that are a fraction of the product,
// and nothing takes longer for it.

extension Doubling {
  /// Whether a product of a step is done in stages.
  func isStaged(_ remainingBits: Int) -> Bool {
    Number.Staged.exists && splitting.staged && mayBeSplit(remainingBits)
  }

  /// Whether a state's product is done in stages, or some of them are.
  func isInStages(_ state: State) -> Bool {
    state.staged != nil || isStaged(state.remainingBits)
  }

  /// Whether the product that a state is before, or in, still takes its factors: else it can only
  /// go on as it has begun.
  func needsFactors(_ state: State) -> Bool {
    (state.split?.needsFactors ?? true) && (state.staged?.needsFactors ?? true)
  }

  /// Does the next stage.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed`.
  func advancedByStage(_ state: State, threads: Int) throws -> (state: State, cost: Double) {
    let factors = factors(state)
    let spent = costs(of: state, threads: threads).unsplitCost
    func numbers() -> (Number, Number) { self.numbers(state, factors, threads: threads) }
    var next = state
    guard let staged = state.staged else {
      let (left, right) = numbers()
      next.staged = .begun(left, right, threads: threads)
      return (next, spent)
    }
    switch try staged.advanced(numbers, threads: threads) {
    case .more(let staged):
      next.staged = staged
      if !staged.needsFactors { drop(factors, from: &next) }
    case .complete(let product):
      // What is done may have come from a file.
      let expected = residueOfProduct(state, Number.modular.fibonacci(index(state)))
      guard product.residue() == expected else { throw Self.wrongStages }
      next = try completed(state, factors, product: product, threads: threads)
    }
    return (next, spent)
  }

  private static var wrongStages: StintError {
    StintError(
      .checkFailed,
      "The stages of a product do not make up the product.", remedies: [.startOver])
  }
}

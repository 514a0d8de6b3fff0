// Products in pieces: which there are, and what a piece does to the state.

extension Doubling {
  /// The product that a state is before.
  enum Factors: Hashable, Sendable {
    /// F(k) with itself.
    case current
    /// F(k−1) with itself.
    case previous
    /// The last one, which gives F(n) alone: F(k) with F(k) + 2F(k−1) or 3F(k) + F(k−1).
    case last

    var isSquare: Bool { self != .last }
  }

  /// What is split at a state: a last step is one product then, because its squarings would cost
  /// more one after the other.
  func factors(_ state: State) -> Factors {
    if state.isHalfway { return .previous }
    return state.remainingBits == 1 && !wantsPair ? .last : .current
  }

  /// Whether the next product may be split.
  func mayBeSplit(_ remainingBits: Int) -> Bool {
    remainingBits > 0 && length(remainingBits) >= splitting.leastLength
  }

  /// Whether a state's product may be split and is not yet.
  func mayBeSplit(_ state: State) -> Bool {
    state.split == nil && needsFactors(state) && mayBeSplit(state.remainingBits)
  }

  /// A product with nothing done.
  func splitProduct(_ remainingBits: Int, parts: Int) -> SplitProduct<Number> {
    SplitProduct(parts: parts, factorLength: factorLength(remainingBits))
  }

  /// The most words of a factor: the second one of a last product is below 4F(k).
  func factorLength(_ remainingBits: Int) -> Int {
    length(remainingBits) + 1
  }

  /// The fewest parts whose pieces take a share of the cost, or all of it at most, or the most
  /// there are.
  private func parts(atMost cost: Double, _ costs: DoublingCosts<Number>) -> Int {
    func fits(_ limit: Double) -> Int? {
      Splitting.ladder.first {
        costs.pieceCost(splitProduct(costs.state.remainingBits, parts: $0)) <= limit
      }
    }
    return fits(Splitting.share * cost) ?? fits(cost) ?? Splitting.most
  }

  /// Does the next piece of a product, or begins one.
  func advancedInPieces(
    _ state: State, atMost cost: Double, threads: Int
  ) throws -> (state: State, cost: Double) {
    let costs = costs(of: state, threads: threads)
    let split =
      state.split ?? splitProduct(state.remainingBits, parts: parts(atMost: cost, costs))
    let factors = factors(state)
    let spent = costs.pieceCost(split)
    var next = state
    // Stages that the budget has no room for the rest of are given up: pieces cannot go on from
    // them.
    next.staged = nil
    switch split.advanced({ numbers(state, factors, threads: threads) }, threads: threads) {
    case .more(let split):
      next.split = split
      if !split.needsFactors { drop(factors, from: &next) }
    case .complete(let product):
      next = try completed(state, factors, product: product, threads: threads)
    }
    return (next, spent)
  }

  func numbers(_ state: State, _ factors: Factors, threads: Int) -> (Number, Number) {
    switch factors {
    case .current: (state.current, state.current)
    case .previous: (state.previous, state.previous)
    case .last: (state.current, lastFactor(state, threads: threads))
    }
  }

  /// Numbers that are not needed again need no place in a checkpoint.
  func drop(_ factors: Factors, from state: inout State) {
    if factors != .previous { state.current = Number(0) }
    if factors != .current { state.previous = Number(0) }
  }

  func completed(
    _ state: State, _ factors: Factors, product: Number, threads: Int
  ) throws -> State {
    var next = state
    next.split = nil
    next.staged = nil
    switch factors {
    case .current:
      next.current = product
      next.isHalfway = true
      return next
    case .previous:
      return try step(state, square: state.current, previousSquare: product, threads: threads)
    case .last:
      return lastStep(state, product: product, threads: threads)
    }
  }

  /// The residue that the product of a state's factors must have.
  func residueOfProduct(
    _ state: State, _ pair: (value: UInt64, previous: UInt64)
  ) -> UInt64 {
    let modular = Number.modular
    switch factors(state) {
    case .current: return modular.multiply(pair.value, pair.value)
    case .previous: return modular.multiply(pair.previous, pair.previous)
    case .last:
      let isOdd = n & 1 == 1
      let weighted = (
        modular.multiply(isOdd ? 3 : 1, pair.value), modular.multiply(isOdd ? 1 : 2, pair.previous)
      )
      return modular.multiply(pair.value, modular.add(weighted.0, weighted.1))
    }
  }
}

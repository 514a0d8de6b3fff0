import StintCore

// What the operations of a step cost, and which of them there are.

extension Doubling {
  /// Whether one product ends the work: where a step cannot run its squarings side by side, it
  /// costs less than both.
  func endsWithProduct(_ remainingBits: Int, threads: Int) -> Bool {
    remainingBits == 1 && !wantsPair && !runsBoth(remainingBits, threads: threads)
  }

  /// Whether a step runs its two squarings side by side, if it may cost as much.
  func runsBoth(_ remainingBits: Int, threads: Int) -> Bool {
    !Number.productIsParallel && threads > 1 && length(remainingBits) > Self.leastParallelLength
  }

  /// Below this size in words, waking a thread costs more than the squaring.
  private static var leastParallelLength: Int { 2048 }

  /// The words of F(k) before a step.
  func length(_ remainingBits: Int) -> Int {
    max(Number.length(ofFibonacci: n >> remainingBits), 1)
  }

  /// The cost of the combinations that follow the squarings of a step.
  func combinationCost(_ remainingBits: Int, threads: Int) -> Double {
    2 * Number.combinationCost(length: 2 * length(remainingBits), threads: threads)
  }

  /// The cost of the first of two squarings.
  func firstCost(_ remainingBits: Int, threads: Int) -> Double {
    Number.squaringCost(length: length(remainingBits), threads: threads)
  }

  /// The cost of the second squaring, and what follows.
  func secondCost(_ remainingBits: Int, threads: Int) -> Double {
    firstCost(remainingBits, threads: threads) + combinationCost(remainingBits, threads: threads)
  }

  /// The cost of a step whose squarings run at the same time.
  func bothCost(_ remainingBits: Int, threads: Int) -> Double {
    DoublingCost.sharing * firstCost(remainingBits, threads: 1)
      + combinationCost(remainingBits, threads: threads)
  }

  func lastProductCost(threads: Int) -> Double {
    let (product, after) = productCosts(1, .last, threads)
    return product + after
  }

  /// The cost of the smallest operation that comes next.
  func cost(_ state: State, threads: Int) -> Double {
    if state.split != nil { return smallestPieceCost(state, threads: threads) }
    let unsplit = unsplitCost(state, threads: threads)
    guard mayBeSplit(state) else { return unsplit }
    return min(unsplit, smallestPieceCost(state, threads: threads))
  }

  /// The cost of the smallest operation that splits no product unless one is split already.
  func unsplitCost(_ state: State, threads: Int) -> Double {
    if state.split != nil { return smallestPieceCost(state, threads: threads) }
    return leftStageCosts(state, threads: threads).first ?? 0
  }

  /// The costs of the operations of the next product that are still to come, if it is not split.
  private func leftStageCosts(_ state: State, threads: Int) -> [Double] {
    let factors = nextFactors(state, threads: threads)
    let costs = stageCosts(state.remainingBits, factors, threads: threads)
    return Array(costs.dropFirst(state.staged?.done ?? 0))
  }

  /// The product that comes next if none is split.
  private func nextFactors(_ state: State, threads: Int) -> Factors {
    if state.isHalfway { return .previous }
    return endsWithProduct(state.remainingBits, threads: threads) ? .last : .current
  }

  /// The cost of a product, and of what follows it.
  func productCosts(
    _ bits: Int, _ factors: Factors, _ threads: Int
  ) -> (product: Double, after: Double) {
    switch factors {
    case .current: (firstCost(bits, threads: threads), 0)
    case .previous:
      (firstCost(bits, threads: threads), combinationCost(bits, threads: threads))
    case .last:
      (
        Number.productCost(length: length(bits), threads: threads),
        2 * Number.combinationCost(length: length(bits), threads: threads)
      )
    }
  }

  /// The ways to do a product that may be split, without splitting it.
  ///
  /// Two squarings instead of a last product take more in all, but each of them less.
  func ways(_ state: State, threads: Int) -> [Outlook.Way] {
    let bits = state.remainingBits
    guard mayBeSplit(state) else { return [] }
    let unsplit = Outlook.Way(
      operations: leftStageCosts(state, threads: threads), isBegun: state.staged != nil)
    guard !state.isHalfway, endsWithProduct(bits, threads: threads), !isStaged(bits) else {
      return [unsplit]
    }
    return [unsplit, Outlook.Way(operations: [secondCost(bits, threads: threads)])]
      .filter { $0.cost <= unsplit.cost }
  }

  /// Whether a last step is done by squarings because its product costs too much.
  func takesSquarings(_ state: State, _ cost: Double, threads: Int) -> Bool {
    let ways = ways(state, threads: threads)
    return ways.count > 1 && ways[0].cost > cost
  }

  /// The cost of a whole step on all threads, or of what is left of it.
  func efficientCost(_ state: State, threads: Int) -> Double {
    let bits = state.remainingBits
    return !state.isHalfway && state.split == nil && runsBoth(bits, threads: threads)
      ? bothCost(bits, threads: threads) : unsplitCost(state, threads: threads)
  }

  /// The cost of the hardest operation from a state on, if products are split into as many pieces
  /// as can be.
  func hardestCost(_ state: State, threads: Int) -> Double {
    let bits = state.remainingBits
    guard bits > 0 else { return 0 }
    let next =
      if state.split != nil {
        hardestPieceCost(state, threads: threads)
      } else if !needsFactors(state) {
        leftStageCosts(state, threads: threads).max() ?? 0
      } else {
        hardest(bits, factors(state), doing: nextFactors(state, threads: threads), threads)
      }
    let second = factors(state) == .current ? hardestOfSecond(bits, threads) : 0
    // The step before a last product has squarings with two combinations each.
    return [1, 2].filter { $0 < bits }.reduce(max(next, second)) {
      max($0, hardestOfStep($1, threads))
    }
  }

  /// The hardest operation of a product that has not begun, given its factors if it is done in
  /// pieces, and its factors (`whole`) if it is not.
  private func hardest(
    _ bits: Int, _ factors: Factors, doing whole: Factors, _ threads: Int
  ) -> Double {
    let unsplit = stageCosts(bits, whole, threads: threads).max() ?? 0
    guard mayBeSplit(bits) else { return unsplit }
    let pieces = splitProduct(bits, parts: Splitting.most)
    return min(unsplit, hardestPieceCost(bits, factors, pieces, threads: threads))
  }

  private func hardestOfSecond(_ bits: Int, _ threads: Int) -> Double {
    hardest(bits, .previous, doing: .previous, threads)
  }

  /// The hardest operation of a step that has not begun.
  private func hardestOfStep(_ bits: Int, _ threads: Int) -> Double {
    endsWithProduct(bits, threads: threads)
      ? hardest(bits, .last, doing: .last, threads) : hardestOfSecond(bits, threads)
  }

  /// The cost of a whole step.
  func stepCost(_ remainingBits: Int, threads: Int) -> Double {
    if endsWithProduct(remainingBits, threads: threads) { return lastProductCost(threads: threads) }
    return runsBoth(remainingBits, threads: threads)
      ? bothCost(remainingBits, threads: threads)
      : firstCost(remainingBits, threads: threads) + secondCost(remainingBits, threads: threads)
  }

  /// The cost from a state to the end.
  func remainingCost(_ state: State, threads: Int) -> Double {
    guard state.remainingBits > 0 else { return 0 }
    let next =
      state.split.map {
        remainingPieceCost(state, $0, threads: threads) + costAfterProduct(state, threads)
      } ?? unsplitStepCost(state, threads: threads) - costOfStages(state, threads: threads)
    return next + laterCost(state, threads: threads)
  }

  /// The cost from a state to the end as if nothing were split: a product in pieces counts by its
  /// share that is done, and one in stages not at all, because it is given up where a budget has no
  /// room for the rest.
  ///
  /// Progress is measured by it, which never goes back.
  func nominalCost(_ state: State, threads: Int) -> Double {
    guard state.remainingBits > 0 else { return 0 }
    guard let split = state.split else {
      return remainingCost(state, threads: threads) + costOfStages(state, threads: threads)
    }
    let whole = remainingPieceCost(
      state, splitProduct(state.remainingBits, parts: split.parts), threads: threads)
    let left = remainingPieceCost(state, split, threads: threads)
    let after = costAfterProduct(state, threads)
    let product = max(unsplitStepCost(state, threads: threads) - after, 0)
    return product * min(left / whole, 1) + after + laterCost(state, threads: threads)
  }

  /// What is left of a state's step if it is not split.
  private func unsplitStepCost(_ state: State, threads: Int) -> Double {
    state.isHalfway
      ? secondCost(state.remainingBits, threads: threads)
      : stepCost(state.remainingBits, threads: threads)
  }

  /// What is left of a step after its product in pieces.
  private func costAfterProduct(_ state: State, _ threads: Int) -> Double {
    factors(state) == .current ? secondCost(state.remainingBits, threads: threads) : 0
  }

  private func laterCost(_ state: State, threads: Int) -> Double {
    stride(from: state.remainingBits - 1, to: 0, by: -1).reduce(0.0) {
      $0 + stepCost($1, threads: threads)
    }
  }
}

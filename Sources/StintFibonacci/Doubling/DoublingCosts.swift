package import StintCore

/// What is to do from a state of the doubling on, and what it costs, whichever numbers it works on.
package protocol DoublingOutlook {
  /// Whether nothing is left to do.
  var isOver: Bool { get }
  /// Whether a product is half-done, in pieces.
  var isSplit: Bool { get }
  /// Whether the product that comes next may be split and is not yet.
  var mayBeSplit: Bool { get }
  /// What shows how fast this machine is before that product.
  var trial: SpeedTrial { get }

  /// The cost of the smallest operation that comes next.
  var cost: Double { get }
  /// The cost of the smallest operation that splits no product unless one is split already.
  var unsplitCost: Double { get }
  /// The ways to do a product that may be split, without splitting it.
  ///
  /// Two squarings instead of a last product take more in all, but each of them less.
  var ways: [Outlook.Way] { get }
  /// The cost of a whole step on all threads, or of what is left of it.
  var efficientCost: Double { get }
  /// The cost of the hardest operation from a state on, if products are split into as many pieces
  /// as can be.
  var hardestCost: Double { get }
  /// The cost from a state to the end.
  var remainingCost: Double { get }
  /// The cost from a state to the end as if nothing were split: a product in pieces counts by its
  /// share that is done, and one in stages not at all, because it is given up where a budget has no
  /// room for the rest.
  ///
  /// Progress is measured by it, which never goes back.
  var nominalCost: Double { get }
  /// The size of a state in a checkpoint, in bytes, at most.
  var checkpointBytes: Int { get }
}

/// The costs of the operations from a state on, and which of them there are.
///
/// Those of a step follow from the bits that are left before it.
struct DoublingCosts<Number: DoublingNumber>: Sendable {
  typealias Factors = Doubling<Number>.Factors

  let doubling: Doubling<Number>
  let state: DoublingState<Number>
  let threads: Int

  private var bits: Int { state.remainingBits }
  private var factors: Factors { doubling.factors(state) }

  // MARK: Steps

  /// Whether one product ends the work: where a step cannot run its squarings side by side, it
  /// costs less than both.
  func endsWithProduct(_ bits: Int) -> Bool {
    bits == 1 && !doubling.wantsPair && !runsBoth(bits)
  }

  /// Whether a step runs its two squarings side by side, if it may cost as much.
  func runsBoth(_ bits: Int) -> Bool {
    !Number.productIsParallel && threads > 1 && doubling.length(bits) > Self.leastParallelLength
  }

  /// Below this size in words, waking a thread costs more than the squaring.
  private static var leastParallelLength: Int { 2048 }

  /// The cost of the combinations that follow the squarings of a step.
  private func combinationCost(_ bits: Int) -> Double {
    2 * Number.combinationCost(length: 2 * doubling.length(bits), threads: threads)
  }

  /// The cost of the first of two squarings.
  func firstCost(_ bits: Int) -> Double {
    Number.squaringCost(length: doubling.length(bits), threads: threads)
  }

  /// The cost of the second squaring, and what follows.
  func secondCost(_ bits: Int) -> Double { firstCost(bits) + combinationCost(bits) }

  /// The cost of a step whose squarings run at the same time.
  func bothCost(_ bits: Int) -> Double {
    DoublingCost.sharing * Number.squaringCost(length: doubling.length(bits), threads: 1)
      + combinationCost(bits)
  }

  var lastProductCost: Double {
    let (product, after) = productCosts(1, .last)
    return product + after
  }

  /// The cost of a whole step.
  private func stepCost(_ bits: Int) -> Double {
    if endsWithProduct(bits) { return lastProductCost }
    return runsBoth(bits) ? bothCost(bits) : firstCost(bits) + secondCost(bits)
  }

  /// The cost of a product, and of what follows it.
  private func productCosts(_ bits: Int, _ factors: Factors) -> (product: Double, after: Double) {
    switch factors {
    case .current: (firstCost(bits), 0)
    case .previous: (firstCost(bits), combinationCost(bits))
    case .last:
      (
        Number.productCost(length: doubling.length(bits), threads: threads),
        2 * Number.combinationCost(length: doubling.length(bits), threads: threads)
      )
    }
  }

  /// Whether a last step is done by squarings because its product costs too much.
  func takesSquarings(atMost cost: Double) -> Bool {
    let ways = ways
    return ways.count > 1 && ways[0].cost > cost
  }

  // MARK: Stages

  /// The costs of the stages of a product with what follows the last one; of a product that has
  /// none, its own.
  private func stageCosts(_ bits: Int, _ factors: Factors) -> [Double] {
    let (product, after) = productCosts(bits, factors)
    guard doubling.isStaged(bits) else { return [product + after] }
    var costs = Number.Staged.costs(
      length: doubling.length(bits), isSquare: factors.isSquare, threads: threads)
    costs[costs.count - 1] += after
    return costs
  }

  /// The cost of what is done of a state's product.
  private var costOfStages: Double {
    guard let staged = state.staged else { return 0 }
    return stageCosts(bits, factors)[..<staged.done].reduce(0, +)
  }

  /// The product that comes next if none is split.
  private var nextFactors: Factors {
    if state.isHalfway { return .previous }
    return endsWithProduct(bits) ? .last : .current
  }

  /// The costs of the operations of the next product that are still to come, if it is not split.
  private var leftStageCosts: [Double] {
    Array(stageCosts(bits, nextFactors).dropFirst(state.staged?.done ?? 0))
  }

  // MARK: Pieces

  /// The product of a state in pieces, as many as can be unless it has begun.
  private var split: SplitProduct<Number> {
    state.split ?? doubling.splitProduct(bits, parts: Splitting.most)
  }

  /// The cost of the next piece, with what follows the last one.
  func pieceCost(_ split: SplitProduct<Number>) -> Double {
    let isLast = !split.needsFactors && split.pass(split.passes) == .sum
    return split.cost(isSquare: factors.isSquare, threads: threads)
      + extraCost(bits, factors, isLast: isLast)
  }

  /// What an operation does beside its piece: the second factor is made for each value, and the
  /// step is ended by the last.
  private func extraCost(_ bits: Int, _ factors: Factors, isLast: Bool) -> Double {
    switch (factors, isLast) {
    case (.last, _): Number.combinationCost(length: doubling.length(bits), threads: threads)
    case (.previous, true): combinationCost(bits)
    case (.previous, false), (.current, _): 0
    }
  }

  /// The cost of the hardest piece of a product.
  private func hardestPieceCost(
    _ bits: Int, _ factors: Factors, _ split: SplitProduct<Number>
  ) -> Double {
    max(
      split.hardestCost(isSquare: factors.isSquare, threads: threads)
        + extraCost(bits, factors, isLast: false),
      split.cost(of: .sum, threads: threads) + extraCost(bits, factors, isLast: true))
  }

  /// The cost of what is left of a product in pieces.
  private func remainingPieceCost(_ split: SplitProduct<Number>) -> Double {
    split.remainingCost(isSquare: factors.isSquare, threads: threads)
      + extraCost(bits, factors, isLast: true)
  }

  // MARK: What is to come

  /// The hardest operation of a product that has not begun, given its factors if it is done in
  /// pieces, and its factors (`whole`) if it is not.
  private func hardest(_ bits: Int, _ factors: Factors, doing whole: Factors) -> Double {
    let unsplit = stageCosts(bits, whole).max() ?? 0
    guard doubling.mayBeSplit(bits) else { return unsplit }
    let pieces = doubling.splitProduct(bits, parts: Splitting.most)
    return min(unsplit, hardestPieceCost(bits, factors, pieces))
  }

  /// The hardest operation of a step that has not begun.
  private func hardestOfStep(_ bits: Int) -> Double {
    let factors: Factors = endsWithProduct(bits) ? .last : .previous
    return hardest(bits, factors, doing: factors)
  }

  /// What is left of a state's step if it is not split.
  private var unsplitStepCost: Double { state.isHalfway ? secondCost(bits) : stepCost(bits) }

  /// What is left of a step after its product in pieces.
  private var costAfterProduct: Double { factors == .current ? secondCost(bits) : 0 }

  private var laterCost: Double {
    stride(from: bits - 1, to: 0, by: -1).reduce(0.0) { $0 + stepCost($1) }
  }
}

extension DoublingCosts: DoublingOutlook {
  var isOver: Bool { bits == 0 }
  var isSplit: Bool { state.split != nil }
  var mayBeSplit: Bool { doubling.mayBeSplit(state) }

  var trial: SpeedTrial {
    SpeedTrial(
      isDecimal: Number.self == DecimalNumber.self, productLength: doubling.length(bits),
      splitting: doubling.splitting)
  }

  var cost: Double {
    if isSplit { return pieceCost(split) }
    return mayBeSplit ? min(unsplitCost, pieceCost(split)) : unsplitCost
  }

  var unsplitCost: Double { isSplit ? pieceCost(split) : leftStageCosts.first ?? 0 }

  var ways: [Outlook.Way] {
    guard mayBeSplit else { return [] }
    let unsplit = Outlook.Way(operations: leftStageCosts, isBegun: state.staged != nil)
    guard !state.isHalfway, endsWithProduct(bits), !doubling.isStaged(bits) else {
      return [unsplit]
    }
    return [unsplit, Outlook.Way(operations: [secondCost(bits)])]
      .filter { $0.cost <= unsplit.cost }
  }

  var efficientCost: Double {
    !state.isHalfway && !isSplit && runsBoth(bits) ? bothCost(bits) : unsplitCost
  }

  var hardestCost: Double {
    guard !isOver else { return 0 }
    let next =
      if isSplit {
        hardestPieceCost(bits, factors, split)
      } else if !doubling.needsFactors(state) {
        leftStageCosts.max() ?? 0
      } else {
        hardest(bits, factors, doing: nextFactors)
      }
    let second = factors == .current ? hardest(bits, .previous, doing: .previous) : 0
    // The step before a last product has squarings with two combinations each.
    return [1, 2].filter { $0 < bits }.reduce(max(next, second)) { max($0, hardestOfStep($1)) }
  }

  var remainingCost: Double {
    guard !isOver else { return 0 }
    let next =
      state.split.map { remainingPieceCost($0) + costAfterProduct } ?? unsplitStepCost
      - costOfStages
    return next + laterCost
  }

  var nominalCost: Double {
    guard !isOver else { return 0 }
    guard let split = state.split else { return remainingCost + costOfStages }
    let whole = remainingPieceCost(doubling.splitProduct(bits, parts: split.parts))
    let product = max(unsplitStepCost - costAfterProduct, 0)
    return product * min(remainingPieceCost(split) / whole, 1) + costAfterProduct + laterCost
  }

  var checkpointBytes: Int {
    64 + 8 * (state.current.length + state.previous.length) + (state.split?.checkpointBytes ?? 0)
      + (state.staged.map { 8 + 8 * $0.length } ?? 0)
  }
}

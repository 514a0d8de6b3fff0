// What the operations of a step cost, and which of them there are.

extension Doubling {
  /// Whether one product ends the work: where a step cannot run its squarings side by side, it costs less than both.
  func endsWithProduct(_ remainingBits: Int, threads: Int) -> Bool {
    remainingBits == 1 && !wantsPair && !runsBoth(remainingBits, threads: threads)
  }

  /// Whether a step runs its two squarings side by side, if it may cost as much.
  func runsBoth(_ remainingBits: Int, threads: Int) -> Bool {
    !Number.productIsParallel && threads > 1 && length(remainingBits) > Self.leastParallelLength
  }

  /// Below this size in words, waking a thread costs more than the squaring.
  private static var leastParallelLength: Int { 2048 }

  /// A step whose squarings run at the same time, in squarings: they share memory and its bandwidth.
  private static var sharedStep: Double { 1.1 }

  /// The words of F(k) before a step.
  private func length(_ remainingBits: Int) -> Int {
    max(Number.length(ofFibonacci: n >> remainingBits), 1)
  }

  /// The cost of the combinations that follow the squarings of a step.
  private func combinationCost(_ remainingBits: Int, threads: Int) -> Double {
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
    Self.sharedStep * firstCost(remainingBits, threads: 1)
      + combinationCost(remainingBits, threads: threads)
  }

  func lastProductCost(threads: Int) -> Double {
    Number.productCost(length: length(1), threads: threads)
      + 2 * Number.combinationCost(length: length(1), threads: threads)
  }

  /// The cost of the smallest operation that comes next.
  func cost(_ state: State, threads: Int) -> Double {
    let bits = state.remainingBits
    if state.isHalfway { return secondCost(bits, threads: threads) }
    return endsWithProduct(bits, threads: threads)
      ? lastProductCost(threads: threads) : firstCost(bits, threads: threads)
  }

  /// The cost of a whole step on all threads, or of what is left of it.
  func efficientCost(_ state: State, threads: Int) -> Double {
    let bits = state.remainingBits
    return !state.isHalfway && runsBoth(bits, threads: threads)
      ? bothCost(bits, threads: threads) : cost(state, threads: threads)
  }

  /// The cost of the hardest operation from a state on.
  func hardestCost(_ state: State, threads: Int) -> Double {
    guard state.remainingBits > 0 else { return 0 }
    let last =
      endsWithProduct(1, threads: threads)
      ? lastProductCost(threads: threads) : secondCost(1, threads: threads)
    // The step before a last product has squarings with two combinations each.
    let beforeLast = state.remainingBits > 1 ? secondCost(2, threads: threads) : 0
    return max(cost(state, threads: threads), last, beforeLast)
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
    var sum =
      state.isHalfway
      ? secondCost(state.remainingBits, threads: threads)
      : stepCost(state.remainingBits, threads: threads)
    for bits in stride(from: state.remainingBits - 1, to: 0, by: -1) {
      sum += stepCost(bits, threads: threads)
    }
    return sum
  }
}

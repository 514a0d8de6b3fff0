import StintCore
import StintRuntime

/// Fast doubling: from F(k), F(k−1) to F(2k), F(2k−1) or F(2k+1), F(2k) with two squarings.
///
/// With a = F(k)² and b = F(k−1)²: F(2k−1) = a + b, F(2k+1) = 4a − b + 2(−1)^k and F(2k) is their
/// difference (GMP manual, section 15.7.4). The last step computes only what is asked for; one
/// product does it where that is faster than two squarings: F(2k) = F(k)·(F(k) + 2F(k−1)), F(2k+1)
/// = F(k)·(3F(k) + F(k−1)) + (−1)^k.
struct Doubling<Number: DoublingNumber>: Sendable {
  typealias State = DoublingState<Number>

  /// The position to reach.
  let n: Int
  /// Whether F(n−1) is wanted as well.
  let wantsPair: Bool
  /// When its products are split.
  var splitting = Splitting()

  /// The state to start from: the longest prefix of n whose Fibonacci number fits a word.
  func start() -> State {
    var bits = 0
    while n >> bits >= FibonacciLength.small.count { bits += 1 }
    let k = n >> bits
    let small = FibonacciLength.small
    return DoublingState(
      remainingBits: bits, isHalfway: false, current: Number(small[k]),
      previous: Number(k == 0 ? 1 : small[k - 1]))
  }

  func index(_ state: State) -> Int {
    n >> state.remainingBits
  }

  /// The words of F(k) before a step.
  func length(_ remainingBits: Int) -> Int {
    max(Number.length(ofFibonacci: n >> remainingBits), 1)
  }

  func costs(of state: State, threads: Int) -> DoublingCosts<Number> {
    DoublingCosts(doubling: self, state: state, threads: threads)
  }

  /// Does one squaring, or a whole step where two threads and the cost allow it, or a piece of a
  /// product where not even that fits.
  func advanced(
    _ state: State, atMost cost: Double, threads: Int
  ) throws -> (state: State, cost: Double) {
    let bits = state.remainingBits
    let costs = costs(of: state, threads: threads)
    if state.split != nil || (costs.ways.last?.cost ?? 0) > cost {
      return try advancedInPieces(state, atMost: cost, threads: threads)
    }
    if isInStages(state) { return try advancedByStage(state, threads: threads) }
    let (current, previous) = (state.current, state.previous)
    if state.isHalfway {
      let square = Number.product(previous, previous, threads: threads)
      return (
        try step(state, square: current, previousSquare: square, threads: threads),
        costs.secondCost(bits)
      )
    }
    if costs.endsWithProduct(bits), !costs.takesSquarings(atMost: cost) {
      let product = Number.product(
        current, lastFactor(state, threads: threads), threads: threads)
      return (lastStep(state, product: product, threads: threads), costs.lastProductCost)
    }
    if costs.runsBoth(bits), costs.bothCost(bits) <= cost {
      let squares = try Parallel.map(count: 2, threads: 2) { index in
        let factor = index == 0 ? current : previous
        return Number.product(factor, factor, threads: 1)
      }
      return (
        try step(state, square: squares[0], previousSquare: squares[1], threads: threads),
        costs.bothCost(bits)
      )
    }
    var next = state
    next.current = Number.product(current, current, threads: threads)
    next.isHalfway = true
    return (next, costs.firstCost(bits))
  }

  /// Ends a step.
  ///
  /// - Throws: ``StintError`` with the code `checkFailed` if the squares are in the wrong order: a
  ///   state that was read may have the right residues and still be of other numbers.
  func step(
    _ state: State, square: Number, previousSquare: Number, threads: Int
  ) throws -> State {
    guard square >= previousSquare else {
      throw StintError(
        .checkFailed,
        "The numbers of F(\(index(state))) are not what they should be.", remedies: [.startOver])
    }
    let bits = state.remainingBits - 1
    let sign = index(state) & 1 == 1 ? -2 : 2
    let isOdd = n >> bits & 1 == 1
    let needsPrevious = wantsPair || bits > 0
    func combination(_ alpha: Int, _ beta: Int, plus constant: Int) -> Number {
      .combination(alpha, square, beta, previousSquare, plus: constant, threads: threads)
    }
    let even = !isOdd || needsPrevious ? combination(3, -2, plus: sign) : nil
    let other =
      isOdd ? combination(4, -1, plus: sign) : (needsPrevious ? combination(1, 1, plus: 0) : nil)
    return DoublingState(
      remainingBits: bits, isHalfway: false,
      current: (isOdd ? other : even) ?? Number(0),
      previous: (isOdd ? (needsPrevious ? even : nil) : other) ?? Number(0))
  }

  /// What F(k) is multiplied with in a last step.
  func lastFactor(_ state: State, threads: Int) -> Number {
    let isOdd = n & 1 == 1
    return .combination(
      isOdd ? 3 : 1, state.current, isOdd ? 1 : 2, state.previous, plus: 0, threads: threads)
  }

  func lastStep(_ state: State, product: Number, threads: Int) -> State {
    var result = product
    if n & 1 == 1 {
      result = .combination(
        1, result, 0, Number(0), plus: index(state) & 1 == 1 ? -1 : 1, threads: threads)
    }
    return DoublingState(
      remainingBits: 0, isHalfway: false, current: result, previous: Number(0))
  }
}

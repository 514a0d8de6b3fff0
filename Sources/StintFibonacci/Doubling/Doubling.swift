import Stint
import StintCore

/// Fast doubling: from F(k), F(k−1) to F(2k), F(2k−1) or F(2k+1), F(2k) with two squarings.
///
/// With a = F(k)² and b = F(k−1)²: F(2k−1) = a + b, F(2k+1) = 4a − b + 2(−1)^k and F(2k) is their difference
/// (GMP manual, section 15.7.4). The last step computes only what is asked for.
struct Doubling {
  /// The position to reach.
  let n: Int
  /// Whether F(n−1) is wanted as well.
  let wantsPair: Bool

  /// The state to start from: the longest prefix of n whose Fibonacci number fits a word.
  func start() -> DoublingState {
    var bits = 0
    while n >> bits >= FibonacciLength.small.count { bits += 1 }
    let k = n >> bits
    let small = FibonacciLength.small
    return DoublingState(
      remainingBits: bits, isHalfway: false, current: BigInteger(small[k]),
      previous: BigInteger(k == 0 ? 1 : small[k - 1]))
  }

  func index(_ state: DoublingState) -> Int {
    n >> state.remainingBits
  }

  /// The cost of the next squaring.
  func squaringCost(_ remainingBits: Int) -> Double {
    let bits = FibonacciLength.bits(n >> remainingBits)
    return GMPCost.squaring(bits: bits) + GMPCost.linear(bits: 3 * bits)
  }

  /// The cost of a whole step.
  func stepCost(_ remainingBits: Int, threads: Int) -> Double {
    squaringCost(remainingBits) * (threads > 1 ? Self.sharedStep : 2)
  }

  /// A step whose squarings run at the same time, in squarings: they share memory and its bandwidth.
  static let sharedStep = 1.1

  /// The cost of a whole step on two threads, or of the one squaring that is left of it.
  func efficientCost(_ state: DoublingState) -> Double {
    let one = squaringCost(state.remainingBits)
    return state.isHalfway ? one : one * Self.sharedStep
  }

  /// The cost from a state to the end.
  func remainingCost(_ state: DoublingState, threads: Int) -> Double {
    guard state.remainingBits > 0 else { return 0 }
    var sum =
      state.isHalfway
      ? squaringCost(state.remainingBits) : stepCost(state.remainingBits, threads: threads)
    for bits in stride(from: state.remainingBits - 1, to: 0, by: -1) {
      sum += stepCost(bits, threads: threads)
    }
    return sum
  }

  /// Does one squaring, or a whole step where two threads and the cost allow it.
  func advanced(
    _ state: DoublingState, atMost cost: Double, threads: Int
  ) throws -> (state: DoublingState, cost: Double) {
    let one = squaringCost(state.remainingBits)
    if state.isHalfway {
      return (step(state, square: state.current, previousSquare: state.previous.squared()), one)
    }
    let (current, previous) = (state.current, state.previous)
    if threads > 1, one * Self.sharedStep <= cost, current.limbBytes > Self.leastParallelBytes {
      let squares = try Parallel.map(count: 2, threads: 2) { index in
        index == 0 ? current.squared() : previous.squared()
      }
      let next = step(state, square: squares[0], previousSquare: squares[1])
      return (next, one * Self.sharedStep)
    }
    var next = state
    next.current = current.squared()
    next.isHalfway = true
    return (next, one)
  }

  /// Below this size, waking a thread costs more than the squaring.
  private static let leastParallelBytes = 16_384

  private func step(
    _ state: DoublingState, square: BigInteger, previousSquare: BigInteger
  ) -> DoublingState {
    let k = index(state)
    let odd = BigInteger.oddFibonacci(
      square: square, previousSquare: previousSquare, indexIsOdd: k & 1 == 1)
    let bits = state.remainingBits - 1
    let isOdd = n >> bits & 1 == 1
    let needsPrevious = wantsPair || bits > 0
    if isOdd && !needsPrevious {
      return DoublingState(
        remainingBits: bits, isHalfway: false, current: odd, previous: BigInteger(0))
    }
    let low = square + previousSquare
    let even = odd - low
    return DoublingState(
      remainingBits: bits, isHalfway: false, current: isOdd ? odd : even,
      previous: !needsPrevious ? BigInteger(0) : (isOdd ? even : low))
  }

  /// Checks that the state is what it says, modulo a 64-bit prime.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func verify(_ state: DoublingState) throws {
    let modular = ModularArithmetic.word
    let k = index(state)
    let expected = modular.fibonacci(k)
    // The last step computes F(n−1) only when it is wanted, and leaves zero otherwise.
    let lacksPrevious = state.remainingBits == 0 && !wantsPair && state.previous.isZero
    let current = state.current.residue(modulo: modular.modulus)
    let previous = state.previous.residue(modulo: modular.modulus)
    let expectedCurrent =
      state.isHalfway ? modular.multiply(expected.value, expected.value) : expected.value
    guard current == expectedCurrent, lacksPrevious || previous == expected.previous,
      lacksPrevious || state.isHalfway || modular.isFibonacciPair((current, previous), index: k)
    else {
      throw StintError(
        .damaged, "The checkpoint's numbers are not F(\(k)) and F(\(k - 1)) modulo a prime.")
    }
  }
}

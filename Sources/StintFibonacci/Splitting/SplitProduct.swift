import StintCore
import StintRuntime

/// A product in pieces: half-done, it is a list of numbers.
///
/// With k parts of each factor the product polynomial h has degree m = 2k − 2. First come its
/// values at 0, 1, …, m − 1 and its uppermost coefficient, one product each. Then passes over all
/// of them: m − 1 that leave the differences Δ^j h(0), one that divides them by j!, m − 1 that turn
/// Newton's form into coefficients, and one that adds these up where they belong.
///
/// All points and all coefficients of the factors are at least zero. So are therefore all numbers
/// on the way: divided differences, because those of a power of x at such points are sums of
/// monomials in the points; and the coefficients in between, because they are those of h[0, …, s −
/// 1, x] as a polynomial in x.
struct SplitProduct<Number: DoublingNumber>: Sendable {
  /// The parts of a factor.
  let parts: Int
  /// The words of a part.
  let spacing: Int
  /// What there is of the values; all of them once `passes` begin.
  var values: [Number] = []
  /// The passes that are done.
  var passes = 0

  init(parts: Int, factorLength: Int) {
    self.parts = parts
    spacing = (factorLength + parts - 1) / parts
  }

  /// The degree of the product polynomial, and the number of points.
  var degree: Int { 2 * parts - 2 }

  /// Whether the factors are still needed.
  var needsFactors: Bool { values.count <= degree }

  enum Pass: Hashable, Sendable {
    /// Subtracts its lower neighbour from every value from this index on.
    case differences(from: Int)
    /// Divides each difference by the factorial of its order.
    case division
    /// Multiplies the polynomial above this point by x less the point.
    case coefficients(point: Int)
    /// Adds the coefficients up.
    case sum
  }

  /// The passes after the values are known.
  static func passCount(degree: Int) -> Int { 2 * degree }

  func pass(_ index: Int) -> Pass {
    if index < degree - 1 { return .differences(from: index + 1) }
    if index == degree - 1 { return .division }
    return index < 2 * degree - 1 ? .coefficients(point: 2 * degree - 1 - index) : .sum
  }

  /// What an operation made.
  enum Advance {
    case more(SplitProduct)
    case complete(Number)
  }

  /// Does the next products, as many as there are threads where one uses only one, or the next
  /// pass.
  func advanced(_ factors: () -> (Number, Number), threads: Int) -> Advance {
    var next = self
    if needsFactors {
      let (left, right) = factors()
      let count = min(Self.atOnce(threads), degree + 1 - values.count)
      let own = count > 1 ? 1 : threads
      let split = self
      next.values += Parallel.each(count: count, threads: threads) { index in
        split.value(split.values.count + index, left, right, threads: own)
      }
      return .more(next)
    }
    let pass = pass(passes)
    if pass == .sum { return .complete(.sum(values, spacing: spacing)) }
    next.values = passed(pass, threads: threads)
    next.passes += 1
    return .more(next)
  }

  /// How many products run side by side.
  static func atOnce(_ threads: Int) -> Int {
    Number.productIsParallel ? 1 : max(threads, 1)
  }

  /// The value of the product at a point, or its uppermost coefficient.
  private func value(_ index: Int, _ left: Number, _ right: Number, threads: Int) -> Number {
    let first = value(of: left, index, threads: threads)
    let second = left === right ? first : value(of: right, index, threads: threads)
    return .product(first, second, threads: threads)
  }

  /// The value of a factor, by Horner's rule.
  private func value(of factor: Number, _ index: Int, threads: Int) -> Number {
    var value = part(parts - 1, of: factor)
    if index == degree { return value }
    if index == 0 { return part(0, of: factor) }
    for position in stride(from: parts - 2, through: 0, by: -1) {
      value = .combination(
        index, value, 1, part(position, of: factor), plus: 0, threads: threads)
    }
    return value
  }

  func part(_ index: Int, of factor: Number) -> Number {
    factor.words(min(index * spacing, factor.length)..<min((index + 1) * spacing, factor.length))
  }

  /// Each number of a pass depends on those before it only, so threads share them.
  private func passed(_ pass: Pass, threads: Int) -> [Number] {
    let values = values
    let degree = degree
    return Parallel.each(count: values.count, threads: threads) { index in
      switch pass {
      case .differences(let from) where (from..<degree).contains(index):
        return .combination(1, values[index], -1, values[index - 1], plus: 0, threads: 1)
      case .division where (2..<degree).contains(index):
        return Self.factorial(index).reduce(values[index]) { $0.divided(by: $1) }
      case .coefficients(let point) where (point..<degree).contains(index):
        return .combination(1, values[index], -point, values[index + 1], plus: 0, threads: 1)
      case .differences, .division, .coefficients, .sum:
        return values[index]
      }
    }
  }

  /// A factorial as a product of words below 2^63.
  static func factorial(_ number: Int) -> [UInt64] {
    let lower = (1...min(number, 20)).reduce(UInt64(1)) { $0 * UInt64($1) }
    guard number > 20 else { return [lower] }
    return [lower, (21...number).reduce(UInt64(1)) { $0 * UInt64($1) }]
  }
}

import StintCore
import StintRuntime

/// A number that fast doubling can work on: what a step multiplies, and what it adds up.
///
/// Values never change after they are made.
protocol DoublingNumber: AnyObject, Comparable, Sendable {
  /// A product that is done in stages.
  associatedtype Staged: StagedProduct where Staged.Number == Self

  /// Whether one product uses all threads; else a step runs its two squarings side by side.
  static var productIsParallel: Bool { get }

  /// Makes a value from a machine word.
  init(_ word: UInt64)

  /// The size of the value in words of eight bytes.
  var length: Int { get }

  var isZero: Bool { get }

  /// The product of two numbers; of a number with itself, faster.
  static func product(_ left: Self, _ right: Self, threads: Int) -> Self

  /// α·a + β·b + constant, with small coefficients; the result is at least zero.
  static func combination(
    _ alpha: Int, _ a: Self, _ beta: Int, _ b: Self, plus constant: Int, threads: Int
  ) -> Self

  /// The words of a range, as a number of its own.
  func words(_ range: Range<Int>) -> Self

  /// The quotient by a divisor below 2^63 that leaves no rest.
  func divided(by divisor: UInt64) -> Self

  /// The sum of numbers, each that many words above the one before it.
  static func sum(_ numbers: [Self], spacing: Int) -> Self

  /// The most words that F(n) can have; 0 for F(0).
  static func length(ofFibonacci n: Int) -> Int

  /// The cost of a square of a number of that many words.
  static func squaringCost(length: Int, threads: Int) -> Double

  /// The cost of a product of two numbers of that many words each.
  static func productCost(length: Int, threads: Int) -> Double

  /// The cost of a combination of two numbers of that many words.
  static func combinationCost(length: Int, threads: Int) -> Double

  /// The cost of a division of a number of that many words by a word.
  static func divisionCost(length: Int) -> Double

  /// The prime for ``residue()``.
  static var modular: ModularArithmetic { get }

  /// The base of a word modulo the prime.
  static var radixResidue: UInt64 { get }

  /// The value modulo the prime.
  func residue() -> UInt64

  /// Appends the length and lends the words.
  static func append(_ number: Self, to payload: inout CheckpointPayload)

  /// Reads a number of at most that many words, in the shortest encoding.
  static func read(_ reader: inout ByteReader, lengthAtMost limit: Int, _ what: String) throws
    -> Self
}

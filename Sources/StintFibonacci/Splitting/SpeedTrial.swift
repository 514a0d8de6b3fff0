import StintCore
import StintRuntime

/// A squaring whose result is not used: it measures how fast this machine is, before the decision
/// whether to split a product.
///
/// Some hundredths of the product after a restart, where a piece of a split product would decide
/// how the whole product is done.
package struct SpeedTrial {
  let isDecimal: Bool
  /// The words of the number.
  let length: Int

  /// The part of a product's length that is tried: what a process takes for its first thread, its
  /// first pages and an idle core's start weighs little in so much, and the cost model has not far
  /// to go from it to the product.
  static let part = 16

  /// Creates a trial before a product of factors of so many words: at least as much is tried as the
  /// shortest product that is split has, and enough to measure.
  init(isDecimal: Bool, productLength: Int, splitting: Splitting) {
    self.isDecimal = isDecimal
    length = max(min(splitting.leastLength, 1 << 16), productLength / Self.part)
  }

  func cost(threads: Int) -> Double {
    isDecimal
      ? DecimalNumber.squaringCost(length: length, threads: threads)
      : BigInteger.squaringCost(length: length, threads: threads)
  }

  func run(threads: Int) {
    if isDecimal {
      let number = DecimalNumber(
        limbs: [UInt64](repeating: DecimalNumber.base - 1, count: length))
      _ = DecimalNumber.product(number, number, threads: threads)
    } else {
      let number = BigInteger.powerOfTwo(64 * length) - BigInteger(1)
      _ = number.squared()
    }
  }
}

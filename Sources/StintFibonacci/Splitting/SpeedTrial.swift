import Stint
import StintCore

/// A squaring whose result nobody needs: it shows how fast this machine is before it is decided whether a product is split.
///
/// Some milliseconds after a restart, where a piece of a split product would decide how the whole product is done.
struct SpeedTrial {
  let isDecimal: Bool
  /// The words of the number: as many as the shortest product that is split has, and enough to measure.
  let length: Int

  init(isDecimal: Bool, splitting: Splitting) {
    self.isDecimal = isDecimal
    length = min(splitting.leastLength, 1 << 16)
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

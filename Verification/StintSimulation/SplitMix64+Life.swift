import Glibc
package import StintCore

// The random choices of a life: everything follows from one 64-bit seed.

extension SplitMix64 {
  /// The generator of a part of the life: what other parts draw does not change it.
  package init(seed: UInt64, part: UInt64) {
    var mixer = SplitMix64(seed: seed ^ (part &* 0xD1B5_4A32_D192_ED03))
    self.init(seed: mixer.next())
  }

  /// A number below a limit.
  package mutating func below(_ limit: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// A factor whose logarithm is spread evenly between two limits.
  package mutating func scale(_ least: Double, _ most: Double) -> Double {
    least * pow(most / least, unit())
  }

  /// A log-normal factor with median 1.
  package mutating func spread(_ sigma: Double) -> Double {
    // The sum of four uniform numbers, of variance 1/3: close enough to normal, and no polar
    // method.
    let normal = (unit() + unit() + unit() + unit() - 2) * 1.732_050_8
    return exp(sigma * normal)
  }

  /// An exponential waiting time.
  package mutating func waiting(_ mean: Duration) -> Duration {
    mean * -log(1 - unit())
  }
}

extension Duration {
  /// A duration times a factor, to the nanosecond.
  static func * (left: Duration, right: Double) -> Duration {
    .nanoseconds(Int64(min(Double(left.nanoseconds) * right, 9e18)))
  }
}

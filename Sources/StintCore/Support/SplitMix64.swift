/// A small generator whose seed decides every number, the same on every machine.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014, doi:10.1145/2660193.2660195) with the constants of Vigna's reference implementation,
/// prng.di.unimi.it/splitmix64.c. Its period is 2^64 and every seed is as good as another. It is
/// for simulations and tests, whose failures name their seed; it keeps no secret.
///
/// A seed that once found something must find it for ever, so the numbers never change: a test
/// holds them to the published ones.
// Without it the compiler does not inline the members of a package type in other modules: a hundred
// calls in the simulator.
@usableFromInline
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  @usableFromInline
  var state: UInt64

  /// Creates a generator.
  ///
  /// - Parameter seed: Decides every number to come.
  @inlinable
  package init(seed: UInt64) {
    state = seed
  }

  /// The next number.
  @inlinable
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to 1.
  @inlinable
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Whether something happens that has this probability.
  @inlinable
  package mutating func chance(_ probability: Double) -> Bool { unit() < probability }
}

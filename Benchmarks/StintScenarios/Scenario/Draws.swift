import StintCore

/// Random numbers that are looked up by what they are for, not by the order in which they are asked
/// for.
///
/// So chunk 17 costs the same whatever a strategy did before it: common random numbers, which make
/// differences between strategies sharp.
package struct Draws: Hashable, Sendable {
  /// What a number is for.
  package enum Purpose: UInt64, Sendable {
    case chunk = 1
    case checkpoint, grant, warning, warningMissed, enforcement, revocation, denial
    case standstill, standstillPlace, standstillLength, place, stagger
    case chunkFactor, checkpointFactor, move, moveAt, moveBy, moveLater
  }

  /// Decides every number.
  package let seed: UInt64

  package init(seed: UInt64) {
    self.seed = seed
  }

  package func repetition(_ number: Int) -> Draws {
    Draws(seed: Self.mixed(seed, UInt64(number) &+ 0x5EED))
  }

  /// A number above 0 and below 1.
  package func unit(_ purpose: Purpose, _ index: Int, _ second: Int = 0) -> Double {
    let first = Self.mixed(seed ^ (purpose.rawValue &* 0xA076_1D64_78BD_642F), UInt64(index))
    let bits = second == 0 ? first : Self.mixed(first, UInt64(second))
    return (Double(bits >> 12) + 0.5) * 0x1p-52
  }

  private static func mixed(_ seed: UInt64, _ index: UInt64) -> UInt64 {
    var generator = SplitMix64(seed: seed &+ index &* 0xD1B5_4A32_D192_ED03)
    _ = generator.next()
    return generator.next()
  }
}

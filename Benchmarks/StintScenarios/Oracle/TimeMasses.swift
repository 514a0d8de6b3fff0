/// A distribution on the multiples of a step: the mean is kept, because each time is split between
/// its two neighbours.
struct TimeMasses: Hashable, Sendable {
  /// The multiples that have a mass, in ascending order.
  let steps: [Int]
  /// Their masses; the sum is 1.
  let masses: [Double]

  /// Splits equally probable points of a distribution, times a factor, between multiples of a step
  /// in seconds, of which `least` is the first.
  init(_ distribution: Distribution, times factor: Double = 1, step: Double, least: Int) {
    var sums: [Int: Double] = [:]
    for (time, mass) in Self.points(of: distribution) {
      let place = time * factor / step
      let low = max(least, Int(place.rounded(.down)))
      let share = min(1, max(0, place - Double(low)))
      sums[low, default: 0] += (1 - share) * mass
      if share > 0 { sums[low + 1, default: 0] += share * mass }
    }
    let sorted = sums.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    steps = sorted.map(\.key)
    masses = sorted.map(\.value)
  }

  /// Points with masses that stand for a distribution; each part of a mixture has its own, so that
  /// none is too rare for them.
  private static func points(of distribution: Distribution) -> [(time: Double, mass: Double)] {
    if case .mixture(let parts) = distribution.shape {
      let whole = parts.reduce(0) { $0 + $1.weight }
      return parts.flatMap { part in
        points(of: part.distribution).map { ($0.time, $0.mass * part.weight / whole) }
      }
    }
    let times = distribution.points(2_000)
    return times.map { ($0, 1 / Double(times.count)) }
  }
}

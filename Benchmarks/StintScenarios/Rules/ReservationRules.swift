/// The static strategy for reservations of a fixed length: how many chunks are run before the one
/// checkpoint is decided at the beginning.
///
/// With S the sum of n chunks and R the reservation, n is that with the greatest E[S; S + C <= R]
/// (Q. Barbut, A. Benoit, T. Herault, Y. Robert and F. Vivien, "When to checkpoint at the end of a
/// fixed-length reservation?", FTXS at SC23, hal-04215554). S is taken as normal, as for many
/// chunks it is. Where no end is told, it runs until one is.
package struct StaticCount: Rule {
  private let knowledge: Knowledge
  private let checkpoints: [Double]
  /// The variance of a chunk of mean cost.
  private let variance: Double
  private var left = Int.max

  package init(_ knowledge: Knowledge) {
    self.knowledge = knowledge
    let workload = knowledge.workload
    checkpoints = workload.checkpoint.points(64)
    let chunks = workload.chunk.points(64)
    let mean = chunks.reduce(0, +) / Double(chunks.count)
    variance = chunks.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(chunks.count)
  }

  package mutating func began(_ view: RuleView) {
    left = view.remaining.map { count(within: $0.seconds, from: view.position) } ?? .max
  }

  package mutating func warned(_ view: RuleView) -> Nanoseconds? {
    // An end that is only told now leaves nothing to be planned.
    if left == .max { left = 0 }
    return nil
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    guard left > 0 else { return view.inHand > 0 ? .save : .end }
    if left < .max { left -= 1 }
    return .chunk(giveUpAt: nil)
  }

  /// The best number of chunks, at least one.
  func count(within seconds: Double, from position: Int) -> Int {
    let workload = knowledge.workload
    let free = seconds - workload.closingSeconds
    let longest = checkpoints.last ?? 0
    var best = (count: 1, expected: 0.0)
    var (mean, sum, count) = (0.0, 0.0, 0)
    while mean - 4 * sum.squareRoot() < free {
      let nominal = workload.nominal(position + count)
      mean += workload.chunk.mean * nominal
      sum += variance * nominal * nominal
      count += 1
      let deviation = sum.squareRoot()
      // As long as all surely fits, more is better.
      if mean + 6 * deviation + longest < free {
        best = (count, mean)
        continue
      }
      let expected =
        checkpoints.reduce(0) { $0 + Self.expected(mean, deviation, within: free - $1) }
        / Double(checkpoints.count)
      if expected > best.expected { best = (count, expected) }
    }
    return best.count
  }

  /// E[S; S <= limit] of a normal S.
  private static func expected(_ mean: Double, _ deviation: Double, within limit: Double) -> Double
  {
    guard deviation > 0 else { return mean <= limit ? mean : 0 }
    let place = (limit - mean) / deviation
    return mean * Normal.share(upTo: place) - deviation * Normal.density(place)
  }
}

/// A rule that ends after its first checkpoint, as those for reservations are published.
package struct Once<Base: Rule>: Rule {
  private var base: Base
  private var hasSaved = false

  package init(_ base: Base) {
    self.base = base
  }

  package mutating func began(_ view: RuleView) {
    hasSaved = false
    base.began(view)
  }

  package mutating func warned(_ view: RuleView) -> Nanoseconds? { base.warned(view) }

  package mutating func deadlineMoved(_ view: RuleView) -> Nanoseconds? { base.deadlineMoved(view) }

  package mutating func next(_ view: RuleView) -> RuleStep {
    if hasSaved { return .end }
    let step = base.next(view)
    hasSaved = step == .save
    return step
  }
}

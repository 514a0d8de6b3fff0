/// What is expected to be saved yet after a checkpoint that ends before the deadline: the worker
/// goes on with what it left over.
///
/// A checkpoint that is begun early is for that reason worth more than what it saves. With the
/// measured checkpoints C, and s left after one of them, that much more can be saved with one
/// checkpoint more: g(s) = max over t of t P(C <= s - t). With r left when the first one begins,
/// G(r) = sum over C <= r of p(C) g(r - C). Both are lines between that many points.
struct RestOfBudget: Hashable, Sendable {
  private static let points = 32
  private let width: Double
  private let values: [Double]

  /// Computes both from zero up to a time.
  ///
  /// - Parameters:
  ///   - checkpoints: What checkpoints took, in seconds, the shortest first.
  ///   - longest: The greatest time that will be asked for, in seconds.
  /// - Complexity: O(points x checkpoints).
  init(checkpoints: [Double], longest: Double) {
    width = max(longest, 1e-9) / Double(Self.points)
    let instants = (0...Self.points).map { [width] in Double($0) * width }
    let gains = instants.map { Self.gain(checkpoints, left: $0) }
    let width = width
    values = instants.map { left in
      let kept = checkpoints.prefix { $0 < left }
      return kept.reduce(0) { $0 + Self.line(gains, at: (left - $1) / width) }
        / Double(max(1, checkpoints.count))
    }
  }

  /// What is expected to be saved after a checkpoint that begins with so much left, in seconds of
  /// work.
  func saved(after left: Duration) -> Double {
    Self.line(values, at: left.inSeconds / width)
  }

  /// Work for as long as leaves just enough for one of the checkpoints: the best of them.
  private static func gain(_ checkpoints: [Double], left: Double) -> Double {
    var best = 0.0
    for (index, checkpoint) in checkpoints.enumerated() {
      if checkpoint >= left { break }
      best = max(best, (left - checkpoint) * Double(index + 1))
    }
    return best / Double(max(1, checkpoints.count))
  }

  private static func line(_ values: [Double], at place: Double) -> Double {
    let index = min(max(0, Int(place)), values.count - 2)
    return values[index] + (place - Double(index)) * (values[index + 1] - values[index])
  }
}

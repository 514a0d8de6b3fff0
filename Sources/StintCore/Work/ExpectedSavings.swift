/// What is expected to be saved yet in what is left of a budget, by the chunks and checkpoints that
/// were measured.
///
/// With u in hand and r left, n more chunks that take T and then a checkpoint C are expected to
/// save E[(u + T) P(C <= r - T) + G(r - T)].
///
/// G is what is saved after that checkpoint, because a checkpoint that was fast leaves time to go
/// on: G(r) = sum over C <= r of p(C) g(r - C), and g(s) is the same expectation with s left and
/// nothing in hand, without another G. Both are lines between so many points.
struct ExpectedSavings: Hashable, Sendable {
  typealias Length = CostEstimator.Length

  private static let points = 32
  /// So many lengths stand for all that a chunk can take, where sums of chunks are judged.
  private static let chunkLengths = 16
  private let chunks: [Length]
  private let meanChunk: Double
  private let checkpoints: [Length]
  /// The probability that a checkpoint takes at most as long as each of these.
  private let shares: [Double]
  private let width: Double
  private var later: [Double] = []

  /// Computes G from zero up to a time.
  ///
  /// - Parameters:
  ///   - chunks: What a chunk takes, the shortest first.
  ///   - checkpoints: What a checkpoint takes, the shortest first.
  ///   - longest: The greatest time that will be asked for, in seconds.
  init(chunks: [Length], checkpoints: [Length], longest: Double) {
    self.chunks = Self.thinned(chunks, to: Self.chunkLengths)
    self.checkpoints = checkpoints
    meanChunk = self.chunks.reduce(0) { $0 + $1.share * $1.seconds }
    var below = 0.0
    shares = checkpoints.map { checkpoint in
      below += checkpoint.share
      return below
    }
    width = max(longest, 1e-9) / Double(Self.points)
    let gains = (0...Self.points).map { point in best(left: Double(point) * width, inHand: 0) }
    later = (0...Self.points).map { point in
      let left = Double(point) * width
      return checkpoints.prefix { $0.seconds < left }
        .reduce(0) { $0 + $1.share * Self.line(gains, at: (left - $1.seconds) / width) }
    }
  }

  /// What such a share of checkpoints stays under.
  func checkpointQuantile(_ share: Double) -> Double {
    let place = shares.partitionPoint { $0 < share - 1e-9 }
    return place < checkpoints.count ? checkpoints[place].seconds : .infinity
  }

  /// If the checkpoint begins now and nothing follows it.
  func alone(left: Double, inHand: Double) -> Double {
    let place = checkpoints.partitionPoint { $0.seconds <= left }
    return place > 0 ? inHand * shares[place - 1] : 0
  }

  /// If the checkpoint begins now.
  func now(left: Double, inHand: Double) -> Double {
    guard left > 0 else { return 0 }
    return alone(left: left, inHand: inHand)
      + (later.isEmpty ? 0 : Self.line(later, at: left / width))
  }

  /// With the best number of chunks before the checkpoint, none included.
  func best(left: Double, inHand: Double) -> Double {
    var best = now(left: left, inHand: inHand)
    guard meanChunk > 0, left > 0 else { return best }
    // Where many fit, not every number is tried.
    let step = max(1, (left / meanChunk / Double(Self.points)).rounded(.down))
    var count = 1.0
    while count == 1 || count * meanChunk < left {
      let spread = count.squareRoot()
      let expected = chunks.reduce(0) { sum, chunk in
        let time = count * meanChunk + (chunk.seconds - meanChunk) * spread
        return time < left
          ? sum + chunk.share * now(left: left - time, inHand: inHand + time) : sum
      }
      best = max(best, expected)
      count += step
    }
    return best
  }

  /// Fewer lengths, each the mean of those that it stands for.
  static func thinned(_ lengths: [Length], to count: Int) -> [Length] {
    guard lengths.count > count else { return lengths }
    return (0..<count).map { place in
      let part = lengths[lengths.count * place / count..<lengths.count * (place + 1) / count]
      let share = part.reduce(0) { $0 + $1.share }
      let seconds = part.reduce(0) { $0 + $1.share * $1.seconds }
      return Length(
        seconds: share > 0 ? seconds / share : part[part.startIndex].seconds, share: share)
    }
  }

  private static func line(_ values: [Double], at place: Double) -> Double {
    let index = min(max(0, Int(place)), values.count - 2)
    return values[index] + (place - Double(index)) * (values[index + 1] - values[index])
  }
}

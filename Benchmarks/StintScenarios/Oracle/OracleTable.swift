/// The optimum by dynamic programming: what is expected to be saved yet, by the time left, the work
/// in hand and the place in the cycle of costs.
///
/// A step in time discretises what is left; the work in hand is on a grid that grows coarser,
/// between whose points values are interpolated, which is exact where they are linear. In each
/// state the best of three is taken: end, save, or run the next chunk and give it up at the best
/// instant if it is not complete by then.
///
///     S(r, u) = sum over C <= r of p(C) s(C) (u + V(r - C, 0))
///     R(r, u) = max over t of [ sum over X <= t of p(X) s(X) V(r - X, u + X) + P(X > t) s(t) S(r - t, u) ]
///     V(r, u) = max(0, S, R)
///
/// s(d) is the probability that no unannounced end comes within d. After a chunk was given up and
/// the state saved, the next chunk counts as a new draw, although it is the same chunk: the values
/// are not below the optimum.
struct OracleTable: Sendable {
  let problem: OracleProblem
  /// The step in seconds.
  let step: Double
  /// How many steps the horizon has.
  let count: Int
  /// The points of work in hand, in seconds.
  let points: [Double]
  private let chunks: [TimeMasses]
  private let checkpoint: TimeMasses
  /// By phase, time left, point.
  private var values: [[Double]]
  /// With what probability a checkpoint that is begun with so much left becomes durable, and what
  /// is expected after it, by phase.
  private var durable: [Double]
  private var after: [[Double]]
  private let alive: [Double]

  init(_ problem: OracleProblem, step: Double) {
    self.problem = problem
    self.step = step
    count = max(1, Int((problem.horizon / step).rounded(.up)))
    points = Self.points(step: step, most: problem.mostInHand)
    let phases = problem.workload.doublings + 1
    chunks = (0..<phases).map {
      TimeMasses(
        problem.workload.chunk, times: problem.workload.nominal($0), step: step, least: 1)
    }
    checkpoint = TimeMasses(problem.workload.checkpoint, step: step, least: 0)
    alive = (0...count).map { problem.survival?(Double($0) * step) ?? 1 }
    values = Array(
      repeating: Array(repeating: 0, count: (count + 1) * points.count), count: phases)
    durable = Array(repeating: 0, count: count + 1)
    after = Array(repeating: Array(repeating: 0, count: count + 1), count: phases)
    solve()
  }

  /// Even near zero, where a state after a checkpoint is, then ever coarser.
  private static func points(step: Double, most: Double) -> [Double] {
    var points = [0.0]
    while let last = points.last, last < most {
      points.append(last + max(step, last * 0.04))
    }
    return points
  }

  private mutating func solve() {
    let places = chunks.map { Places($0, points: points, step: step) }
    for index in 0...count {
      for phase in chunks.indices {
        // With nothing in hand there is nothing to save, so this one comes first.
        values[phase][index * points.count] = max(0, run(index, 0, phase, places[phase]))
      }
      prepareSave(index)
      for phase in chunks.indices {
        for point in points.indices.dropFirst() {
          let saved = points[point] * durable[index] + after[phase][index]
          let best = max(saved, run(index, point, phase, places[phase]))
          values[phase][index * points.count + point] = max(0, best)
        }
      }
    }
  }

  private mutating func prepareSave(_ index: Int) {
    var sure = 0.0
    for (offset, mass) in checkpoint.masses.enumerated() {
      let left = index - checkpoint.first - offset
      if left < 0 { break }
      let weight = mass * survival(from: index, to: left)
      sure += weight
      for phase in chunks.indices {
        after[phase][index] += weight * values[phase][left * points.count]
      }
    }
    durable[index] = sure
  }

  private func survival(from index: Int, to left: Int) -> Double {
    alive[index] > 0 ? alive[left] / alive[index] : 0
  }

  /// The best that running a chunk promises.
  private func run(_ index: Int, _ point: Int, _ phase: Int, _ places: Places) -> Double {
    let next = (phase + 1) % chunks.count
    let masses = chunks[phase]
    let inHand = points[point]
    // Given up at once it is a save, which is judged apart.
    var best = 0.0
    var sum = 0.0
    var tail = 1.0
    let width = points.count
    return values[next].withUnsafeBufferPointer { values in
      for offset in 0..<masses.masses.count {
        let left = index - masses.first - offset
        if left < 0 { break }
        let sure = survival(from: index, to: left)
        let (place, share) = places[point, offset]
        let row = left * width + place
        let value =
          share == 0 ? values[row] : values[row] + share * (values[row + 1] - values[row])
        sum += masses.masses[offset] * sure * value
        tail -= masses.masses[offset]
        let saved = inHand * durable[left] + after[phase][left]
        best = max(best, sum + max(0, tail) * sure * saved)
      }
      return max(best, sum)
    }
  }

  // MARK: Looking up

  /// The value of a state between the points.
  func value(_ remaining: Double, _ inHand: Double, phase: Int) -> Double {
    guard remaining >= 0 else { return 0 }
    let place = min(remaining / step, Double(count))
    let low = min(count - 1, Int(place))
    let share = place - Double(low)
    let (point, part) = Places.locate(inHand, points)
    func at(_ index: Int) -> Double {
      let row = index * points.count + point
      let table = values[phase]
      return part == 0 ? table[row] : table[row] + part * (table[row + 1] - table[row])
    }
    return at(low) * (1 - share) + at(low + 1) * share
  }

  /// What a checkpoint is expected to save that is begun now; the distribution itself says whether
  /// it fits.
  func saving(_ remaining: Double, _ inHand: Double, phase: Int) -> Double {
    guard remaining > 0 else { return 0 }
    let place = min(remaining / step, Double(count))
    let low = min(count - 1, Int(place))
    let share = place - Double(low)
    let later = after[phase][low] * (1 - share) + after[phase][low + 1] * share
    var sure = problem.workload.checkpoint.share(upTo: remaining)
    if problem.survival != nil { sure = durable[low] * (1 - share) + durable[low + 1] * share }
    return inHand * sure + later
  }

  /// The best way to run a chunk from a state between the points.
  ///
  /// - Parameters:
  ///   - remaining: What is left.
  ///   - inHand: The complete work that is not durable.
  ///   - phase: The place in the cycle of costs.
  ///   - elapsed: How long the chunk ran already.
  /// - Returns: What is expected, and after how much more time the chunk is to be given up; nil for
  ///   never.
  func running(
    _ remaining: Double, _ inHand: Double, phase: Int, elapsed: Double = 0
  ) -> (value: Double, giveUpAfter: Double?) {
    let masses = chunks[phase]
    let next = (phase + 1) % chunks.count
    var tail = 0.0
    for (offset, mass) in masses.masses.enumerated()
    where Double(masses.first + offset) * step > elapsed {
      tail += mass
    }
    guard tail > 1e-12 else { return (saving(remaining, inHand, phase: phase), 0) }
    let whole = tail
    let now = problem.survival?(remaining) ?? 1
    var best: (value: Double, giveUpAfter: Double?) = (0, nil)
    var sum = 0.0
    for (offset, mass) in masses.masses.enumerated() {
      let time = Double(masses.first + offset) * step
      let left = remaining + elapsed - time
      if time <= elapsed { continue }
      if left < 0 { break }
      let sure = now > 0 ? (problem.survival?(left) ?? 1) / now : 0
      sum += mass * sure * value(left, inHand + time, phase: next)
      tail -= mass
      let given = sum + max(0, tail) * sure * saving(left, inHand, phase: phase)
      if given > best.value { best = (given, tail > 1e-12 ? time - elapsed : nil) }
    }
    return (best.value / whole, best.giveUpAfter)
  }
}

/// Where the work in hand lies after a chunk, for every point and every length.
private struct Places {
  private let width: Int
  private let indices: [Int]
  private let shares: [Double]

  init(_ masses: TimeMasses, points: [Double], step: Double) {
    width = masses.masses.count
    var indices: [Int] = []
    var shares: [Double] = []
    for point in points {
      for offset in 0..<width {
        let (index, share) = Self.locate(point + Double(masses.first + offset) * step, points)
        indices.append(index)
        shares.append(share)
      }
    }
    self.indices = indices
    self.shares = shares
  }

  subscript(_ point: Int, _ offset: Int) -> (Int, Double) {
    (indices[point * width + offset], shares[point * width + offset])
  }

  /// The point below and the part of the way to the next one; beyond the last one the line goes on.
  static func locate(_ value: Double, _ points: [Double]) -> (Int, Double) {
    guard points.count > 1 else { return (0, 0) }
    var (low, high) = (0, points.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle] <= value { low = middle } else { high = middle }
    }
    return (low, (value - points[low]) / (points[high] - points[low]))
  }
}

/// The optimum by dynamic programming: what is expected to be saved yet, by the time left, the work
/// in hand and the place in the cycle of costs.
///
/// A step in time discretises what is left; the work in hand is on a grid that grows coarser,
/// between whose points values are interpolated, which is exact where they are linear. In each
/// state the best of three is taken: end, save, or run the next chunk and give it up at the best
/// instant if it is not complete by then.
///
///     S(r, u, a) = sum over C <= r of p(C) s(C) (u + G(r - C, a))
///     R(r, u) = max over t of [ sum over X <= t of p(X) s(X) V(r - X, u + X)
///                               + P(X > t) s(t) S(r - t, u, t) ]
///     V(r, u) = max(0, S(r, u, 0), R(r, u))
///     G(r, a) = max(0, sum over X > a of p(X) s(X) V(r - X, X) / P(X > a))
///
/// s(d) is the probability that no unannounced end comes within d. Each end that comes unannounced
/// costs ``OracleProblem/priceOfEnd``, which the sums above leave out.
///
/// A chunk that was given up takes the same time when it is begun again in the same trip, so what
/// is known of it is its age a: it takes longer than that. A chunk is given up only to save at
/// once, because running on is better than beginning again. So an age matters only with nothing in
/// hand, and then the chunk is run to its end, because there is nothing to save.
struct OracleTable: Sendable {
  let problem: OracleProblem
  /// The step in seconds.
  let step: Double
  /// How many steps the horizon has.
  let count: Int
  /// The points of work in hand, in seconds.
  let points: [Double]
  /// The lengths of a chunk, by phase.
  let chunks: [TimeMasses]
  private let checkpoint: TimeMasses
  /// By phase, time left, point.
  private(set) var values: [[Double]]
  /// With what probability a checkpoint that is begun with so much left becomes durable.
  private(set) var durable: [Double]
  /// What is expected after such a checkpoint, by phase.
  private(set) var after: [[Double]]
  /// The same if a chunk was given up before it, by phase, time left, and the place of its age
  /// among the lengths.
  private(set) var afterGivingUp: [[Double]]
  /// What is expected of beginning a chunk again, likewise.
  private var again: [[Double]]
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
    let rows = count + 1
    values = Array(repeating: Array(repeating: 0, count: rows * points.count), count: phases)
    durable = Array(repeating: 0, count: rows)
    after = Array(repeating: Array(repeating: 0, count: rows), count: phases)
    again = chunks.map { Array(repeating: 0, count: rows * $0.steps.count) }
    afterGivingUp = again
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
        values[phase][index * points.count] = runWithNothing(index, phase, places[phase])
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

  /// Running a chunk with nothing in hand, the first time and again after each age.
  ///
  /// - Returns: What the first time promises; not below zero.
  private mutating func runWithNothing(_ index: Int, _ phase: Int, _ places: Places) -> Double {
    let masses = chunks[phase]
    let next = (phase + 1) % chunks.count
    let row = index * masses.steps.count
    var sum = 0.0
    var tail = 0.0
    for place in masses.steps.indices.reversed() {
      again[phase][row + place] = tail > 1e-12 ? max(0, sum / tail) : 0
      let left = index - masses.steps[place]
      let mass = masses.masses[place]
      tail += mass
      sum -= mass * priceOfEnd(from: index, to: max(0, left))
      if left >= 0 {
        sum +=
          mass * survival(from: index, to: left)
          * places.value(values[next], left * points.count, point: 0, length: place)
      }
    }
    return max(0, sum)
  }

  private mutating func prepareSave(_ index: Int) {
    let lefts = checkpoint.steps.map { index - $0 }
    let prices = zip(lefts, checkpoint.masses).map { $1 * priceOfEnd(from: index, to: max(0, $0)) }
    let price = prices.reduce(0, +)
    for phase in chunks.indices {
      after[phase][index] = -price
      let width = chunks[phase].steps.count
      for place in 0..<width { afterGivingUp[phase][index * width + place] = -price }
    }
    for (left, mass) in zip(lefts, checkpoint.masses) {
      if left < 0 { break }
      let weight = mass * survival(from: index, to: left)
      durable[index] += weight
      for phase in chunks.indices {
        let fresh = values[phase][left * points.count]
        after[phase][index] += weight * fresh
        add(weight, phase, from: left, to: index, fresh: problem.drawsAgain ? fresh : nil)
      }
    }
  }

  /// Adds what is expected after a checkpoint that leaves so much, for all ages of a chunk.
  private mutating func add(
    _ weight: Double, _ phase: Int, from left: Int, to index: Int, fresh: Double?
  ) {
    let width = chunks[phase].steps.count
    again[phase].withUnsafeBufferPointer { again in
      afterGivingUp[phase].withUnsafeMutableBufferPointer { sums in
        for place in 0..<width {
          sums[index * width + place] += weight * (fresh ?? again[left * width + place])
        }
      }
    }
  }

  private func survival(from index: Int, to left: Int) -> Double {
    alive[index] > 0 ? alive[left] / alive[index] : 0
  }

  /// What an unannounced end on the way is expected to cost.
  private func priceOfEnd(from index: Int, to left: Int) -> Double {
    problem.priceOfEnd == 0 ? 0 : problem.priceOfEnd * (1 - survival(from: index, to: left))
  }

  /// The best that running a chunk promises with work in hand.
  private func run(_ index: Int, _ point: Int, _ phase: Int, _ places: Places) -> Double {
    let next = (phase + 1) % chunks.count
    let masses = chunks[phase]
    let inHand = points[point]
    let width = masses.steps.count
    // Given up at once it is a save, which is judged apart.
    var best = 0.0
    var sum = 0.0
    var tail = 1.0
    return values[next].withUnsafeBufferPointer { values in
      for place in 0..<width {
        let left = index - masses.steps[place]
        if left < 0 { break }
        let mass = masses.masses[place]
        let sure = survival(from: index, to: left)
        let price = priceOfEnd(from: index, to: left)
        let value = places.value(values, left * points.count, point: point, length: place)
        sum += mass * (sure * value - price)
        tail -= mass
        let saved = inHand * durable[left] + afterGivingUp[phase][left * width + place]
        best = max(best, sum + max(0, tail) * (sure * saved - price))
      }
      return max(best, sum - max(0, tail) * priceOfEnd(from: index, to: 0))
    }
  }
}

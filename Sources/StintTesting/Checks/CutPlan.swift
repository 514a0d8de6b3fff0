/// How large the chunks of a run without a worker are, and what happens after each.
///
/// After the last step, the chunks are as large as they can be and nothing happens.
struct CutPlan {
  /// What happens after a chunk.
  enum After: Hashable {
    /// The next chunk follows.
    case goOn
    /// A checkpoint is made, and another process goes on from it.
    case restart
    /// The process is killed; the next one begins at the checkpoint before.
    case kill
    /// Power fails; the next boot begins at the checkpoint before.
    case powerLoss(seed: UInt64)
  }

  /// A chunk, and what happens after it.
  struct Step: Hashable {
    /// Where the chunk is to end, as a share of the whole cost; a place that is behind already
    /// asks for the smallest chunk.
    ///
    /// A place and no size, so that the other chunks end where they did if a step is left out.
    var place: Double
    /// Whether a chunk is begun first whose stop flag is up.
    var givesUpFirst = false
    /// What happens after the chunk.
    var after = After.goOn
  }

  var steps: [Step]
  /// Whether each state is looked at, which may cost more than the chunks.
  var looksAtStates = true

  /// Chunks that end at as many places as there are, or at a thousand of them: a mistake at any
  /// boundary of a small computation shows.
  ///
  /// - Parameters:
  ///   - smallest: The share of the smallest chunk.
  ///   - generator: Decides the places of a computation that has more.
  /// - Returns: The plan; no process ends in it.
  static func sweep(smallest: Double, _ generator: inout SeededGenerator) -> CutPlan {
    let count = 1 / max(smallest, 1e-9)
    let places =
      count <= 1_000
      ? (1...Int(count.rounded())).map { Double($0) / count }
      : (1...1_000).map { _ in Double.random(in: 0..<1, using: &generator) }.sorted()
    return CutPlan(steps: places.map { Step(place: $0) }, looksAtStates: false)
  }

  /// Small chunks from the start: a mistake at the first boundaries, or at each, shows.
  static func fine(_ kinds: [Cut.Kind]) -> CutPlan {
    let ends = After.allowed(by: kinds, seed: 1)
    return CutPlan(
      steps: (0..<24).map { number in
        Step(
          place: number < 12 ? 0 : Double(number - 11) / 13, givesUpFirst: number % 4 == 1,
          after: number % 2 == 1 ? ends[number / 2 % ends.count] : .goOn)
      })
  }

  /// Chunks of random sizes: some are the smallest, the others spread evenly over the orders of
  /// magnitude.
  static func random(_ kinds: [Cut.Kind], _ generator: inout SeededGenerator) -> CutPlan {
    var place = 0.0
    return CutPlan(
      steps: (0..<Int.random(in: 2...16, using: &generator)).map { _ in
        let ends = After.allowed(by: kinds, seed: generator.next() & 0xFFFF)
        let exponent = Double.random(in: -12 ... -1, using: &generator)
        if !generator.chance(0.2) { place += exponent.powerOfTwo }
        return Step(
          place: place, givesUpFirst: generator.chance(0.2),
          after: generator.chance(0.4)
            ? .goOn : ends[Int.random(in: 0..<ends.count, using: &generator)])
      })
  }
}

extension CutPlan.After {
  /// What the kinds of cuts do to a process, at the end of a chunk.
  static func allowed(by kinds: [Cut.Kind], seed: UInt64) -> [Self] {
    var ends: Set<Self> = []
    for kind in kinds {
      switch kind {
      case .interruption, .suspension, .background: break
      case .expiry, .revocation: ends.insert(.restart)
      case .denial, .kill, .killInCall: ends.formUnion([.restart, .kill])
      case .powerLoss, .powerLossInCall: ends.formUnion([.restart, .powerLoss(seed: seed)])
      }
    }
    let order: [Self] = [.restart, .kill, .powerLoss(seed: seed)]
    return ends.isEmpty ? [.goOn] : order.filter(ends.contains)
  }
}

extension CutPlan.Step: CustomStringConvertible {
  /// The step as a step of a history.
  var description: String {
    let size = place == 0 ? "the smallest chunk" : "a chunk that ends at \(place) of the whole"
    let before = givesUpFirst ? "a chunk with its stop flag up, then " : ""
    let end =
      switch after {
      case .goOn: ""
      case .restart: ", then a checkpoint and another process"
      case .kill: ", then a kill, and again from the last checkpoint"
      case .powerLoss(let seed):
        ", then a power loss (seed \(seed)), and again from the last checkpoint"
      }
    return before + size + end
  }
}

extension Double {
  /// Two to the power of this number.
  fileprivate var powerOfTwo: Double {
    let whole = rounded(.down)
    // Between two powers a straight line is random enough.
    return Double(sign: .plus, exponent: Int(whole), significand: 1) * (1 + self - whole)
  }
}

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
    /// The cost to ask for, as a share of the whole; the smallest chunk if it is 0.
    var share: Double
    /// Whether a chunk is begun first whose stop flag is up.
    var givesUpFirst: Bool
    /// What happens after the chunk.
    var after: After
  }

  var steps: [Step]

  /// Small chunks from the start: a mistake at the first boundaries, or at each, shows.
  static func fine(_ kinds: [Cut.Kind]) -> CutPlan {
    let ends = After.allowed(by: kinds, seed: 1)
    return CutPlan(
      steps: (0..<24).map { number in
        Step(
          share: number < 12 ? 0 : 1.0 / 16, givesUpFirst: number % 4 == 1,
          after: number % 2 == 1 ? ends[number / 2 % ends.count] : .goOn)
      })
  }

  /// Chunks of random sizes: some are the smallest, the others spread evenly over the orders of
  /// magnitude.
  init(_ kinds: [Cut.Kind], _ generator: inout SeededGenerator) {
    steps = (0..<Int.random(in: 2...16, using: &generator)).map { _ in
      let ends = After.allowed(by: kinds, seed: generator.next() & 0xFFFF)
      let exponent = Double.random(in: -12 ... -1, using: &generator)
      return Step(
        share: generator.chance(0.2) ? 0 : exponent.powerOfTwo,
        givesUpFirst: generator.chance(0.2),
        after: generator.chance(0.4)
          ? .goOn : ends[Int.random(in: 0..<ends.count, using: &generator)])
    }
  }

  init(steps: [Step]) {
    self.steps = steps
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
    let size = share == 0 ? "the smallest chunk" : "a chunk of \(share) of the whole"
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

/// Decides before every chunk whether it fits what is left before the deadline.
///
/// A chunk is started if the remaining time covers the quantile of its time plus the quantile of
/// the checkpoint that must follow it. Where that is not sure, the expectation rule for
/// fixed-length reservations decides (Barbut, Benoit, Herault, Robert and Vivien, "When to
/// checkpoint at the end of a fixed-length reservation?", FTXS at SC23, hal-04215554, dynamic
/// strategy): go on only if more is expected to be saved after one more chunk than by stopping now.
/// Stint's form of it knows, besides, that a chunk can be given up, and when, and that a checkpoint
/// that was fast leaves time to go on.
package struct FitTest: Hashable, Sendable {
  /// What the fit test says.
  package enum Verdict: Hashable, Sendable {
    /// Run a chunk of at most this cost.
    case run(cost: Double)
    /// The next chunk does not fit what is left of this budget.
    case doesNotFit
  }

  /// What the worker has in its hands when it asks.
  package struct Situation: Hashable, Sendable {
    /// What is left before the deadline; nil while it is unlimited.
    package var remaining: Duration?
    /// What a trip is granted in full; nil if that is unlimited or not known.
    package var budget: Duration?
    /// Whether more of the stint's time is left than ``WorkPolicy/doubtedShare``: then a chunk that
    /// does not seem to fit may be measured once more.
    package var isEarly: Bool
    /// Work time since the last durable state.
    package var inHand: Duration
    /// How long a checkpoint that is being written now will still take; zero if none is.
    package var savingNow: Duration
    /// How much earlier than the policy says the stint has to end, because wake-ups come late here.
    package var lateness: Duration
    /// Whether nothing was run in this stint yet: then a chunk may start if its expected time fits,
    /// because there is nothing to lose and else no stint would ever progress.
    package var isFirstOfStint: Bool
    /// Stints in a row that saved nothing new for want of time: after each, half as much is dared
    /// at once.
    package var fruitlessStints: Int

    /// Creates a situation.
    package init(
      remaining: Duration?, budget: Duration? = nil, isEarly: Bool = false,
      inHand: Duration = .zero, savingNow: Duration = .zero, lateness: Duration = .zero,
      isFirstOfStint: Bool = false,
      fruitlessStints: Int = 0
    ) {
      self.remaining = remaining
      self.budget = budget
      self.isEarly = isEarly
      self.inHand = inHand
      self.savingNow = savingNow
      self.lateness = lateness
      self.isFirstOfStint = isFirstOfStint
      self.fruitlessStints = fruitlessStints
    }
  }

  let policy: WorkPolicy

  /// What chunks take.
  package private(set) var chunks: CostEstimator
  /// What checkpoints take; their cost is in bytes.
  package private(set) var checkpoints: CostEstimator

  /// Creates a fit test that knows nothing yet.
  package init(policy: WorkPolicy) {
    self.policy = policy
    chunks = CostEstimator(policy: policy, leastSample: policy.leastChunkSample)
    checkpoints = CostEstimator(
      policy: policy, expectedSecondsPerUnit: 1 / policy.expectedBytesPerSecond,
      meanWeight: policy.checkpointMeanWeight)
  }

  /// Takes in what a chunk took, or after how long it was given up.
  package mutating func chunkTook(_ duration: Duration, cost: Double, isCut: Bool = false) {
    isCut ? chunks.cut(after: duration, cost: cost) : chunks.measured(duration, cost: cost)
  }

  /// Takes in what a checkpoint took, or after how long it was cut.
  package mutating func checkpointTook(_ duration: Duration, bytes: Int, isCut: Bool = false) {
    let cost = checkpointCost(bytes: bytes)
    isCut
      ? checkpoints.cut(after: duration, cost: cost) : checkpoints.measured(duration, cost: cost)
  }

  /// The chunks so far were those of other processes.
  mutating func chunksAreInherited() { chunks.inherited() }

  /// The expected time of a checkpoint of that many bytes.
  package func expectedCheckpoint(bytes: Int) -> Duration {
    checkpoints.expected(cost: checkpointCost(bytes: bytes))
  }

  /// The time that a checkpoint of that many bytes stays under with the policy's probability.
  package func checkpointQuantile(bytes: Int) -> Duration {
    checkpoints.quantile(cost: checkpointCost(bytes: bytes))
  }

  /// Judges the next chunk.
  ///
  /// - Parameters:
  ///   - range: The costs that the next chunk can have.
  ///   - checkpointBytes: The size of the checkpoint that must follow it.
  ///   - situation: What is left and what is in hand.
  /// - Returns: The cost to run, or that nothing fits.
  package func verdict(
    range: Outlook.ChunkRange, checkpointBytes: Int, situation: Situation
  ) -> Verdict {
    guard chunks.canPredict, !chunks.isInherited || range.smallest == range.largest else {
      // Before this process has learnt anything, a small calibration chunk.
      let cost = chunks.expectedCost(within: policy.leastChunkSample * 2)
      return situation.remaining == .zero ? .doesNotFit : .run(cost: clamp(cost, to: range))
    }
    let fixed = chunks.fixedTime
    // What a chunk takes beside its work is to be a small part of its time.
    let target = max(
      chunks.expectedCost(within: max(policy.chunkTarget, fixed * 4)), range.efficient)
    guard let remaining = situation.remaining else {
      return .run(cost: clamp(target, to: range))
    }
    let checkpoint = checkpointQuantile(bytes: checkpointBytes)
    let available =
      remaining - checkpoint - policy.closing - situation.lateness - situation.savingNow
    // What this machine does not keep, by load or by nature, must not be promised again and again.
    let affordable =
      affordableCost(within: available, outputPerCost: range.outputPerCost)
      / Double(1 << min(situation.fruitlessStints, 8))
    let choice = choice(of: range.ways, checkpoint: checkpoint, situation: situation)
    // The first chunk of a stint is never put off: what a budget holds is not known before it has
    // begun.
    if case .way(let way) = choice, !situation.isFirstOfStint, affordable < way.cost {
      return .doesNotFit
    }
    let smallest = leastCost(in: range)
    if affordable >= smallest {
      let limit = choice == .pieces ? range.ways.last?.cost.nextDown ?? affordable : affordable
      return .run(cost: max(smallest, clamp(min(target, affordable, limit), to: range)))
    }
    if situation.isFirstOfStint, chunks.expected(cost: range.smallest) <= remaining {
      return .run(cost: range.smallest)
    }
    if mayMeasureAgain(smallest, checkpoint: checkpoint, situation) { return .run(cost: smallest) }
    // A shorter chunk wins less than it costs to reckon what it may win.
    guard chunks.isSample(cost: smallest) else { return .doesNotFit }
    return expectsMore(of: range, smallest: smallest, bytes: checkpointBytes, situation: situation)
      ? .run(cost: smallest) : .doesNotFit
  }

  /// The least cost that a chunk is given after the first of a stint.
  private func leastCost(in range: Outlook.ChunkRange) -> Double {
    guard range.ways.isEmpty else { return range.smallest }
    let work = chunks.expectedCost(within: policy.leastChunk + chunks.fixedTime)
    return clamp(work, to: range)
  }

  /// Whether a chunk that does not seem to fit is run all the same, because the estimate may come
  /// from a single interruption and most of the stint's time is left.
  ///
  /// Nothing durable is risked: what is in hand is saved in time while the chunk runs.
  private func mayMeasureAgain(
    _ cost: Double, checkpoint: Duration, _ situation: Situation
  ) -> Bool {
    guard situation.isEarly, let remaining = situation.remaining else { return false }
    // After stints that saved nothing, what is in hand is saved first.
    guard situation.fruitlessStints == 0 || situation.inHand == .zero else { return false }
    return chunks.samples < policy.samplesBeforeRefusal
      || chunks.least(cost: cost) + checkpoint + policy.closing <= remaining
  }

  /// The cost that fits a time together with making durable what it writes.
  private func affordableCost(within available: Duration, outputPerCost: Double) -> Double {
    let alone = chunks.affordableCost(within: available)
    guard alone > 0, outputPerCost > 0 else { return alone }
    // Both times are in proportion to the cost.
    let output = checkpoints.quantile(cost: alone * outputPerCost)
    return alone * (available.inSeconds / (available + output).inSeconds)
  }

  /// How what comes next is to be done.
  private enum Choice: Hashable {
    /// In whatever way what is left has room for.
    case any
    /// In this way, in the next stint if not in this one.
    case way(Outlook.Way)
    /// In pieces.
    case pieces
  }

  /// The first way that a whole budget holds.
  private func choice(
    of ways: [Outlook.Way], checkpoint: Duration, situation: Situation
  ) -> Choice {
    guard let budget = situation.budget, !ways.isEmpty else { return .any }
    let available = budget - checkpoint - policy.closing - situation.lateness
    let most = chunks.affordableCost(within: available)
    // The share leaves room enough for what varies.
    let share = min(most, chunks.expectedCost(within: budget * policy.operationShare))
    let way = ways.first { most >= $0.whole || ($0.isBegun ? most : share) >= $0.hardest }
    return way.map { .way($0) } ?? .pieces
  }

  /// The least budget in which a chunk and its checkpoint would fit, with the lead time to load the
  /// state left to the caller.
  package func leastBudget(chunkCost: Double, checkpointBytes: Int) -> Duration {
    chunks.quantile(cost: chunkCost) + checkpointQuantile(bytes: checkpointBytes) + policy.closing
  }

  /// The same for the next chunk as small as it can be; nil before anything is learnt.
  func leastBudget(of outlook: Outlook) -> Duration? {
    guard chunks.canPredict, let next = outlook.next else { return nil }
    return leastBudget(chunkCost: next.smallest, checkpointBytes: outlook.checkpointBytes)
  }

  func checkpointCost(bytes: Int) -> Double {
    Double(bytes) + policy.checkpointBaseBytes
  }

  private func clamp(_ cost: Double, to range: Outlook.ChunkRange) -> Double {
    min(max(cost, range.smallest), range.largest)
  }
}

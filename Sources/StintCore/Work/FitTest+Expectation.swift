// The expectation rule, where checkpoints are dear and vary.

extension FitTest {
  /// How long before the deadline a chunk that begins now is to be given up, if that is another
  /// instant than the quantile of the checkpoint says.
  ///
  /// - Parameters:
  ///   - cost: The chunk's cost.
  ///   - checkpointBytes: The size of the checkpoint that must follow.
  ///   - situation: What is left and what is in hand.
  /// - Returns: The time to keep for the checkpoint; nil where the quantile decides.
  package func reserve(
    cost: Double, checkpointBytes: Int, situation: Situation
  ) -> Duration? {
    guard situation.remaining != nil, chunks.canPredict,
      checkpointsAreDearAndVary(bytes: checkpointBytes, chunk: cost)
    else { return nil }
    let rest = rest(bytes: checkpointBytes, free: free(situation))
    return trial(of: cost, bytes: checkpointBytes, rest: rest, situation: situation).reserve
  }

  /// Whether checkpoints cost so much beside chunks, and vary so much, that the rule decides.
  func checkpointsAreDearAndVary(bytes: Int, chunk: Double) -> Bool {
    let expected = expectedCheckpoint(bytes: bytes).inSeconds
    return checkpoints.samples >= policy.earlySamples
      && expected >= policy.dearCheckpointShare * chunks.expected(cost: chunk).inSeconds
      && checkpoints.factor >= policy.varyingCheckpointRatio
  }

  /// Whether one more chunk is expected to save more than a checkpoint now, what may follow that
  /// one included.
  func expectsMore(of cost: Double, bytes: Int, situation: Situation) -> Bool {
    let free = free(situation)
    let inHand = situation.inHand.inSeconds
    let rest = rest(bytes: bytes, free: free)
    let now =
      inHand > 0
      ? probability(ofSaving: bytes, within: free) * inHand
        + rest.saved(after: free) : 0
    return trial(of: cost, bytes: bytes, rest: rest, situation: situation).expected > now
  }

  /// The share of checkpoints that would have been durable within a time.
  func probability(ofSaving bytes: Int, within duration: Duration) -> Double {
    checkpoints.probability(cost: checkpointCost(bytes: bytes), staysUnder: duration)
  }

  /// What may still be used of the remaining time, the checkpoint included.
  private func free(_ situation: Situation) -> Duration {
    (situation.remaining ?? .zero) - policy.closing - situation.lateness - situation.savingNow
  }

  private func rest(bytes: Int, free: Duration) -> RestOfBudget {
    RestOfBudget(
      checkpoints: checkpoints.measuredLengths(cost: checkpointCost(bytes: bytes)).map(\.inSeconds),
      longest: free.inSeconds)
  }

  /// What one more chunk is expected to save that is given up at the best instant, and how much
  /// time is left then.
  ///
  /// With u in hand, r free, chunk X and checkpoint C the best is taken over t of E[(u + X) P(C <=
  /// r - X) + G(r - X); X <= t] + P(X > t) (u P(C <= r - t) + G(r - t)), by the chunks and
  /// checkpoints that were measured; G is what may be saved after that checkpoint.
  private func trial(
    of cost: Double, bytes: Int, rest: RestOfBudget, situation: Situation
  ) -> (expected: Double, reserve: Duration?) {
    let free = free(situation)
    let inHand = situation.inHand.inSeconds
    let lengths = chunks.measuredLengths(cost: cost)
    var sum = 0.0
    var best: (expected: Double, reserve: Duration?) = (0, nil)
    for (index, length) in lengths.enumerated() {
      let left = free - length
      guard left > .zero else { break }
      let chance = probability(ofSaving: bytes, within: left)
      let then = rest.saved(after: left)
      sum += (inHand + length.inSeconds) * chance + then
      let others = Double(lengths.count - index - 1)
      let expected = (sum + others * (inHand * chance + then)) / Double(lengths.count)
      guard expected > best.expected else { continue }
      // One that takes longer than any before it is given up when a checkpoint begins to be in
      // danger, or when this one would be.
      best = (expected, others > 0 ? left : min(left, checkpointQuantile(bytes: bytes)))
    }
    return best
  }
}

// The expectation rule, where it is not sure that a chunk and a checkpoint fit.

extension FitTest {
  /// At so many instants it is judged whether to give a chunk up.
  private static let trialLengths = 32

  /// How long before the deadline a chunk that begins now is to be given up, if that is another
  /// instant than the quantile of the checkpoint says.
  ///
  /// - Parameters:
  ///   - cost: The chunk's cost.
  ///   - outputPerCost: The bytes of the result that a unit of cost writes.
  ///   - checkpointBytes: The size of the checkpoint that must follow.
  ///   - situation: What is left and what is in hand.
  /// - Returns: The time to keep for the checkpoint; nil where the quantile decides.
  package func reserve(
    cost: Double, outputPerCost: Double = 0, checkpointBytes: Int, situation: Situation
  ) -> Duration? {
    guard situation.remaining != nil, chunks.canPredict else { return nil }
    let free = free(situation)
    let bytes = withOutput(checkpointBytes, cost * outputPerCost)
    // A chunk that was cut to fit exactly misses by a rounding error.
    let needed = chunks.quantile(cost: cost) + checkpointQuantile(bytes: bytes)
    guard needed > free + .microseconds(1) else { return nil }
    return trial(
      of: chunks.lengths(cost: cost), savings(of: cost, bytes: bytes, free: free), situation
    ).reserve
  }

  /// Whether one more chunk is expected to save more than a checkpoint now, what may follow that
  /// one included.
  func expectsMore(
    of range: Outlook.ChunkRange, smallest: Double, bytes: Int, situation: Situation
  ) -> Bool {
    let free = free(situation)
    let more = withOutput(bytes, smallest * range.outputPerCost)
    let savings = savings(of: smallest, bytes: more, free: free)
    return isWorthwhile(chunks.lengths(cost: smallest), of: smallest, savings, situation)
  }

  /// Whether the rest of a running chunk is expected to save more than a checkpoint now.
  func expectsMore(
    ofChunk cost: Double, ran: Duration, bytes: Int, situation: Situation
  ) -> Bool {
    guard situation.remaining != nil, chunks.canPredict else { return false }
    let ran = ran.inSeconds
    let longer = chunks.lengths(cost: cost).filter { $0.seconds > ran }
    let share = longer.reduce(0) { $0 + $1.share }
    guard share > 0 else { return false }
    let rest = longer.map {
      ExpectedSavings.Length(seconds: $0.seconds - ran, share: $0.share / share)
    }
    return isWorthwhile(
      rest, of: cost, savings(of: cost, bytes: bytes, free: free(situation)), situation)
  }

  /// Whether a chunk that takes one of these lengths promises so much more than a checkpoint now
  /// that it is worth the risk.
  private func isWorthwhile(
    _ lengths: [ExpectedSavings.Length], of cost: Double, _ savings: ExpectedSavings,
    _ situation: Situation
  ) -> Bool {
    let inHand = situation.inHand.inSeconds
    let now =
      inHand > 0 ? savings.now(left: free(situation).inSeconds, inHand: inHand) : 0
    let expected = trial(of: lengths, savings, situation).expected
    let atStake = max(now, chunks.expected(cost: cost).inSeconds)
    return expected > now + policy.worthwhileGain * atStake
  }

  private func withOutput(_ bytes: Int, _ output: Double) -> Int {
    bytes + Int(min(max(0, output), 1e15))
  }

  /// What may still be used of the remaining time, the checkpoint included.
  private func free(_ situation: Situation) -> Duration {
    (situation.remaining ?? .zero) - policy.closing - situation.lateness - situation.savingNow
  }

  private func savings(of cost: Double, bytes: Int, free: Duration) -> ExpectedSavings {
    ExpectedSavings(
      chunks: chunks.lengths(cost: cost),
      checkpoints: checkpoints.lengths(cost: checkpointCost(bytes: bytes)),
      longest: free.inSeconds)
  }

  /// What one more chunk is expected to save that is given up at the best instant, and how much
  /// time is left then.
  ///
  /// With W(r, u) for what is saved with r left and u in hand, the best is taken over t of E[W(r -
  /// X, u + X); X <= t] + P(X > t) S(r - t, u), where S saves at once. Nothing is hoped for after
  /// that: the chunk that was given up would take as long again.
  private func trial(
    of chunk: [ExpectedSavings.Length], _ savings: ExpectedSavings, _ situation: Situation
  ) -> (expected: Double, reserve: Duration?) {
    let free = free(situation).inSeconds
    let inHand = situation.inHand.inSeconds
    var sum = 0.0
    var others = 1.0
    var best: (expected: Double, reserve: Duration?) = (0, nil)
    let lengths = ExpectedSavings.thinned(chunk, to: Self.trialLengths)
    for length in lengths {
      let left = free - length.seconds
      guard left > 0 else { break }
      sum += length.share * savings.best(left: left, inHand: inHand + length.seconds)
      others -= length.share
      let expected = sum + max(0, others) * savings.alone(left: left, inHand: inHand)
      guard expected > best.expected else { continue }
      // One that takes longer than any before it is given up when a checkpoint begins to be in
      // danger, or when this one would be.
      let reserve = others > 1e-9 ? left : min(left, savings.checkpointQuantile(policy.quantile))
      best = (expected, Duration(clampingSeconds: reserve))
    }
    return best
  }
}

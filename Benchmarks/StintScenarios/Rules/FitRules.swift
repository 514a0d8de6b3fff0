/// Before each chunk: does the 99th percentile of it and of the checkpoint after it fit what is
/// left? If not, save and end.
package struct QuantileFit: Rule {
  private let knowledge: Knowledge
  private let saving: Nanoseconds

  package init(_ knowledge: Knowledge) {
    self.knowledge = knowledge
    let workload = knowledge.workload
    saving = Nanoseconds(seconds: workload.longCheckpointSeconds + workload.closingSeconds)
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    guard let remaining = view.remaining else { return .chunk(giveUpAt: nil) }
    let workload = knowledge.workload
    let chunk = workload.chunk.quantile(0.99) * workload.nominal(view.position)
    if Nanoseconds(seconds: chunk) + saving <= remaining { return .chunk(giveUpAt: nil) }
    return view.inHand > 0 ? .save : .end
  }
}

/// The dynamic strategy for reservations of a fixed length: after each chunk it compares what a
/// checkpoint now is expected to save with what one more chunk and a checkpoint then are expected
/// to save, and saves as soon as waiting promises no more.
///
/// With u in hand, r left, chunk X and checkpoint C: save if P(C <= r) u >= E[(u + X) P(C <= r -
/// X)] (Q. Barbut, A. Benoit, T. Herault, Y. Robert and F. Vivien, "When to checkpoint at the end
/// of a fixed-length reservation?", FTXS at SC23, hal-04215554; the sequel, hal-05232847, extends
/// it to failures). The distributions are known to it. It looks one chunk ahead and knows no giving
/// up of a chunk.
package struct ExpectationRule: Rule {
  private let knowledge: Knowledge
  /// Equally probable chunks, in seconds before the nominal factor.
  private let chunks: [Double]
  /// With more than this left, a checkpoint after one more chunk is as sure as one now.
  private let certain: Double

  package init(_ knowledge: Knowledge) {
    self.knowledge = knowledge
    chunks = knowledge.workload.chunk.points(128)
    certain = knowledge.workload.checkpoint.quantile(1 - 1e-9)
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    guard let left = view.remaining else { return .chunk(giveUpAt: nil) }
    let remaining = left.seconds - knowledge.workload.closingSeconds
    let nominal = view.nominal
    if (chunks.last ?? 0) * nominal + certain < remaining { return .chunk(giveUpAt: nil) }
    let inHand = view.inHand.seconds
    if now(remaining, inHand) >= afterOneMore(remaining, inHand, nominal) {
      return inHand > 0 ? .save : .end
    }
    return .chunk(giveUpAt: nil)
  }

  /// What saving now is expected to save.
  func now(_ remaining: Double, _ inHand: Double) -> Double {
    knowledge.workload.checkpoint.share(upTo: remaining) * inHand
  }

  /// What saving after one more chunk is expected to save.
  func afterOneMore(_ remaining: Double, _ inHand: Double, _ nominal: Double) -> Double {
    var sum = 0.0
    for chunk in chunks {
      let took = chunk * nominal
      if took >= remaining { break }
      sum += (inHand + took) * knowledge.workload.checkpoint.share(upTo: remaining - took)
    }
    return sum / Double(chunks.count)
  }
}

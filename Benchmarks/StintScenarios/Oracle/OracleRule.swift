/// The oracle at work.
package struct OracleRule: Rule {
  private let oracle: Oracle
  private let phases: Int

  package init(_ oracle: Oracle) {
    self.oracle = oracle
    phases = oracle.table.problem.workload.doublings + 1
  }

  /// What is left as the table counts it; nil far from the end, where running on is best.
  private func remaining(_ view: RuleView) -> Double? {
    if let end = oracle.unknownEnd { return end - view.now.seconds }
    guard let remaining = view.remaining?.seconds else { return nil }
    return remaining <= oracle.table.problem.horizon ? remaining : nil
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    guard let remaining = remaining(view) else { return .chunk(giveUpAt: nil) }
    let phase = view.position % phases
    let inHand = view.inHand.seconds
    let running = oracle.table.running(remaining, inHand, phase: phase)
    let saving = inHand > 0 ? oracle.table.saving(remaining, inHand, phase: phase) : 0
    if saving > 0, saving >= running.value { return .save }
    if running.value <= 0 { return .end }
    return .chunk(giveUpAt: running.giveUpAfter.map { view.now + Nanoseconds(seconds: $0) })
  }

  package mutating func warned(_ view: RuleView) -> Nanoseconds? {
    guard let ran = view.chunkRan, let remaining = remaining(view) else { return nil }
    let phase = view.position % phases
    let running = oracle.table.running(
      remaining, view.inHand.seconds, phase: phase, elapsed: ran.seconds)
    return running.giveUpAfter.map { view.now + Nanoseconds(seconds: $0) }
  }
}

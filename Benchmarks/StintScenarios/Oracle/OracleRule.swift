/// The oracle at work.
package struct OracleRule: Rule {
  private let oracle: Oracle
  private let phases: Int

  package init(_ oracle: Oracle) {
    self.oracle = oracle
    phases = oracle.table.problem.workload.doublings + 1
  }

  /// What is left as the table counts it; nil far from the end, where running on is best.
  private func remaining(_ world: TripWorld) -> Double? {
    if let end = oracle.unknownEnd { return end - world.now.seconds }
    guard let remaining = world.remaining?.seconds else { return nil }
    return remaining <= oracle.table.problem.horizon ? remaining : nil
  }

  package mutating func next(_ world: TripWorld) -> RuleStep {
    guard let remaining = remaining(world) else { return .chunk(giveUpAt: nil) }
    let phase = world.complete.position % phases
    let inHand = world.inHand.seconds
    let running = oracle.table.running(remaining, inHand, phase: phase)
    let saving = inHand > 0 ? oracle.table.saving(remaining, inHand, phase: phase) : 0
    if saving > 0, saving >= running.value { return .save }
    if running.value <= 0 { return .end }
    return .chunk(giveUpAt: running.giveUpAfter.map { world.now + Nanoseconds(seconds: $0) })
  }

  package mutating func warned(_ world: TripWorld) -> Nanoseconds? {
    guard world.isComputing, let remaining = remaining(world) else { return nil }
    let phase = world.complete.position % phases
    let running = oracle.table.running(
      remaining, world.inHand.seconds, phase: phase, elapsed: world.chunkRan.seconds)
    return running.giveUpAfter.map { world.now + Nanoseconds(seconds: $0) }
  }
}

/// The oracle at work.
package struct OracleRule: Rule {
  /// The next chunk as far as it is known.
  private struct Known {
    var position: Int
    /// It ran so long and was given up.
    var age: Nanoseconds
  }

  private let oracle: Oracle
  private let phases: Int
  /// The chunk that was begun last, and when.
  private var begun: (position: Int, at: Nanoseconds)?
  private var known: Known?

  package init(_ oracle: Oracle) {
    self.oracle = oracle
    phases = oracle.table.problem.workload.doublings + 1
  }

  package mutating func began(_ view: RuleView) {
    begun = nil
    known = nil
  }

  /// What is left as the table counts it; nil far from the end, where running on is best.
  private func remaining(_ view: RuleView) -> Double? {
    if let end = oracle.unknownEnd { return end - view.now.seconds }
    guard let remaining = view.remaining?.seconds else { return nil }
    return remaining <= oracle.table.problem.horizon ? remaining : nil
  }

  /// What was learnt of the next chunk by giving it up; nil for nothing.
  private mutating func age(_ view: RuleView) -> Double? {
    if let begun, begun.position == view.position {
      known = Known(
        position: view.position, age: max(known?.age ?? 0, view.now - begun.at))
    }
    begun = nil
    if known?.position != view.position { known = nil }
    return oracle.table.problem.drawsAgain ? nil : known?.age.seconds
  }

  /// The last moment at which the task can be ended in order.
  ///
  /// It is kept where it costs time in the next trip to be killed.
  private func lastMoment(_ view: RuleView) -> Nanoseconds? {
    let workload = oracle.table.problem.workload
    guard workload.restartSeconds > 0, let told = view.toldDeadline else { return nil }
    return max(view.now, told - Nanoseconds(seconds: workload.closingSeconds))
  }

  private mutating func run(_ view: RuleView, giveUpAfter seconds: Double?) -> RuleStep {
    begun = (view.position, view.now)
    return .chunk(giveUpAt: giveUp(view, after: seconds))
  }

  private func giveUp(_ view: RuleView, after seconds: Double?) -> Nanoseconds? {
    [seconds.map { view.now + Nanoseconds(seconds: $0) }, lastMoment(view)].compactMap { $0 }.min()
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    let age = age(view)
    guard let remaining = remaining(view) else { return run(view, giveUpAfter: nil) }
    let phase = view.position % phases
    let inHand = view.inHand.seconds
    if let age, inHand > 0 {
      // It was given up for this.
      let place = oracle.table.place(ofAge: age, phase: phase)
      let saving = oracle.table.saving(remaining, inHand, phase: phase, age: place)
      return saving > 0 ? .save : .end
    }
    let running = oracle.table.running(remaining, inHand, phase: phase, age: age ?? 0)
    let saving = inHand > 0 ? oracle.table.saving(remaining, inHand, phase: phase) : 0
    if saving > 0, saving >= running.value { return .save }
    if running.value <= 0 { return .end }
    return run(view, giveUpAfter: running.giveUpAfter)
  }

  package mutating func warned(_ view: RuleView) -> Nanoseconds? {
    guard let ran = view.chunkRan, let remaining = remaining(view) else { return nil }
    let phase = view.position % phases
    let age = known?.position == view.position ? known?.age.seconds : nil
    let running = oracle.table.running(
      remaining, view.inHand.seconds, phase: phase, elapsed: ran.seconds, age: age ?? 0)
    return giveUp(view, after: running.giveUpAfter)
  }

  package func saveEnds(_ view: RuleView) -> Nanoseconds? { lastMoment(view) }
}

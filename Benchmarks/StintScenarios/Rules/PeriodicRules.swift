/// Runs until it is killed, and saves nothing: the floor.
package struct UntilKilled: Rule {
  package mutating func next(_ view: RuleView) -> RuleStep {
    .chunk(giveUpAt: nil)
  }
}

/// Saves when so much time has passed since the last checkpoint or the beginning, until it is
/// killed.
///
/// Young's and Daly's rules are this one with their intervals, and with a save before an end that
/// was told: their failures are those that nobody tells.
package struct Periodic: Rule {
  private let interval: Nanoseconds
  private var atTheEnd: QuantileFit?
  private var last: Nanoseconds = 0

  /// - Parameters:
  ///   - seconds: The work between two checkpoints.
  ///   - knowledge: What the save before a told end goes by; nil for none.
  package init(every seconds: Double, endingBy knowledge: Knowledge? = nil) {
    interval = max(1, Nanoseconds(seconds: seconds))
    atTheEnd = knowledge.map(QuantileFit.init)
  }

  package mutating func began(_ view: RuleView) {
    last = 0
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    if let step = atTheEnd?.next(view), step != .chunk(giveUpAt: nil) { return step }
    if view.inHand > 0, view.now - last >= interval {
      last = view.now
      return .save
    }
    // What the checkpoint took is no work: the interval counts from its end.
    if view.inHand == 0 { last = view.now }
    return .chunk(giveUpAt: nil)
  }
}

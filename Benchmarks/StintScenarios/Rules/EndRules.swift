/// Computes for a share of the time that was announced, then saves and ends.
///
/// Where nothing is announced it goes by the warning.
package struct ShareOfBudget: Rule {
  private let share: Double
  private var stopAt: Nanoseconds?

  package init(share: Double) {
    self.share = share
  }

  package mutating func began(_ view: RuleView) {
    stopAt = view.toldDeadline.map { Nanoseconds(seconds: $0.seconds * share) }
  }

  package mutating func warned(_ view: RuleView) -> Nanoseconds? {
    // The rest may have been taken back.
    let told = view.toldDeadline.map { Nanoseconds(seconds: $0.seconds * share) } ?? view.now
    stopAt = min(stopAt ?? view.now, told)
    return nil
  }

  package mutating func deadlineMoved(_ view: RuleView) -> Nanoseconds? {
    began(view)
    return nil
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    if let stopAt, view.now >= stopAt { return view.inHand > 0 ? .save : .end }
    return .chunk(giveUpAt: nil)
  }
}

/// Computes until a signal comes, completes its chunk, saves and ends, as scripts for Slurm do.
///
/// Where the end is told at the beginning, the signal was asked for so long before it; else it is
/// the engine's warning.
package struct AtTheSignal: Rule {
  private let lead: Nanoseconds?
  private var isWarned = false
  private var isToldAtFirst = false

  /// - Parameter seconds: How long before a told end the signal was asked for; nil if it was not.
  package init(before seconds: Double? = nil) {
    lead = seconds.map { Nanoseconds(seconds: $0) }
  }

  package mutating func began(_ view: RuleView) {
    isWarned = false
    isToldAtFirst = view.toldDeadline != nil
  }

  package mutating func warned(_ view: RuleView) -> Nanoseconds? {
    if lead == nil || !isToldAtFirst { isWarned = true }
    return nil
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    if isToldAtFirst, let lead, let remaining = view.remaining, remaining <= lead {
      isWarned = true
    }
    if isWarned { return view.inHand > 0 ? .save : .end }
    return .chunk(giveUpAt: nil)
  }
}

/// The halt rule of SCR: checkpoints at an interval, and a halt when what is left after one does
/// not hold the next.
///
/// The next one is another interval, the time to flush, and some slack (SCR user guide, "halt
/// seconds"). Flushing is taken as the 99th percentile of a checkpoint.
package struct HaltRule: Rule {
  private let interval: Nanoseconds
  private let flush: Nanoseconds
  private let slack: Nanoseconds
  private var last: Nanoseconds = 0
  private var isFirst = true

  package init(_ knowledge: Knowledge) {
    interval = max(1, Nanoseconds(seconds: knowledge.everySeconds))
    flush = Nanoseconds(seconds: knowledge.workload.longCheckpointSeconds)
    // A chunk that was begun before the interval was over ends after it.
    slack = Nanoseconds(seconds: knowledge.workload.longChunkSeconds)
  }

  package mutating func began(_ view: RuleView) {
    last = 0
    isFirst = true
  }

  package mutating func next(_ view: RuleView) -> RuleStep {
    defer { isFirst = false }
    if view.inHand > 0, view.now - last >= interval { return .save }
    if view.inHand == 0 {
      last = view.now
      if let remaining = view.remaining, remaining < interval + flush + slack {
        return isFirst ? .chunk(giveUpAt: nil) : .end
      }
    }
    return .chunk(giveUpAt: nil)
  }
}

/// Computes for a share of the time that was announced, then saves and ends.
///
/// Where nothing is announced it goes by the warning.
package struct ShareOfBudget: Rule {
  private let share: Double
  private var stopAt: Nanoseconds?

  package init(share: Double) {
    self.share = share
  }

  package mutating func began(_ world: TripWorld) {
    stopAt = world.toldDeadline.map { Nanoseconds(seconds: $0.seconds * share) }
  }

  package mutating func warned(_ world: TripWorld) -> Nanoseconds? {
    // The rest may have been taken back.
    let told = world.toldDeadline.map { Nanoseconds(seconds: $0.seconds * share) } ?? world.now
    stopAt = min(stopAt ?? world.now, told)
    return nil
  }

  package mutating func next(_ world: TripWorld) -> RuleStep {
    if let stopAt, world.now >= stopAt { return world.inHand > 0 ? .save : .end }
    return .chunk(giveUpAt: nil)
  }
}

/// Computes until the engine's warning comes, completes its chunk, saves and ends.
package struct AtTheSignal: Rule {
  private var isWarned = false

  package init() {}

  package mutating func began(_ world: TripWorld) {
    isWarned = false
  }

  package mutating func warned(_ world: TripWorld) -> Nanoseconds? {
    isWarned = true
    return nil
  }

  package mutating func next(_ world: TripWorld) -> RuleStep {
    if isWarned { return world.inHand > 0 ? .save : .end }
    return .chunk(giveUpAt: nil)
  }
}

/// The halt rule of SCR: checkpoints at an interval, and a halt when what is left after one does not hold the next.
///
/// The next one is another interval, the time to flush, and some slack (SCR user guide, "halt seconds"). Flushing is taken as the 99th percentile of a checkpoint.
package struct HaltRule: Rule {
  private let interval: Nanoseconds
  private let flush: Nanoseconds
  private let slack: Nanoseconds
  private var last: Nanoseconds = 0

  package init(_ knowledge: Knowledge) {
    interval = max(1, Nanoseconds(seconds: knowledge.everySeconds))
    flush = Nanoseconds(seconds: knowledge.workload.checkpoint.quantile(0.99))
    // A chunk that was begun before the interval was over ends after it.
    slack = Nanoseconds(
      seconds: (0..<(knowledge.workload.doublings + 1))
        .map { knowledge.chunkQuantile(0.99, index: $0) }.max() ?? 0)
  }

  package mutating func began(_ world: TripWorld) {
    last = 0
  }

  package mutating func next(_ world: TripWorld) -> RuleStep {
    if world.inHand > 0, world.now - last >= interval { return .save }
    if world.inHand == 0 {
      last = world.now
      if let remaining = world.remaining, remaining < interval + flush + slack {
        return world.now == 0 ? .chunk(giveUpAt: nil) : .end
      }
    }
    return .chunk(giveUpAt: nil)
  }
}

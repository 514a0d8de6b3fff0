/// What a rule does next.
package enum RuleStep: Hashable, Sendable {
  /// Run the next chunk; give it up at an instant if it is not complete by then.
  case chunk(giveUpAt: Nanoseconds?)
  /// Make the newest state durable.
  case save
  /// End the task.
  case end
}

/// What a rule knows when it decides, in virtual time as on a real clock.
package struct RuleView: Hashable, Sendable {
  /// Since the trip's beginning.
  package var now: Nanoseconds
  /// The end as far as it was told; nil if it was not.
  package var toldDeadline: Nanoseconds?
  /// The complete work that is not durable.
  package var inHand: Nanoseconds
  /// So many chunks of the job are complete.
  package var position: Int
  /// How the next chunk's cost is expected to be beside the mean.
  package var nominal: Double
  /// How long the running chunk ran; nil if none runs.
  package var chunkRan: Nanoseconds?

  package init(
    now: Nanoseconds, toldDeadline: Nanoseconds?, inHand: Nanoseconds, position: Int,
    nominal: Double, chunkRan: Nanoseconds? = nil
  ) {
    self.now = now
    self.toldDeadline = toldDeadline
    self.inHand = inHand
    self.position = position
    self.nominal = nominal
    self.chunkRan = chunkRan
  }

  /// What is left before the end as far as it was told; nil if it was not.
  package var remaining: Nanoseconds? { toldDeadline.map { max(0, $0 - now) } }
}

extension TripWorld {
  /// What a rule may know of this world.
  var view: RuleView {
    RuleView(
      now: now, toldDeadline: toldDeadline, inHand: inHand, position: complete.position,
      nominal: nextNominal, chunkRan: isComputing ? chunkRan : nil)
  }
}

/// A strategy that decides whenever the processor is free, as the rules of the literature do.
package protocol Rule: Sendable {
  /// A trip begins.
  mutating func began(_ view: RuleView)
  /// The processor is free.
  mutating func next(_ view: RuleView) -> RuleStep
  /// The end is told. A running chunk is given up at the instant returned, or runs to its end.
  mutating func warned(_ view: RuleView) -> Nanoseconds?
  /// The end has moved. A running chunk is given up at the instant returned, or runs to its end.
  mutating func deadlineMoved(_ view: RuleView) -> Nanoseconds?
  /// A checkpoint begins. The task is ended at the instant returned if it is still being written.
  func saveEnds(_ view: RuleView) -> Nanoseconds?
}

extension Rule {
  package mutating func began(_ view: RuleView) {}
  package mutating func warned(_ view: RuleView) -> Nanoseconds? { nil }
  package mutating func deadlineMoved(_ view: RuleView) -> Nanoseconds? { nil }
  package func saveEnds(_ view: RuleView) -> Nanoseconds? { nil }
}

/// Lets a rule work.
package struct RuleWorker<Decision: Rule>: ScenarioWorker {
  private var rule: Decision
  package private(set) var claimedWork: Nanoseconds = 0

  package init(_ rule: Decision) {
    self.rule = rule
  }

  private mutating func advance(_ world: TripWorld) {
    guard !world.isOver, world.isIdle else { return }
    switch rule.next(world.view) {
    case .chunk(let giveUpAt):
      world.startChunk()
      world.wake(at: giveUpAt)
    case .save:
      world.startCheckpoint()
      world.wake(at: rule.saveEnds(world.view))
    case .end:
      world.end()
    }
  }

  package mutating func began(_ world: TripWorld) {
    rule.began(world.view)
    advance(world)
  }

  package mutating func chunkEnded(_ world: TripWorld) {
    world.wake(at: nil)
    advance(world)
  }

  package mutating func checkpointEnded(_ world: TripWorld) {
    claimedWork = world.durable.total
    world.wake(at: nil)
    advance(world)
  }

  package mutating func warned(_ world: TripWorld) {
    if let instant = rule.warned(world.view), world.isComputing { world.wake(at: instant) }
    advance(world)
  }

  package mutating func deadlineMoved(_ world: TripWorld) {
    if let instant = rule.deadlineMoved(world.view), world.isComputing { world.wake(at: instant) }
    advance(world)
  }

  package mutating func woken(_ world: TripWorld) {
    if world.isSaving { return world.end() }
    if world.isComputing { world.giveUpChunk() }
    advance(world)
  }
}

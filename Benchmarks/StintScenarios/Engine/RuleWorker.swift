/// What a rule does next.
package enum RuleStep: Hashable, Sendable {
  /// Run the next chunk; give it up at an instant if it is not complete by then.
  case chunk(giveUpAt: Nanoseconds?)
  /// Make the newest state durable.
  case save
  /// End the task.
  case end
}

/// A strategy that decides whenever the processor is free, as the rules of the literature do.
package protocol Rule {
  /// A trip begins.
  mutating func began(_ world: TripWorld)
  /// The processor is free.
  mutating func next(_ world: TripWorld) -> RuleStep
  /// The end is told. A running chunk is given up at the instant returned, or runs to its end.
  mutating func warned(_ world: TripWorld) -> Nanoseconds?
}

extension Rule {
  package mutating func began(_ world: TripWorld) {}
  package mutating func warned(_ world: TripWorld) -> Nanoseconds? { nil }
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
    switch rule.next(world) {
    case .chunk(let giveUpAt):
      world.startChunk()
      world.wake(at: giveUpAt)
    case .save:
      world.startCheckpoint()
    case .end:
      world.end()
    }
  }

  package mutating func began(_ world: TripWorld) {
    rule.began(world)
    advance(world)
  }

  package mutating func chunkEnded(_ world: TripWorld) {
    world.wake(at: nil)
    advance(world)
  }

  package mutating func checkpointEnded(_ world: TripWorld) {
    claimedWork = world.durable.total
    advance(world)
  }

  package mutating func warned(_ world: TripWorld) {
    if let instant = rule.warned(world), world.isComputing { world.wake(at: instant) }
    advance(world)
  }

  package mutating func woken(_ world: TripWorld) {
    if world.isComputing { world.giveUpChunk() }
    advance(world)
  }

  package mutating func wentOn(after length: Nanoseconds, _ world: TripWorld) {}
  package mutating func wasDenied(_ world: TripWorld) {}
  package mutating func ended(isKilled: Bool, _ world: TripWorld) {}
}

import StintCore

/// Drives the system machine and the model of the contract together through a random history.
///
/// - Parameters:
///   - seed: Decides the policy and every event.
///   - steps: How many events at most.
///   - plant: A fault that is to be found, for proving that it is.
/// - Throws: ``LockstepFailure`` with the shortest history in which the two still differ.
package func lockstep(
  seed: UInt64, steps: Int, plant: Plant? = nil
) throws(LockstepFailure) {
  guard let history = divergence(seed: seed, steps: steps, plant: plant) else { return }
  let shortest = history.events.shrunk { events in
    firstDifference(of: events, in: history.setup, plant: plant) != nil
  }
  throw LockstepFailure(
    seed: seed, steps: steps, setup: history.setup, events: shortest,
    difference: firstDifference(of: shortest, in: history.setup, plant: plant) ?? "")
}

/// Whether lockstep finds a difference; without the labour of shortening it.
package func diverges(seed: UInt64, steps: Int, plant: Plant) -> Bool {
  divergence(seed: seed, steps: steps, plant: plant) != nil
}

/// The names of all deeds, causes and diagnostics that a history comes to: what it has put to the
/// test.
func reached(seed: UInt64, steps: Int) -> Set<String> {
  var random = SplitMix64(seed: seed)
  let setup = LockstepSetup(&random)
  var generator = HistoryGenerator(random: random)
  var pair = LockstepPair(setup, plant: nil)
  pair.reached = []
  for _ in 0..<steps {
    _ = pair.apply(generator.next(after: pair))
  }
  return pair.reached ?? []
}

/// The history of a seed up to the first difference, or nil if there is none.
private func divergence(
  seed: UInt64, steps: Int, plant: Plant?
) -> (setup: LockstepSetup, events: [LockstepEvent])? {
  var random = SplitMix64(seed: seed)
  let setup = LockstepSetup(&random)
  var generator = HistoryGenerator(random: random)
  var pair = LockstepPair(setup, plant: plant)
  var events: [LockstepEvent] = []
  for _ in 0..<steps {
    let event = generator.next(after: pair)
    events.append(event)
    if pair.apply(event) != nil { return (setup, events) }
  }
  return nil
}

/// What the two say differently first in a given history, or nil if they agree.
func firstDifference(
  of events: [LockstepEvent], in setup: LockstepSetup, plant: Plant?
) -> String? {
  var pair = LockstepPair(setup, plant: plant)
  for event in events {
    if let difference = pair.apply(event) { return difference }
  }
  return nil
}

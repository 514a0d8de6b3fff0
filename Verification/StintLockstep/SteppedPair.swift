import StintCore

/// A machine and its model, driven together through a history.
protocol SteppedPair {
  /// What a seed decides before the first event.
  associatedtype Setup: Hashable & Sendable & CustomStringConvertible
  /// One step of a history; one that is not possible when its turn comes is left out, so that every
  /// part of a history is one.
  associatedtype Event: Hashable & Sendable
  /// A fault on the model's side.
  associatedtype Plant: CaseIterable

  /// The function that a failure names.
  static var name: String { get }

  static func setup(_ random: inout SplitMix64) -> Setup

  init(_ setup: Setup, plant: Plant?)

  /// The names of what a history comes to; nil where nobody wants to know.
  var reached: Set<String>? { get set }

  /// Chooses what happens next.
  func next(_ random: inout SplitMix64) -> Event

  /// Lets an event happen in both and says in what they differ; nil if they agree.
  mutating func apply(_ event: Event) -> String?
}

extension SteppedPair {
  typealias Failure = LockstepFailure<Setup, Event>

  /// The first difference of a seed's history, with the shortest history that shows it.
  static func failure(seed: UInt64, steps: Int, plant: Plant?) -> Failure? {
    guard let history = divergence(seed: seed, steps: steps, plant: plant) else { return nil }
    let shortest = history.events.shrunk { events in
      firstDifference(of: events, in: history.setup, plant: plant) != nil
    }
    return Failure(
      call: "\(name)(seed: \(seed), steps: \(steps))", seed: seed, steps: steps,
      setup: history.setup, events: shortest,
      difference: firstDifference(of: shortest, in: history.setup, plant: plant) ?? "")
  }

  /// The names of all that a history comes to: what it has put to the test.
  static func reached(seed: UInt64, steps: Int) -> Set<String> {
    var random = SplitMix64(seed: seed)
    var pair = Self(setup(&random), plant: nil)
    pair.reached = []
    for _ in 0..<steps {
      _ = pair.apply(pair.next(&random))
    }
    return pair.reached ?? []
  }

  /// The history of a seed up to the first difference, or nil if there is none.
  static func divergence(
    seed: UInt64, steps: Int, plant: Plant?
  ) -> (setup: Setup, events: [Event])? {
    var random = SplitMix64(seed: seed)
    let setup = setup(&random)
    var pair = Self(setup, plant: plant)
    var events: [Event] = []
    for _ in 0..<steps {
      let event = pair.next(&random)
      events.append(event)
      if pair.apply(event) != nil { return (setup, events) }
    }
    return nil
  }

  /// What the two say differently first in a given history, or nil if they agree.
  static func firstDifference(of events: [Event], in setup: Setup, plant: Plant?) -> String? {
    var pair = Self(setup, plant: plant)
    for event in events {
      if let difference = pair.apply(event) { return difference }
    }
    return nil
  }

  /// What two say of one thing.
  static func said(_ what: String, _ machine: Any, _ model: Any) -> String {
    "\(what): the machine says \(machine), the model \(model)"
  }
}

/// What was seen of one trip of a worker: the ledger of its system, what is durable after the cut,
/// and the worker's own words.
///
/// Nothing in it says what kind of worker it is.
package struct Observation: Hashable, Sendable {
  /// The trip's number, from 0.
  package var trip: Int
  /// When the granted time was gone.
  package var deadline: Nanoseconds
  package var end = TripEnd.inOrder
  package var endedAt: Nanoseconds = 0
  /// What was durable when it began.
  package var durableAtStart: Double
  /// What is durable now that the process is gone, as the next one would find it.
  package var durableAtEnd = 0.0
  /// The most work that can be done in a second; nil where that is not known.
  package var mostPerSecond: Double?
  /// Whether every ``Sighting/Event/durable(_:)`` has the very instant at which it came to be.
  package var knowsDurableInstants = false
  /// In the order of time.
  package var sightings: [Sighting] = []

  package init(trip: Int, deadline: Nanoseconds, durableAtStart: Double) {
    self.trip = trip
    self.deadline = deadline
    self.durableAtStart = durableAtStart
  }

  /// Notes what was seen.
  package mutating func note(_ event: Sighting.Event, at instant: Nanoseconds) {
    sightings.append(Sighting(at: instant, event))
  }

  /// When the worker was first told that its time ends.
  package var warnedAt: Nanoseconds? { first { $0 == .warned } }

  /// The tasks that were begun and not ended.
  package var openTasks: [String] {
    var open: [String] = []
    for sighting in sightings {
      switch sighting.event {
      case .taskBegan(let name): open.append(name)
      case .taskEnded(let name):
        if let index = open.firstIndex(of: name) { open.remove(at: index) }
      case .warned, .handlerReturned, .savingBegan, .durable, .saidSaved, .reported: break
      }
    }
    return open
  }

  /// When something of a kind was first seen, at an instant or after it.
  func first(
    from instant: Nanoseconds = .min, where isMeant: (Sighting.Event) -> Bool
  ) -> Nanoseconds? {
    sightings.first { $0.at >= instant && isMeant($0.event) }?.at
  }

  /// When something of a kind was last seen.
  func last(where isMeant: (Sighting.Event) -> Bool) -> Nanoseconds? {
    sightings.last { isMeant($0.event) }?.at
  }

  /// Amounts with their instants.
  func amounts(_ amount: (Sighting.Event) -> Double?) -> [(at: Nanoseconds, amount: Double)] {
    sightings.compactMap { sighting in amount(sighting.event).map { (sighting.at, $0) } }
  }
}

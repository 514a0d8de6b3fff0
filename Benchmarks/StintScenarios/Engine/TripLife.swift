/// A trip as people look at it (`docs/formats/bench-report.md`).
package struct TripLife: Hashable, Sendable, Codable {
  package struct Chunk: Hashable, Sendable, Codable {
    package var index: Int
    package var beginSeconds: Double
    package var endSeconds: Double
    package var isComplete: Bool
  }

  package struct Checkpoint: Hashable, Sendable, Codable {
    package var beginSeconds: Double
    package var endSeconds: Double
    package var isDurable: Bool
    package var workSeconds: Double
  }

  package struct Standstill: Hashable, Sendable, Codable {
    package var beginSeconds: Double
    package var endSeconds: Double
  }

  package var number: Int
  package var beganSeconds = 0.0
  package var isDenied: Bool
  package var announcedSeconds: Double?
  package var warnedSeconds: Double?
  package var deadlineSeconds: Double
  package var enforcedSeconds: Double
  package var standstills: [Standstill] = []
  package var endSeconds = 0.0
  package var end = TripEnd.denied
  package var savedSeconds = 0.0
  package var lostSeconds = 0.0
  package var chunks: [Chunk] = []
  package var checkpoints: [Checkpoint] = []

  init(trip: Trip) {
    number = trip.number
    isDenied = trip.isDenied
    deadlineSeconds = trip.isDenied ? 0 : trip.deadline.seconds
    enforcedSeconds = trip.isDenied ? 0 : trip.enforced.seconds
    guard !trip.isDenied else { return }
    announcedSeconds = trip.announced?.seconds
    warnedSeconds = [trip.warned, trip.notice].compactMap { $0 }.min()?.seconds
  }

  mutating func add(
    chunk index: Int, from begin: Nanoseconds, to end: Nanoseconds, isComplete: Bool
  ) {
    chunks.append(
      Chunk(
        index: index, beginSeconds: begin.seconds, endSeconds: end.seconds, isComplete: isComplete))
  }

  mutating func add(
    checkpointFrom begin: Nanoseconds, to end: Nanoseconds, isDurable: Bool, work: Nanoseconds
  ) {
    checkpoints.append(
      Checkpoint(
        beginSeconds: begin.seconds, endSeconds: end.seconds, isDurable: isDurable,
        workSeconds: work.seconds))
  }

  mutating func add(standstillFrom begin: Nanoseconds, to end: Nanoseconds) {
    standstills.append(Standstill(beginSeconds: begin.seconds, endSeconds: end.seconds))
  }

  mutating func finish(_ account: TripAccount) {
    end = account.end
    endSeconds = account.endedAt.seconds
    savedSeconds = (account.saved + account.savedLate).seconds
    lostSeconds = account.lost.seconds
  }
}

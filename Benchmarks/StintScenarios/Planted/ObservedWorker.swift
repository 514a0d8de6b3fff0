/// Looks over a worker's shoulder in virtual time: notes what its system, the disk and its own
/// words show.
package struct ObservedWorker<Worker: ScenarioWorker>: ScenarioWorker {
  private var worker: Worker
  private var observation = Observation(trip: 0, deadline: 0, durableAtStart: 0)
  private var claimed: Nanoseconds = 0
  private var reported: Nanoseconds = 0
  private var savingSince: Nanoseconds?
  /// What was found in the trips so far.
  package private(set) var findings: [Finding] = []

  package init(_ worker: Worker) {
    self.worker = worker
  }

  package var claimedWork: Nanoseconds { worker.claimedWork }
  package var reportedWork: Nanoseconds? { worker.reportedWork }
  package var ledger: [Sighting] { worker.ledger }

  package mutating func began(_ world: TripWorld) {
    observation = Observation(
      trip: world.trip.number, deadline: world.trip.deadline,
      durableAtStart: world.durable.total.seconds)
    observation.mostPerSecond = 1
    observation.knowsDurableInstants = true
    claimed = worker.claimedWork
    reported = 0
    savingSince = nil
    worker.began(world)
    look(world)
  }

  package mutating func wasDenied(_ world: TripWorld) {
    observation = Observation(trip: world.trip.number, deadline: 0, durableAtStart: 0)
    worker.wasDenied(world)
  }

  package mutating func chunkEnded(_ world: TripWorld) {
    worker.chunkEnded(world)
    look(world)
  }

  package mutating func checkpointEnded(_ world: TripWorld) {
    observation.note(.durable(world.durable.total.seconds), at: world.now)
    savingSince = nil
    worker.checkpointEnded(world)
    look(world)
  }

  package mutating func warned(_ world: TripWorld) {
    worker.warned(world)
    look(world)
  }

  package mutating func deadlineMoved(_ world: TripWorld) {
    worker.deadlineMoved(world)
    look(world)
  }

  package mutating func woken(_ world: TripWorld) {
    worker.woken(world)
    look(world)
  }

  package mutating func wentOn(after length: Nanoseconds, _ world: TripWorld) {
    worker.wentOn(after: length, world)
    look(world)
  }

  package mutating func ended(isKilled: Bool, _ world: TripWorld) {
    let ledger = worker.ledger
    worker.ended(isKilled: isKilled, world)
    look(world)
    observation.end = world.trip.isDenied ? .denied : world.account.end
    observation.endedAt = world.now
    observation.deadline = world.deadline
    observation.durableAtEnd = world.durable.total.seconds
    observation.sightings = (observation.sightings + ledger).sorted { $0.at < $1.at }
    findings += Inspector.findings(observation)
  }

  /// Notes what is new in the worker's words and on the disk.
  private mutating func look(_ world: TripWorld) {
    if let begun = world.savingBegan, begun != savingSince {
      observation.note(.savingBegan, at: begun)
      savingSince = begun
    }
    if worker.claimedWork != claimed {
      claimed = worker.claimedWork
      observation.note(.saidSaved(claimed.seconds), at: world.now)
    }
    if let work = worker.reportedWork, work != reported {
      reported = work
      observation.note(.reported(work.seconds), at: world.now)
    }
  }
}

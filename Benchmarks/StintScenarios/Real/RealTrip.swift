/// What was seen of one trip on the real clock, before anybody has judged it.
///
/// The ledger is the supervisor's, the generations are what a reader found on the disk when the
/// process was gone; only the lines are the worker's own.
package struct RealTrip: Hashable, Sendable {
  /// A checkpoint that is whole on the disk.
  package struct Generation: Hashable, Sendable {
    package var sequence: UInt64
    /// The job's work in it.
    package var work: Nanoseconds
    /// When it got its name, since the trip's beginning; negative for those of earlier trips.
    package var namedAt: Nanoseconds

    package init(sequence: UInt64, work: Nanoseconds, namedAt: Nanoseconds) {
      self.sequence = sequence
      self.work = work
      self.namedAt = namedAt
    }
  }

  /// A file system keeps times by a clock that may be a tick of the kernel behind.
  private static let fileClockResolution = Nanoseconds(10_000_000)

  /// The budget.
  package var plan: Trip
  /// When it began, in nanoseconds of the boot-time clock.
  package var beganAt: Int64
  /// What the system did.
  package var ledger: [Sighting] = []
  /// What the worker said.
  package var lines: [EventLine] = []
  /// What is on the disk now, whole.
  package var generations: [Generation] = []
  /// The job's work when its result is whole on the disk; nil while it is not.
  package var finishedWork: Nanoseconds?
  /// Whether the job was finished in this trip.
  package var isFinished = false
  /// The work that was durable before.
  package var durableBefore: Nanoseconds
  /// The most work that was durable after any earlier trip; what a worker destroyed and makes again
  /// is saved once.
  package var creditedBefore: Nanoseconds = 0
  /// How often a checkpoint was seen to come, of a worker that keeps only the newest.
  package var changes = 0
  /// Whether what the worker itself says is all that is known of its work.
  package var saysItsWork = false
  /// The work that was durable at the deadline, read then; nil if nobody outlived it and all that
  /// is durable now counts.
  package var durableInTime: Nanoseconds?
  /// The work of the whole job, for the shares in reports; nil where reports are in work time.
  package var totalWork: Nanoseconds?
  /// The time between two reports; 0 for who does not report by a clock.
  package var tick: Nanoseconds
  package var end: TripEnd
  /// When the process was known to be gone.
  package var endedAt: Nanoseconds

  package init(
    plan: Trip, beganAt: Int64, durableBefore: Nanoseconds, tick: Nanoseconds, end: TripEnd,
    endedAt: Nanoseconds
  ) {
    self.plan = plan
    self.beganAt = beganAt
    self.durableBefore = durableBefore
    self.tick = tick
    self.end = end
    self.endedAt = endedAt
  }

  /// A denied trip, in which nothing ran.
  package static func denied(_ plan: Trip, durableBefore: Nanoseconds) -> RealTrip {
    RealTrip(
      plan: plan, beganAt: 0, durableBefore: durableBefore, tick: 0, end: .denied, endedAt: 0)
  }

  /// The work that is durable now.
  package var durable: Nanoseconds {
    max(generations.map(\.work).max() ?? durableBefore, finishedWork ?? 0)
  }

  /// The work of this trip that was durable by the deadline.
  var saved: Nanoseconds {
    max(0, min(durable, durableInTime ?? durable) - max(durableBefore, creditedBefore))
  }

  /// An instant of the worker's lines, since the trip's beginning.
  func instant(_ bootSeconds: Double) -> Nanoseconds {
    Nanoseconds((bootSeconds * 1e9).rounded()) - beganAt
  }

  // MARK: What an inspector sees

  /// The trip as ``Inspector`` looks at it.
  package var observation: Observation {
    var seen = Observation(
      trip: plan.number, deadline: plan.deadline, durableAtStart: durableBefore.seconds)
    // Nobody can be told to have slept through a warning with the machine.
    let warned = ledger.first { $0.event == .warned }?.at ?? plan.deadline
    let isAwake = standstill(from: warned, to: plan.deadline) == 0
    seen.end = end == .killed && !isAwake ? .gone : end
    seen.endedAt = endedAt
    seen.durableAtEnd = durable.seconds
    // One processor: the work of a second takes a second.
    seen.mostPerSecond = 1
    var said: [Sighting] = []
    for line in lines {
      guard let boot = line.bootSeconds else { continue }
      let at = instant(boot)
      switch line.event {
      case "checkpoint":
        if let work = line.workTimeSeconds { said.append(Sighting(at: at, .saidSaved(work))) }
      case "tick":
        if line.state == "saving" { said.append(Sighting(at: at, .savingBegan)) }
        if let work = reported(line) { said.append(Sighting(at: at, .reported(work))) }
      default: break
      }
    }
    let news = generations.filter { $0.namedAt >= 0 }.sorted { $0.sequence < $1.sequence }
    // Its own word for what it holds, so that nobody saves more than can be done in the time.
    if saysItsWork {
      said += news.map {
        let work = max(0, $0.work - Self.fileClockResolution)
        return Sighting(at: $0.namedAt, .reported(work.seconds))
      }
    }
    let named = news.map { Sighting(at: $0.namedAt, .durable($0.work.seconds)) }
    seen.sightings = (ledger + said + named).sorted { $0.at < $1.at }
    return seen
  }

  private func reported(_ line: EventLine) -> Double? {
    guard let totalWork else { return line.workTimeSeconds }
    return line.fraction.map { $0 * totalWork.seconds }
  }
}

/// How a trip's process ended.
package enum TripEnd: String, Hashable, Sendable, Codable {
  /// It ended its task.
  case inOrder
  /// It was still there at the enforced end.
  case killed
  /// The end came unannounced.
  case gone
  /// Nothing was granted.
  case denied
}

/// What the world itself has seen of a trip.
///
/// All times add up: what was lived is work that is durable, work that is lost, checkpoints,
/// standstills, the start of a process after a kill, and waiting. ``TripAccount/gap`` is what is
/// missing, and is zero unless the engine is wrong.
package struct TripAccount: Hashable, Sendable {
  package private(set) var end = TripEnd.inOrder
  package private(set) var endedAt: Nanoseconds = 0
  /// Complete chunks of this trip: their time.
  package private(set) var computed: Nanoseconds = 0
  /// Time of chunks that were cut or given up.
  package private(set) var cut: Nanoseconds = 0
  package private(set) var checkpointTime: Nanoseconds = 0
  package private(set) var checkpoints = 0
  /// How long the checkpoint had taken that was cut at the end; 0 if none was.
  package private(set) var cutCheckpoint: Nanoseconds = 0
  package private(set) var standstillTime: Nanoseconds = 0
  /// The process was started again and loaded its state.
  package private(set) var restartTime: Nanoseconds = 0
  /// Nothing was done.
  package private(set) var idle: Nanoseconds = 0
  /// Work of this trip that was durable by the deadline.
  package private(set) var saved: Nanoseconds = 0
  /// Work of this trip that became durable after the deadline.
  package private(set) var savedLate: Nanoseconds = 0
  /// Work that was computed in this process, in whole or in part, and is not durable at its end.
  package private(set) var lost: Nanoseconds = 0
  /// How long the task was open past a deadline that had been told; nil if it was not, or if none
  /// was told.
  package private(set) var overrun: Nanoseconds?
  /// From the warning to the last checkpoint that became durable after it; 0 if everything kept was
  /// durable by then.
  package private(set) var expiryToDurable: Nanoseconds?
  /// From the end of the task to the deadline.
  package private(set) var unused: Nanoseconds = 0
  /// From the deadline to the end of the process.
  package private(set) var past: Nanoseconds = 0
  /// The time up to the checkpoint that holds the work of the whole job, without standstills; nil
  /// if none of this trip is the first that does.
  package private(set) var jobDone: Nanoseconds?
  /// Time that is in none of these.
  package private(set) var gap: Nanoseconds = 0
  /// What was durable by the deadline.
  var durableInTime: WorkState?
  /// A sample for people.
  package private(set) var life: TripLife?
  private var warnedAt: Nanoseconds?
  private var lastDurableAt: Nanoseconds?

  init(trip: Trip, isRecording: Bool) {
    if isRecording { life = TripLife(trip: trip) }
  }

  mutating func wasDenied() {
    end = .denied
  }

  mutating func wasWarned(at now: Nanoseconds) {
    if warnedAt == nil { warnedAt = now }
  }

  mutating func chunkEnded(_ chunk: TripWorld.RunningChunk, index: Int, at now: Nanoseconds) {
    computed += chunk.ran
    life?.add(chunk: index, from: chunk.beganAt, to: now, isComplete: true)
  }

  mutating func chunkCut(_ chunk: TripWorld.RunningChunk, index: Int, at now: Nanoseconds) {
    cut += chunk.ran
    life?.add(chunk: index, from: chunk.beganAt, to: now, isComplete: false)
  }

  mutating func checkpointEnded(
    _ checkpoint: TripWorld.RunningCheckpoint, at now: Nanoseconds, isDurable: Bool
  ) {
    checkpointTime += now - checkpoint.beganAt - checkpoint.stoodStill
    if isDurable {
      checkpoints += 1
      lastDurableAt = now
    } else {
      cutCheckpoint = now - checkpoint.beganAt - checkpoint.stoodStill
    }
    life?.add(
      checkpointFrom: checkpoint.beganAt, to: now, isDurable: isDurable,
      work: checkpoint.state.total)
  }

  mutating func stoodStill(from begin: Nanoseconds, for length: Nanoseconds) {
    standstillTime += length
    life?.add(standstillFrom: begin, to: begin + length)
  }

  mutating func jobIsDone(at now: Nanoseconds) {
    if jobDone == nil { jobDone = now - standstillTime }
  }

  mutating func loaded(for length: Nanoseconds) {
    restartTime += length
  }

  mutating func finish(_ end: TripEnd, at now: Nanoseconds, in world: TripWorld) {
    self.end = end
    endedAt = now
    saved = (durableInTime ?? world.start).total - world.start.total
    savedLate = world.durable.total - world.start.total - saved
    lost = world.complete.total - world.durable.total + cut
    idle = now - computed - cut - checkpointTime - standstillTime - restartTime
    gap = computed + cut - saved - savedLate - lost
    unused = max(0, world.deadline - now)
    past = max(0, now - world.deadline)
    // A process that ends exactly at its deadline has kept it; one that is killed there has not.
    if world.isForetold, now > world.deadline || end == .killed {
      overrun = past
    }
    if let warnedAt, world.complete != world.start {
      expiryToDurable = lastDurableAt.map { max(0, $0 - warnedAt) }
    }
    let account = self
    life?.finish(account)
  }
}

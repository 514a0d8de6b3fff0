/// One trip in virtual time: the clock, the one processor, the disk, and the account that
/// strategies are judged by.
///
/// While a checkpoint is written the work stands still, a chunk that was begun included, as in the
/// literature that the rules are from. Whatever is durable when the process ends is what the next
/// trip goes on from.
package final class TripWorld {
  /// A chunk on the processor.
  struct RunningChunk {
    var beganAt: Nanoseconds
    /// What it still takes.
    var left: Nanoseconds
    /// Since when it runs; nil while a checkpoint or a standstill holds it up.
    var runsSince: Nanoseconds?
    var ran: Nanoseconds = 0
  }

  /// A checkpoint that is being written.
  struct RunningCheckpoint {
    var beganAt: Nanoseconds
    var endsAt: Nanoseconds
    var state: WorkState
    /// What stood still meanwhile.
    var stoodStill: Nanoseconds = 0
  }

  package let trip: Trip
  package let work: Work
  /// The time since the trip's beginning.
  package internal(set) var now: Nanoseconds = 0
  /// What is complete, in this process or before it.
  package internal(set) var complete: WorkState
  /// What is durable.
  package internal(set) var durable: WorkState
  /// What the job had when the trip began.
  let start: WorkState
  private var checkpointsBegun = 0
  /// What the last complete chunk took, and the last durable checkpoint.
  package internal(set) var lastChunk: Nanoseconds = 0
  package internal(set) var lastCheckpoint: Nanoseconds = 0
  /// When a checkpoint was last begun.
  package private(set) var savingBegan: Nanoseconds?
  /// The end as far as it was told.
  package internal(set) var toldDeadline: Nanoseconds?
  /// The true deadline and the true end; standstills can move them.
  var deadline: Nanoseconds
  /// The end without any revocation, as a warning tells it.
  var planned: Nanoseconds
  var enforced: Nanoseconds
  var chunk: RunningChunk?
  var checkpoint: RunningCheckpoint?
  var wakeAt: Nanoseconds?
  var isOver = false
  var standstill: Trip.Standstill?
  var warning: Nanoseconds?
  var notice: Nanoseconds?
  var move: Trip.Move?
  /// How long the process takes to start and load, because the one before was killed.
  let restart: Nanoseconds
  /// The work of the whole job; nil if nobody asks when it is done.
  let goal: Nanoseconds?
  /// Whether the process came to run.
  var hasBegun = false
  /// Whether what was just told is another end than the one that was told before.
  package internal(set) var isEndNews = false
  package internal(set) var account: TripAccount

  /// Whether the processor is free.
  package var isIdle: Bool { chunk == nil && checkpoint == nil }
  /// Whether a chunk was begun and is not complete.
  package var isComputing: Bool { chunk != nil }
  /// Whether a checkpoint is being written.
  package var isSaving: Bool { checkpoint != nil }
  /// The complete work that is not durable.
  package var inHand: Nanoseconds { complete.total - durable.total }
  /// How long the running chunk ran.
  package var chunkRan: Nanoseconds {
    guard let chunk else { return 0 }
    return chunk.ran + (chunk.runsSince.map { now - $0 } ?? 0)
  }
  /// How the next chunk's cost is expected to be beside the mean.
  package var nextNominal: Double { work.workload.nominal(complete.position) }
  /// What is left before the end as far as it was told; nil if it was not.
  package var remaining: Nanoseconds? { toldDeadline.map { max(0, $0 - now) } }

  /// Whether the true end was told before it came, to a process that could hear it.
  package var isForetold: Bool { hasBegun && trip.isForetold }

  /// Creates the world of a trip that goes on from what is durable.
  package init(
    trip: Trip, work: Work, from state: WorkState, restart: Nanoseconds = 0,
    goal: Nanoseconds? = nil, isRecording: Bool = false
  ) {
    self.trip = trip
    self.work = work
    start = state
    complete = state
    durable = state
    toldDeadline = trip.announced
    deadline = trip.deadline
    planned = trip.grant
    enforced = trip.enforced
    standstill = trip.standstill
    warning = trip.warned
    notice = trip.notice
    move = trip.move
    self.restart = restart
    self.goal = goal
    account = TripAccount(trip: trip, isRecording: isRecording)
  }

  // MARK: What a worker can do

  /// Begins the next chunk.
  package func startChunk() {
    precondition(!isOver && chunk == nil, "a chunk begins on a processor that is taken")
    let ordinal = complete.position - start.position
    let time = work.chunk(at: complete.position, trip: trip.number, ordinal: ordinal)
    chunk = RunningChunk(beganAt: now, left: time, runsSince: checkpoint == nil ? now : nil)
  }

  /// Gives the running chunk up: it is as if it had never begun.
  package func giveUpChunk() {
    if !isOver { cutChunk() }
  }

  /// Makes the newest complete state durable; a running chunk stands still meanwhile.
  package func startCheckpoint() {
    precondition(!isOver && checkpoint == nil, "two checkpoints at once")
    pauseChunk()
    let length = work.checkpoint(
      trip: trip.number, ordinal: checkpointsBegun, holding: complete.total)
    checkpointsBegun += 1
    savingBegan = now
    checkpoint = RunningCheckpoint(beganAt: now, endsAt: now + length, state: complete)
  }

  /// Asks to be woken, in place of an earlier request.
  package func wake(at instant: Nanoseconds?) {
    wakeAt = instant
  }

  /// Ends the task, after what closing takes.
  package func end() {
    guard !isOver else { return }
    cutAll()
    let closing = Nanoseconds(seconds: work.workload.closingSeconds)
    if now + closing > enforced {
      now = enforced
      finish(.killed)
    } else {
      now += closing
      finish(.inOrder)
    }
  }

  /// Ends the process as a hard stop does.
  package func terminate() {
    if !isOver { killed() }
  }

  /// The process is gone; one that stood still when its end came could not have known of it.
  func killed() {
    cutAll()
    finish(isForetold ? .killed : .gone)
  }

  // MARK: The account

  func pauseChunk() {
    guard let since = chunk?.runsSince else { return }
    chunk?.ran += now - since
    chunk?.left -= now - since
    chunk?.runsSince = nil
  }

  private func cutChunk() {
    pauseChunk()
    guard let cut = chunk.take() else { return }
    account.chunkCut(cut, index: complete.position, at: now)
  }

  private func cutAll() {
    cutChunk()
    if let cut = checkpoint.take() { account.checkpointEnded(cut, at: now, isDurable: false) }
  }

  func finish(_ end: TripEnd) {
    isOver = true
    account.finish(end, at: now, in: self)
  }
}

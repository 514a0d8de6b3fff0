/// One worker's life: registers its task, runs chunks, saves, ends its task, registers again.
///
/// A pure machine: every event carries its moment, every function returns what the driver has to
/// do. Two lanes run side by side, chunks on one and checkpoints on the other, because a state is
/// immutable (W14): an expiry can save the newest complete state while the chunk that started from
/// it still runs.
///
/// `docs/machines/worker.md` has every event in every phase, as the tests run them.
package struct WorkerMachine: Hashable, Sendable {
  /// The worker's numbers.
  package var policy: WorkPolicy { fitTest.policy }
  let lead: Duration
  let budget: Duration?
  /// Where between half an interval and a whole one the first periodic checkpoint of a stint lies.
  let stagger: Double
  /// Where the worker stands.
  package internal(set) var phase = Phase.idle
  var registration = WorkerRegistration()
  var running = RunningWork()
  var work: WorkInHand
  var ends = EndRequests()
  var stint: StintTally?
  var fitTest: FitTest
  /// How late wake-ups come here.
  var lateness: WakeLateness
  /// When periodic checkpoints are due.
  var schedule: CheckpointSchedule
  var doubts: StintDoubts

  /// Creates a machine that has not started.
  ///
  /// - Parameters:
  ///   - policy: The worker's numbers.
  ///   - lead: How long before the deadline handlers are called, for near misses (W12).
  ///   - outlook: The outlook of the state to start from.
  ///   - restored: The job's own time up to that state if it was read from a checkpoint, else nil.
  ///   - budget: The time that a trip is granted in full; nil if it is unlimited.
  ///   - fruitlessStints: Stints in a row before this process that saved nothing new for want of
  ///     time (W13).
  ///   - history: What earlier stints of the job have shown.
  ///   - stagger: A number from 0 to 1 that differs between jobs, so that those that start together
  ///     do not all commit at the same moment; see ``CheckpointSchedule/firstInterval(stagger:)``.
  package init(
    policy: WorkPolicy, lead: Duration, outlook: Outlook, restored: Duration?,
    budget: Duration? = nil,
    fruitlessStints: Int = 0, history: WorkHistory = WorkHistory(), stagger: Double = 1
  ) {
    self.lead = lead
    self.stagger = stagger
    self.budget = budget
    work = WorkInHand(outlook: outlook, restored: restored)
    doubts = StintDoubts(
      fruitlessStints: fruitlessStints, history: history, policy: policy)
    fitTest = FitTest(policy: policy)
    lateness = WakeLateness(window: policy.wakeWindow)
    schedule =
      policy.checkpointEvery.map { .every($0) }
      ?? CheckpointSchedule(policy: policy.checkpointSchedule)
    schedule.observed(ran: history.ran, suddenEnds: history.suddenEnds)
    for chunk in history.chunks {
      fitTest.chunkTook(chunk.took, cost: chunk.cost, isCut: chunk.isCut)
    }
    fitTest.chunksAreInherited()
    // In virtual time a commit takes none, which says nothing of later ones.
    for checkpoint in history.checkpoints where checkpoint.took > .zero {
      fitTest.checkpointTook(
        checkpoint.took, bytes: checkpoint.bytes, isCut: checkpoint.isCut)
      if !checkpoint.isCut { schedule.checkpointCompleted(cost: checkpoint.took) }
    }
  }
}

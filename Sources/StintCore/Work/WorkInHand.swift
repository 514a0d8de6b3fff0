/// How far the work is, and how much of it is durable.
struct WorkInHand: Hashable, Sendable {
  /// The outlook of the newest complete state.
  private(set) var outlook: Outlook
  /// The index of the newest complete state; every chunk adds one.
  private(set) var current = 0
  /// The index of the newest durable state, nil if there has never been one.
  private(set) var durable: Int?
  /// The job's own time up to the newest complete state.
  private(set) var workTime: Duration
  /// The job's own time up to the newest durable state.
  private(set) var durableWorkTime: Duration
  /// How far the newest durable state is.
  private(set) var durableProgress: WorkProgress
  /// When the newest durable state became so, or when the work began.
  private(set) var savedAt: Instant?
  /// When a checkpoint was last begun.
  private(set) var saveTriedAt: Instant?
  private(set) var failedSaves = 0

  init(outlook: Outlook, restored: Duration?) {
    self.outlook = outlook
    durable = restored == nil ? nil : 0
    workTime = restored ?? .zero
    durableWorkTime = restored ?? .zero
    durableProgress =
      restored == nil ? WorkProgress(fraction: 0, phase: outlook.progress.phase) : outlook.progress
  }

  /// Whether nothing is lost when the process ends now: the newest complete state is durable, or it
  /// is the very first, which needs no checkpoint.
  var isDurable: Bool { durable == current || (durable == nil && current == 0) }

  /// The work time that would be lost.
  var unsaved: Duration { workTime - durableWorkTime }

  mutating func began(at now: Instant) { savedAt = now }

  mutating func chunkFinished(took: Duration, outlook: Outlook, isTrial: Bool) {
    self.outlook = outlook
    if isTrial { return }
    current += 1
    workTime += took
  }

  mutating func saveBegan(at now: Instant) { saveTriedAt = now }

  /// The save is durable; `checkpointBytes` is what another checkpoint of the state would take.
  mutating func saved(_ done: RunningWork.Save, checkpointBytes: Int?, at now: Instant) {
    if let checkpointBytes, done.state == current { outlook.checkpointBytes = checkpointBytes }
    durable = done.state
    durableWorkTime = done.workTime
    durableProgress = done.progress
    savedAt = now
    failedSaves = 0
  }

  mutating func saveFailed(at now: Instant) {
    failedSaves += 1
    saveTriedAt = now
  }

  /// The result is durable, and with it all of the work.
  mutating func resultIsDurable() {
    durable = current
    durableWorkTime = workTime
  }
}

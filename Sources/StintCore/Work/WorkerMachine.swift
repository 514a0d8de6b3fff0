/// One worker's life: registers its task, runs chunks, saves, ends its task, registers again.
///
/// A pure machine: every event carries its moment, every function returns what the driver has to do. Two lanes run
/// side by side, chunks on one and checkpoints on the other, because a state is immutable (W14): an expiry can save
/// the newest complete state while the chunk that started from it still runs.
///
/// `docs/machines/worker.md` has every event in every phase, as the tests run them.
public struct WorkerMachine: Hashable, Sendable {
  /// The worker's hold on the system.
  enum Registration: Hashable, Sendable {
    /// No task, and none was asked for.
    case none
    /// Asked for, not answered.
    case pending
    /// Asked for, and expired before the answer was heard: a grant that comes is spent already.
    case pendingSpent
    /// Granted and valid.
    case held(BackgroundTaskIdentifier)
    /// Its expiry was announced; it must still be ended (A17).
    case spent(BackgroundTaskIdentifier)

    /// The task that must be ended, if any.
    var task: BackgroundTaskIdentifier? {
      switch self {
      case .none, .pending, .pendingSpent: nil
      case .held(let task), .spent(let task): task
      }
    }
  }

  /// The chunk on the compute lane.
  struct RunningChunk: Hashable, Sendable {
    var startedAt: Instant
    /// How long before the end it is given up, if the fit test says more than the quantile of a checkpoint does.
    var reserve: Duration?
    var isGivenUp = false
  }

  /// The checkpoint on the save lane.
  struct RunningSave: Hashable, Sendable {
    /// The index of the state that is being saved.
    var state: Int
    var startedAt: Instant
    var predicted: Duration
    /// Whether it was begun with so little time left that it is only heard of if it is short.
    var isHurried: Bool
    var bytes: Int
    var workTime: Duration
    var progress: WorkProgress
  }

  /// The result on its way to where it belongs, on the compute lane.
  enum Delivery: Hashable, Sendable {
    case none
    /// Outlives the stint that began it, if that is cut.
    case running
    /// The result is durable under its final name.
    case done
  }

  /// A requested stop.
  struct StopRequest: Hashable, Sendable {
    var reason: ExpiryReason
    var mode: StopMode
  }

  /// The numbers of this stint.
  struct StintAccount: Hashable, Sendable {
    var beganAt: Instant
    var workTimeAtBegin: Duration
    var chunks = 0
    var checkpoints = 0
    /// Whether a chunk made a part of the result durable by itself.
    var keptProgress = false
    var wasCut = false
    /// Whether the measurements of chunks showed in it a step that fits no stint.
    var isDoubtful = false
    var expiryAnnounced: ExpiryReason?
    /// Since when there can be work that is not durable, if all was when the stint began; a rest before it does not count.
    var cleanAt: Instant?
  }

  /// The worker's numbers.
  public var policy: WorkPolicy { fitTest.policy }
  let lead: Duration
  let budget: Duration?
  /// Where between half an interval and a whole one the first periodic checkpoint of a stint lies.
  let stagger: Double
  /// Where the worker stands.
  public internal(set) var phase = Phase.idle
  var registration = Registration.none
  /// A spent task that still holds while another one is asked for: without any the application
  /// would be suspended (A15).
  var predecessor: BackgroundTaskIdentifier?
  var chunk: RunningChunk?
  var save: RunningSave?
  var delivery = Delivery.none
  var stop: StopRequest?
  var pauseRequested = false
  var stint: StintAccount?
  var fitTest: FitTest
  /// How late wake-ups come here.
  var lateness: WakeLateness
  /// So many wake-ups of this stint are still asked for only to learn from them.
  var probesLeft = 0
  /// When periodic checkpoints are due.
  var schedule: CheckpointSchedule
  var isInForeground = true

  /// The outlook of the newest complete state.
  var outlook: Outlook
  /// The index of the newest complete state; every chunk adds one.
  var current = 0
  /// The index of the newest durable state, nil if there has never been one.
  var durable: Int?
  /// The job's own time up to the newest complete state.
  var workTime: Duration
  /// The job's own time up to the newest durable state.
  var durableWorkTime: Duration
  /// How far the newest durable state is.
  var durableProgress: WorkProgress
  /// When the newest durable state became so, or when the work began.
  var savedAt: Instant?
  /// When a checkpoint was last begun.
  var saveTriedAt: Instant?
  var failedSaves = 0
  /// What ended the work, while the last state is still being saved.
  var failure: StintError?
  /// Stints in a row by whose measurements a step fits no stint, those of earlier processes
  /// included (W2).
  var doubtfulStints: Int
  /// What chunks took since the last such stint.
  var pace: CostEstimator
  /// Stints in a row that saved nothing new for want of time, those of earlier processes included (W13).
  var fruitlessStints: Int

  /// Creates a machine that has not started.
  ///
  /// - Parameters:
  ///   - policy: The worker's numbers.
  ///   - lead: How long before the deadline handlers are called, for near misses (W12).
  ///   - outlook: The outlook of the state to start from.
  ///   - restored: The job's own time up to that state if it was read from a checkpoint, else nil.
  ///   - budget: The time that a trip is granted in full; nil if it is unlimited.
  ///   - fruitlessStints: Stints in a row before this process that saved nothing new for want of time (W13).
  ///   - history: What earlier stints of the job have shown.
  ///   - stagger: A number from 0 to 1 that differs between jobs, so that those that start together do not all commit at
  ///     the same moment; see ``CheckpointSchedule/firstInterval(stagger:)``.
  public init(
    policy: WorkPolicy, lead: Duration, outlook: Outlook, restored: Duration?,
    budget: Duration? = nil,
    fruitlessStints: Int = 0, history: WorkHistory = WorkHistory(), stagger: Double = 1
  ) {
    self.lead = lead
    self.stagger = stagger
    self.budget = budget
    self.fruitlessStints = fruitlessStints
    doubtfulStints = history.doubtfulStints
    pace = CostEstimator(policy: policy, leastSample: policy.leastChunkSample)
    self.outlook = outlook
    fitTest = FitTest(policy: policy)
    lateness = WakeLateness(window: policy.wakeWindow)
    schedule =
      policy.checkpointEvery.map { .every($0) }
      ?? CheckpointSchedule(policy: policy.checkpointSchedule)
    schedule.observed(ran: history.ran, suddenEnds: history.suddenEnds)
    for checkpoint in history.checkpoints {
      fitTest.checkpointTook(checkpoint.took, bytes: checkpoint.bytes)
      schedule.checkpointCompleted(cost: checkpoint.took)
    }
    durable = restored == nil ? nil : 0
    workTime = restored ?? .zero
    durableWorkTime = restored ?? .zero
    durableProgress =
      restored == nil ? WorkProgress(fraction: 0, phase: outlook.progress.phase) : outlook.progress
  }

  /// Whether nothing is lost when the process ends now: the newest complete state is durable, or it is the very first, which
  /// needs no checkpoint.
  var isDurable: Bool { durable == current || (durable == nil && current == 0) }
}

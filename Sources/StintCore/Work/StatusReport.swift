/// What a worker says of itself at a tick (W3).
public struct StatusReport: Hashable, Sendable {
  /// What the worker is doing.
  public enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// The system has not answered yet whether it grants a task; nothing has run in this stint.
    case registering
    /// A chunk is running.
    case running
    /// Nothing new is started; a checkpoint is being made durable.
    case saving
    /// The stint is over; the next one begins when the system grants it.
    case waiting
    /// Paused on request.
    case paused
    /// The result is durable.
    case finished
  }

  /// What the worker is doing.
  public var state: State
  /// How far the work is.
  public var progress: WorkProgress
  /// How much time is left before the system stops the work.
  public var remaining: RemainingTime
  /// How long until the next checkpoint is due, or nil when none is planned.
  public var nextCheckpointIn: Duration?
  /// How old the newest durable checkpoint is, or nil before the first.
  public var checkpointAge: Duration?
  /// How much work time the rest is expected to take, or nil before anything is learnt.
  public var estimateToFinish: Duration?
  /// The share of the whole work that is done in a second, or nil before anything is learnt.
  public var speed: Double?
  /// Which stint of the job this is, counted from 1.
  public var stint: Int
  /// The job's own time: the sum over its stints of the work that was kept (W10).
  public var workTime: Duration
  /// The time since this process took the job up (W10).
  public var elapsed: Duration

  /// Creates a report.
  public init(
    state: State, progress: WorkProgress, remaining: RemainingTime,
    nextCheckpointIn: Duration? = nil, checkpointAge: Duration? = nil,
    estimateToFinish: Duration? = nil, speed: Double? = nil, stint: Int = 1,
    workTime: Duration = .zero, elapsed: Duration = .zero
  ) {
    self.state = state
    self.progress = progress
    self.remaining = remaining
    self.nextCheckpointIn = nextCheckpointIn
    self.checkpointAge = checkpointAge
    self.estimateToFinish = estimateToFinish
    self.speed = speed
    self.stint = stint
    self.workTime = workTime
    self.elapsed = elapsed
  }
}

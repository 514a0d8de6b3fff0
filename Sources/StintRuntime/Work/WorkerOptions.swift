public import StintCore

/// How a worker runs, beside what decides its result.
public struct WorkerOptions: Sendable {
  /// The name of the worker's task (A2).
  public var taskName = "stint worker"
  /// The time between two reports (W3).
  public var tick: Duration = .milliseconds(500)
  /// How many threads a chunk may use.
  public var threads = 1
  /// The worker's numbers.
  public var policy = WorkPolicy()
  /// Called at every tick and at every change, on a thread of its own (W3).
  public var onReport: (@Sendable (StatusReport) -> Void)?
  /// Called with what the user should know, on the same thread as ``onReport``.
  public var onNotice: (@Sendable (WorkerNotice) -> Void)?
  /// Called once, on the compute thread, when the state is loaded and the task was asked for, or
  /// when that failed.
  public var onLoaded: (@Sendable () -> Void)?
  /// Called once with the outcome, after the last report and on the same thread.
  public var onEnd: (@Sendable (WorkerOutcome) -> Void)?

  /// Whether the application is in the background for this worker alone, so that a trip ends with
  /// its stint.
  package var ownsTrip = false
  /// Makes the record of the end from the job's work time, for who knows more of the result, and
  /// whether it is still there; nil keeps none.
  package var finishRecord: (@Sendable (Duration) -> JournalEvent?)?

  /// Creates the default options.
  public init() {}
}

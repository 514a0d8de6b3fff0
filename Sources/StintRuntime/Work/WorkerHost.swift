package import StintCore

/// What a worker needs of the system that it runs under: real, supervised or virtual.
package protocol WorkerHost: AnyObject, Sendable {
  /// The end of the granted time at this moment; nil while it is unlimited.
  var deadline: Instant? { get }
  /// Whether the application is in the foreground.
  var isInForeground: Bool { get }
  /// The time that a trip is granted in full, nil without an end, and its lead.
  var grant: (budget: Duration?, lead: Duration) { get }
  /// When the present trip ends, and whose word that is; nil without an end.
  var tripEnd: Deadline? { get }
  /// The number of the grant of time in which a worker has one stint, counted from 1; nil in the
  /// foreground and once the trip is over.
  var trip: Int? { get }
  /// Why the process was asked to stop; nil if it was not.
  var stopReason: ExpiryReason? { get }
  /// The one clock.
  var now: Instant { get }
  /// How long the whole machine was suspended since it was booted.
  var machineSuspended: Duration { get }

  /// Asks for a task whose expiry is handed over directly. The answer comes through the client,
  /// possibly before this returns.
  func requestTask(named name: String, for client: any WorkerHostClient)
  /// Keeps the application from being suspended until the result is called or the time is up.
  func hold(named name: String) -> @Sendable () -> Void
  /// Ends a task.
  func endTask(_ task: BackgroundTaskIdentifier)
  /// Takes the application to the background for a stint: a trip that lasts is used, one that is
  /// over is followed by another. Where another process grants the time, that one decides.
  ///
  /// - Parameter prepare: Called before a new trip begins, when a task can be begun.
  func enterTrip(_ prepare: () -> Void)
  /// Ends the trip as soon as no task holds the application.
  func idle()
  /// Begins to tell the client of changes of state.
  func attach(_ client: any WorkerHostClient)
  /// Stops telling the client anything.
  func detach(_ client: any WorkerHostClient)
  /// Makes a timer.
  func makeTimer() -> any WorkerTimer
  /// Makes a lane.
  ///
  /// - Parameters:
  ///   - name: The lane's name.
  ///   - isPrompt: Whether it works briefly and must be woken soon among busy threads; false for
  ///     long computations.
  /// - Returns: The lane.
  func makeLane(named name: String, isPrompt: Bool) -> any WorkerLane
}

extension WorkerHost {
  /// No trip is told apart from another.
  package var trip: Int? { nil }
  /// Nobody asks this process to stop.
  package var stopReason: ExpiryReason? { nil }
}

/// What a host tells a worker.
///
/// Calls come on any thread, never under a lock, and return at once.
package protocol WorkerHostClient: AnyObject, Sendable {
  /// The answer to a request for a task.
  func taskAnswered(_ answer: TaskGrant)
  /// The worker's task expires.
  func taskExpired(_ reason: ExpiryReason)
  /// The deadline came nearer.
  func deadlineMoved()
  /// The deadline is later; an expiry that was announced still holds.
  func deadlineExtended()
  /// The application became active.
  func applicationBecameActive()
  /// The application entered the background.
  func applicationEnteredBackground()
  /// The whole process, a running chunk included, stood still for so long and goes on now.
  func wasStopped(for duration: Duration)
  /// The application was suspended.
  func applicationSuspended()
  /// The process was asked to stop.
  func stopWasRequested(_ reason: ExpiryReason)
  /// Memory is short (L10).
  func memoryIsShort()
}

/// A timer that can be set again and again.
package protocol WorkerTimer: AnyObject, Sendable {
  /// Calls the body when the instant has come, on the timers' thread, in place of what was set
  /// before; nil for no call.
  func set(_ instant: Instant?, _ body: @escaping @Sendable () -> Void)
}

extension WorkerTimer {
  /// Calls nothing any more.
  func stop() { set(nil) {} }
}

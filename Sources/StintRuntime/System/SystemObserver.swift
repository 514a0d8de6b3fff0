package import StintCore

/// What a system reports to a worker.
package enum SystemEvent: Hashable, Sendable {
  /// The authority in another process answered for a task whose grant was pending.
  case answered(BackgroundTaskIdentifier, TaskAnswer)
  /// A task that is delivered directly has to be ended before the deadline.
  case expired(BackgroundTaskIdentifier, ExpiryReason, deadline: Instant)
  /// The deadline came nearer than owners of tasks count on.
  case deadlineMoved(to: Instant)
  /// The deadline is later; tasks that were expired stay so.
  case deadlineExtended(to: Instant)
  /// Code now sees this state.
  case stateChanged(ApplicationState)
  /// The application is suspended: nothing of the worker may run.
  case suspended
  /// The application runs again after a suspension.
  case resumed
  /// The application became active (W5).
  case becameActive
  /// A stop was requested and the last task is ended: the process may go.
  case stopCompleted
  /// The application is about to be ended in order.
  case terminating
  /// Memory is short (L10).
  case memoryIsShort
  /// The user or the system decided otherwise about work in the background (L11).
  case refreshStatusChanged(BackgroundRefreshStatus)
  /// The process was to be terminated, which was only reported: nothing runs any more.
  case terminated
}

/// Is told what the system does, on the acting thread, outside every lock; it must return quickly.
package protocol SystemObserver: AnyObject, Sendable {
  /// Whether it does something where memory is short; only then the kernel is asked (L10).
  var hearsOfMemory: Bool { get }

  /// Something happened.
  func systemDid(_ event: SystemEvent)
}

extension SystemObserver {
  package var hearsOfMemory: Bool { false }
}

/// What happens when the application has been suspended (A15).
public enum SuspensionFollowUp: Hashable, Sendable {
  /// Nothing: code that is not Stint's goes on.
  case park
  /// The process exits with this status.
  case exit(Int32)
  /// After this time the application goes to the foreground and back for another trip.
  case rest(Duration)
  /// The process stops until it is continued, as by a supervisor at the next budget (or after a
  /// SIGTSTP).
  case stop
}

/// Tells transitions to a delegate and to notification observers, on the main queue only (L2).
package protocol TransitionTeller: AnyObject, Sendable {
  /// Whether there is a delegate; only a delegate is held to the return of didEnterBackground (L4).
  var hasDelegate: Bool { get }

  /// Whether a delegate or an observer could hear that memory is short (L10).
  var hearsOfMemory: Bool { get }

  /// Runs a body in a later turn of the process's main queue, as observers need it.
  func onMainQueue(_ body: @escaping @MainActor @Sendable () -> Void)

  /// Tells the delegate, then posts the notification.
  @MainActor func tell(_ transition: Transition)

  /// The same for what is no step of the application's life.
  @MainActor func tell(_ news: ApplicationNews)
}

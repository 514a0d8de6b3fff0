/// What an expiration handler of the typed form is told (A18).
public struct Expiry: Hashable, Sendable {
  /// The task whose time is up.
  public var task: BackgroundTaskIdentifier
  /// Why.
  public var reason: ExpiryReason
  /// When the process is terminated if the task is still open; `.distantFuture` for never.
  public var deadline: Instant

  /// Creates an expiry.
  ///
  /// - Parameters:
  ///   - task: The task whose time is up.
  ///   - reason: Why.
  ///   - deadline: When the process is terminated if the task is still open.
  public init(task: BackgroundTaskIdentifier, reason: ExpiryReason, deadline: Instant) {
    self.task = task
    self.reason = reason
    self.deadline = deadline
  }
}

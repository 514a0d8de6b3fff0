/// The answer of the typed form of begin (A4).
public enum TaskGrant: Hashable, Sendable {
  /// The task is open under this identifier.
  ///
  /// Where another process grants, the answer may still follow: a later no is one expiry with the
  /// reason `denied`.
  case granted(BackgroundTaskIdentifier)
  /// There is no task.
  case denied(DenialReason)

  /// The task's identifier; `.invalid` when it was denied.
  public var identifier: BackgroundTaskIdentifier {
    switch self {
    case .granted(let identifier): identifier
    case .denied: .invalid
    }
  }
}

/// What an authority in another process answers to a request (A4).
public enum TaskAnswer: Hashable, Sendable {
  /// The task holds.
  case granted
  /// The task does not hold.
  case denied(DenialReason)
}

/// What came of ending a task (A5, A7).
public enum EndResult: Hashable, Sendable {
  /// The task was open and is not any more; its handler will not be called.
  case ended
  /// The task was open and is not any more, but its handler is running or has run.
  case handlerAlreadyStarted
  /// The task had been ended before; nothing changed.
  case alreadyEnded
  /// There was never such a task; nothing changed.
  case unknown
}

/// How a worker is registered with the system.
struct WorkerRegistration: Hashable, Sendable {
  /// The worker's hold on the system.
  enum Hold: Hashable, Sendable {
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
  }

  private(set) var hold = Hold.none
  private(set) var isInForeground = true

  mutating func asked() { hold = .pending }

  mutating func granted(_ task: BackgroundTaskIdentifier) {
    hold = hold == .pendingSpent ? .spent(task) : .held(task)
  }

  mutating func denied() { hold = .none }

  mutating func expired() {
    switch hold {
    case .held(let task), .spent(let task): hold = .spent(task)
    case .pending: hold = .pendingSpent
    case .none, .pendingSpent: break
    }
  }

  /// Lets go of the task.
  ///
  /// - Returns: The task that must be ended, if any.
  mutating func ended() -> BackgroundTaskIdentifier? {
    switch hold {
    case .none, .pending, .pendingSpent:
      return nil
    case .held(let task), .spent(let task):
      hold = .none
      return task
    }
  }

  mutating func applicationMoved(toForeground isInForeground: Bool) {
    self.isInForeground = isInForeground
  }
}

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
  /// A spent task that still holds while another one is asked for: without any the application
  /// would be suspended (A15).
  private(set) var predecessor: BackgroundTaskIdentifier?
  private(set) var isInForeground = true

  mutating func asked() { hold = .pending }

  /// Another task is asked for beside the one that is spent, if one is.
  mutating func askedForSuccessor() -> Bool {
    guard case .spent(let task) = hold else { return false }
    (predecessor, hold) = (task, .pending)
    return true
  }

  /// The task was granted; what it follows must be ended.
  mutating func granted(_ task: BackgroundTaskIdentifier) -> BackgroundTaskIdentifier? {
    hold = hold == .pendingSpent ? .spent(task) : .held(task)
    defer { predecessor = nil }
    return predecessor
  }

  /// Without another one, a spent task is still there.
  mutating func denied() {
    hold = predecessor.map { .spent($0) } ?? .none
    predecessor = nil
  }

  mutating func expired() {
    switch hold {
    case .held(let task), .spent(let task): hold = .spent(task)
    case .pending: hold = .pendingSpent
    case .none, .pendingSpent: break
    }
  }

  /// Lets go of all tasks, and says which must be ended.
  mutating func ended() -> [BackgroundTaskIdentifier] {
    defer { predecessor = nil }
    switch hold {
    case .none, .pending, .pendingSpent:
      return predecessor.map { [$0] } ?? []
    case .held(let task), .spent(let task):
      hold = .none
      return [task]
    }
  }

  mutating func applicationMoved(toForeground isInForeground: Bool) {
    self.isInForeground = isInForeground
  }
}

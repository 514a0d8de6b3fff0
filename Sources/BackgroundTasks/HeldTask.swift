import Stint

/// The system's task behind a ``BGTask``: it can be completed before its identifier is known,
/// because its time may be up while it is being begun.
final class HeldTask: Sendable {
  private enum State {
    case beginning
    case open(BackgroundTaskIdentifier)
    case completed
  }

  private let state = Protected(State.beginning)
  private let end: @Sendable (BackgroundTaskIdentifier) -> Void

  init(end: @escaping @Sendable (BackgroundTaskIdentifier) -> Void) {
    self.end = end
  }

  /// Whether it has not been completed.
  var isOpen: Bool {
    state.withLock { state in
      switch state {
      case .beginning, .open: true
      case .completed: false
      }
    }
  }

  /// Its identifier is known; a task that was completed meanwhile is ended now.
  func begun(_ identifier: BackgroundTaskIdentifier) {
    let isCompleted = state.withLock { state in
      switch state {
      case .beginning, .open:
        state = .open(identifier)
        return false
      case .completed: return true
      }
    }
    if isCompleted { end(identifier) }
  }

  /// It is done: the system's task is ended, once it is known.
  func complete() {
    let identifier = state.withLock { state -> BackgroundTaskIdentifier? in
      defer { state = .completed }
      switch state {
      case .beginning, .completed: return nil
      case .open(let identifier): return identifier
      }
    }
    if let identifier { end(identifier) }
  }
}

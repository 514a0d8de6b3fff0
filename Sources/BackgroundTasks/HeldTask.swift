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
    state.withLock { if case .completed = $0 { false } else { true } }
  }

  /// Its identifier is known; a task that was completed meanwhile is ended now.
  func begun(_ identifier: BackgroundTaskIdentifier) {
    let isCompleted = state.withLock { state in
      if case .completed = state { return true }
      state = .open(identifier)
      return false
    }
    if isCompleted { end(identifier) }
  }

  /// It is done: the system's task is ended, once it is known.
  func complete() {
    let former = state.withLock { exchange(&$0, with: .completed) }
    if case .open(let identifier) = former { end(identifier) }
  }
}

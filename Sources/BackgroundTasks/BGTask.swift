public import Foundation
import Stint

/// A task that the system has begun, and that has to be completed once.
///
/// Any thread may use it.
open class BGTask: NSObject, @unchecked Sendable {
  private struct State {
    var expirationHandler: (() -> Void)?
    var complete: (@Sendable (Bool) -> Void)?
    var isExpired = false
  }

  /// Names what is to be done.
  public let identifier: String
  private let state: Protected<State>

  init(_ identifier: String, complete: @escaping @Sendable (Bool) -> Void) {
    self.identifier = identifier
    state = Protected(State(complete: complete))
    super.init()
  }

  /// Called on the main queue when its time is nearly up; a task without one is then completed
  /// without success.
  open var expirationHandler: (() -> Void)? {
    get { state.withLock { $0.expirationHandler } }
    set { state.withLock { $0.expirationHandler = newValue } }
  }

  /// Says that the task is done; only the first call counts.
  ///
  /// - Parameter success: Whether it did what it should.
  open func setTaskCompleted(success: Bool) {
    let complete = state.withLock { state in
      state.expirationHandler = nil
      return state.complete.take()
    }
    complete?(success)
  }

  /// Its time is nearly up: its handler is called, once.
  func expire() {
    let handler = state.withLock { state -> (() -> Void)? in
      guard state.complete != nil, !state.isExpired else { return {} }
      state.isExpired = true
      return state.expirationHandler
    }
    if let handler { handler() } else { setTaskCompleted(success: false) }
  }
}

/// A short task, such as a refresh.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A task that takes minutes.
open class BGProcessingTask: BGTask, @unchecked Sendable {}

/// A task that was begun in the foreground, and shows its progress.
open class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
  /// How far it is.
  public let progress = Progress(totalUnitCount: 0)
}

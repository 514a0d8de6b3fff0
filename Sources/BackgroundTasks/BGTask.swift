public import Foundation
import Stint

/// A task that the system has begun, and that has to be completed once.
///
/// Any thread may use it.
open class BGTask: NSObject, @unchecked Sendable {
  private struct State {
    var expirationHandler: (() -> Void)?
    /// The system's task, once it is known: its time may be up while it is being begun.
    var task: BackgroundTaskIdentifier?
    /// Ends the system's task, once.
    var end: (@Sendable (BackgroundTaskIdentifier) -> Void)?
    var isExpired = false
    var isCompleted = false

    /// The end that is due, if there is one.
    mutating func takeEnd() -> (() -> Void)? {
      guard isCompleted, let task, let end = end.take() else { return nil }
      return { end(task) }
    }
  }

  /// Names what is to be done.
  public let identifier: String
  private let state: Protected<State>

  init(_ identifier: String, end: @escaping @Sendable (BackgroundTaskIdentifier) -> Void) {
    self.identifier = identifier
    state = Protected(State(end: end))
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
    let end = state.withLock { state in
      state.expirationHandler = nil
      state.isCompleted = true
      return state.takeEnd()
    }
    end?()
  }

  /// Whether it has not been completed.
  var isOpen: Bool { state.withLock { !$0.isCompleted } }

  /// The system's task is known; if this one was completed meanwhile, it is ended now.
  func begun(_ task: BackgroundTaskIdentifier) {
    let end = state.withLock { state in
      state.task = task
      return state.takeEnd()
    }
    end?()
  }

  /// Its time is nearly up: its handler is called, once.
  func expire() {
    let handler = state.withLock { state -> (() -> Void)? in
      guard !state.isCompleted, !state.isExpired else { return {} }
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
  private let words: Protected<(title: String, subtitle: String)>

  init(
    _ request: BGContinuedProcessingTaskRequest,
    end: @escaping @Sendable (BackgroundTaskIdentifier) -> Void
  ) {
    words = Protected((request.title, request.subtitle))
    super.init(request.identifier, end: end)
  }

  /// What is done, for people.
  open var title: String { words.withLock { $0.title } }
  /// More of it, for people.
  open var subtitle: String { words.withLock { $0.subtitle } }

  /// Says anew what is done.
  ///
  /// - Parameters:
  ///   - title: What is done, for people.
  ///   - subtitle: More of it, for people.
  open func updateTitle(_ title: String, subtitle: String) {
    words.withLock { $0 = (title, subtitle) }
  }
}

public import Foundation
import Stint
import StintCore

/// A task that the system has begun, and that has to be completed once.
///
/// Any thread may use it.
open class BGTask: NSObject, @unchecked Sendable {
  /// Names what is to be done.
  public let identifier: String
  private let task: ScheduledTask
  private let handler = Protected<(() -> Void)?>(nil)

  init(_ task: ScheduledTask) {
    identifier = task.identifier
    self.task = task
    super.init()
  }

  /// Called on the main queue when its time is nearly up; a task without one is then completed
  /// without success.
  open var expirationHandler: (() -> Void)? {
    get { handler.withLock { $0 } }
    set {
      if task.isCompleted { return }
      // The former one is released outside of the lock: what it holds may be anything.
      let before = handler.withLock { exchange(&$0, with: newValue) }
      withExtendedLifetime(before) {}
      guard newValue != nil else { return task.expirationHandler = nil }
      // It is asked for when it is called: it may be another one by then.
      task.expirationHandler = { [handler] _ in
        let present = handler.withLock { $0 }
        present?()
      }
    }
  }

  /// Says that the task is done; only the first call counts.
  ///
  /// - Parameter success: Whether it did what it should.
  @_disfavoredOverload
  open func setTaskCompleted(success: Bool) {
    complete(success, .unknown)
  }

  /// Says that the task is done, and remembers where that was; a second call changes nothing and
  /// makes a diagnostic that names both places.
  ///
  /// - Parameters:
  ///   - success: Whether it did what it should.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  public final func setTaskCompleted(
    success: Bool, function: String = #function, file: String = #fileID, line: UInt = #line
  ) {
    complete(success, TaskOrigin(function: function, file: file, line: line))
  }

  private func complete(_ success: Bool, _ origin: TaskOrigin) {
    let before = handler.withLock { exchange(&$0, with: nil) }
    withExtendedLifetime(before) {}
    task.complete(success ? .newData : .failed) { origin }
  }

  /// Lets the scheduler ask how far the task is.
  fileprivate func readProgress(_ fraction: @escaping @Sendable () -> Double) {
    task.readProgress(fraction)
  }
}

/// A short task, such as a refresh.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A task that takes minutes.
open class BGProcessingTask: BGTask, @unchecked Sendable {}

/// A task that was begun in the foreground, shows its progress, and goes on while that moves.
open class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
  /// How far it is.
  public let progress = Progress(totalUnitCount: 0)
  private let words: Protected<(title: String, subtitle: String)>

  init(_ task: ScheduledTask, _ words: (title: String, subtitle: String)?) {
    self.words = Protected(words ?? ("", ""))
    super.init(task)
    readProgress { [progress] in progress.fractionCompleted }
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

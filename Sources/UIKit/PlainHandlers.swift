public import Foundation
public import Stint
import StintCore

/// Handlers and blocks that say nothing of actors, as much public code has them.
///
/// UIKit's own are of the main actor and sendable, which older code does not fulfil in Swift 6
/// mode. Both kinds are called on the main queue, so both are taken. The forms stand in a
/// protocol's extension: where a call fits both, those of the class are chosen.
public protocol PlainHandlerTaking {}

extension Application: nonisolated PlainHandlerTaking {}

extension PlainHandlerTaking where Self: Application {
  /// Asks the system not to suspend the application (A1).
  ///
  /// - Parameter handler: Called on the main queue shortly before the time is gone; it must end the
  ///   task.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  @_disfavoredOverload
  public nonisolated func beginBackgroundTask(
    expirationHandler handler: (() -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    begin(nil, onMainQueue(handler), .unknown)
  }

  /// Asks the system not to suspend the application, under a name (A2).
  ///
  /// - Parameters:
  ///   - taskName: The task's name, for people.
  ///   - handler: Called on the main queue shortly before the time is gone; it must end the task.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  @_disfavoredOverload
  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (() -> Void)? = nil
  ) -> BackgroundTaskIdentifier {
    begin(taskName, onMainQueue(handler), .unknown)
  }

  /// Asks the system not to suspend the application, and remembers where that was (A2).
  ///
  /// - Parameters:
  ///   - handler: Called on the main queue shortly before the time is gone; it must end the task.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  public nonisolated func beginBackgroundTask(
    expirationHandler handler: (() -> Void)? = nil,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> BackgroundTaskIdentifier {
    begin(nil, onMainQueue(handler), TaskOrigin(function: function, file: file, line: line))
  }

  /// Asks the system not to suspend the application, under a name, and remembers where that was
  /// (A2).
  ///
  /// - Parameters:
  ///   - taskName: The task's name, for people; nil for the calling function's.
  ///   - handler: Called on the main queue shortly before the time is gone; it must end the task.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: The task's identifier, or `.invalid` if running in the background is impossible
  ///   now.
  @preconcurrency
  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (() -> Void)? = nil,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> BackgroundTaskIdentifier {
    begin(taskName, onMainQueue(handler), TaskOrigin(function: function, file: file, line: line))
  }
}

/// A handler is called once, on the main queue, and by nobody else.
private func onMainQueue(_ handler: (() -> Void)?) -> (@MainActor @Sendable () -> Void)? {
  guard let handler else { return nil }
  nonisolated(unsafe) let body = handler
  return { body() }
}

extension NotificationCenter {
  /// Adds an observer whose block says nothing of actors.
  ///
  /// Code that observed by a selector on iOS has a block here. A name that is not optional makes
  /// this form the one that is chosen before Foundation's.
  ///
  /// - Parameters:
  ///   - name: What is observed.
  ///   - sender: Whose notifications; nil for everybody's.
  ///   - queue: Where the block is called; nil for the thread that posts.
  ///   - block: Called for each notification.
  /// - Returns: The observer, to be removed.
  @preconcurrency
  public func addObserver(
    forName name: NSNotification.Name, object sender: Any?, queue: OperationQueue?,
    using block: @escaping (Notification) -> Void
  ) -> any NSObjectProtocol {
    nonisolated(unsafe) let body = block
    guard queue === OperationQueue.main else {
      return addObserver(forName: Optional(name), object: sender, queue: queue) { body($0) }
    }
    // Foundation knows the main queue by the main thread alone. On another thread that serves it,
    // it would wait there for the main queue.
    return addObserver(forName: Optional(name), object: sender, queue: nil) { notification in
      if MainQueueMark.isHere { return body(notification) }
      nonisolated(unsafe) let notification = notification
      let call = BlockOperation { body(notification) }
      OperationQueue.main.addOperations([call], waitUntilFinished: true)
    }
  }
}

public import StintCore

extension Application {
  /// Asks for a task, and says why if there is none (A4).
  ///
  /// - Parameters:
  ///   - name: The task's name, for people; nil for the calling function's.
  ///   - handler: Called on the main queue shortly before the time is gone; nil for no warning
  ///     (A13).
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: The grant, or the reason for the denial.
  public nonisolated func beginTask(
    named name: String? = nil, onExpiry handler: (@MainActor @Sendable (Expiry) -> Void)?,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> TaskGrant {
    let origin = TaskOrigin(function: function, file: file, line: line)
    let handler = handler.map { TaskHandler.main($0) } ?? .none
    return driver.begin(named: name ?? "", origin: origin, handler: handler).grant
  }

  /// Asks for a task whose handler may suspend; it has returned when it finishes, or at the
  /// deadline (A12).
  ///
  /// - Parameters:
  ///   - name: The task's name, for people; nil for the calling function's.
  ///   - handler: Called on the main actor shortly before the time is gone.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: The grant, or the reason for the denial.
  public nonisolated func beginTask(
    named name: String? = nil,
    onExpiry handler: @escaping @MainActor @Sendable (Expiry) async -> Void,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> TaskGrant {
    let origin = TaskOrigin(function: function, file: file, line: line)
    return driver.begin(named: name ?? "", origin: origin, handler: .mainAsync(handler)).grant
  }

  /// Ends a task, and says what came of it (A5).
  ///
  /// - Parameters:
  ///   - identifier: The task.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: Whether the task was open and whether its handler had started.
  @discardableResult
  public nonisolated func endTask(
    _ identifier: BackgroundTaskIdentifier,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> EndResult {
    driver.end(identifier, origin: TaskOrigin(function: function, file: file, line: line))
  }
}

public import StintCore

/// Owns one task; when it goes away without having been ended, it ends the task and says so (A21).
public struct BackgroundTaskAssertion: ~Copyable, Sendable {
  /// The task.
  public let identifier: BackgroundTaskIdentifier
  private let name: String
  private let origin: TaskOrigin
  private let driver: SystemDriver
  private var isEnded = false

  /// Begins a task.
  ///
  /// - Parameters:
  ///   - application: The application to which the task belongs.
  ///   - name: The task's name, for people; nil for the calling function's.
  ///   - handler: Called on the main queue shortly before the time is gone.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Throws: ``StintError`` with the code `unavailable` and the reason if the task is denied.
  public init(
    _ application: Application, named name: String? = nil,
    onExpiry handler: (@MainActor @Sendable (Expiry) -> Void)?,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) throws(StintError) {
    origin = TaskOrigin(function: function, file: file, line: line)
    self.name = name ?? function
    driver = application.driver
    identifier = try driver.beginOrThrow(
      named: self.name, origin: origin, handler: handler.map { .main($0) } ?? .none)
  }

  /// Ends the task.
  ///
  /// - Returns: Whether the task was open and whether its handler had started.
  @discardableResult
  public consuming func end() -> EndResult {
    isEnded = true
    return driver.end(identifier, origin: origin)
  }

  deinit {
    if !isEnded {
      driver.environment.diagnose(.tokenDropped(name: name, origin: origin))
      driver.end(identifier, origin: origin, quietly: true)
    }
  }
}

extension SystemDriver {
  /// Begins a task for forms that cannot do without one.
  func beginOrThrow(
    named name: String, origin: TaskOrigin, handler: TaskHandler
  ) throws(StintError) -> BackgroundTaskIdentifier {
    switch begin(named: name, origin: origin, handler: handler).grant {
    case .granted(let identifier):
      return identifier
    case .denied(let reason):
      throw StintError(.unavailable, "The task \"\(name)\" was denied: \(reason).")
    }
  }
}

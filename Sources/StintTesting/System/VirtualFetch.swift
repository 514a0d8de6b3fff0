import Stint
public import StintCore

/// The single-use completion of a background fetch (B2), or of the events of a session.
public final class VirtualFetch: Sendable {
  /// What came of a fetch.
  public typealias Result = BackgroundFetchResult

  private let task: ScheduledTask

  init(_ task: ScheduledTask) {
    self.task = task
  }

  /// What was reported; nil before that.
  public var result: Result? { task.result }

  /// Reports that the fetch is over; a second call makes a diagnostic that names both places.
  ///
  /// Any thread may call it.
  ///
  /// - Parameters:
  ///   - result: What came of it.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  public func complete(
    _ result: Result, function: String = #function, file: String = #fileID, line: UInt = #line
  ) {
    task.complete(result) { TaskOrigin(function: function, file: file, line: line) }
  }
}

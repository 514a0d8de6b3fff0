public import Foundation
public import StintCore

extension WallInstant {
  /// Creates the instant of a date.
  ///
  /// - Parameter date: The date; one beyond the range of `Int64` in nanoseconds is brought into it.
  public init(_ date: Date) {
    self.init(nanoseconds: Duration(clampingSeconds: date.timeIntervalSince1970).nanoseconds)
  }
}

extension TaskRequest {
  /// Creates a request that waits for a date.
  ///
  /// - Parameters:
  ///   - identifier: Names what is to be done.
  ///   - kind: The kind of task.
  ///   - date: Before this date the task does not begin.
  public init(
    _ identifier: String, kind: ScheduledTaskKind = .refresh, earliestBegin date: Date
  ) {
    self.init(identifier, kind: kind, earliestBegin: WallInstant(date))
  }
}

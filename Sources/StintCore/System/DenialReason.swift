/// Why the system did not grant a task (A4).
public enum DenialReason: Hashable, Sendable {
  /// The application does not run (not launched yet, or terminating).
  case notRunning
  /// The application is suspended: the grace of the background is over.
  case suspended
  /// Less is left of the trip than the policy holds worth granting.
  case tooLittleTime(remaining: Duration, least: Duration)
  /// The policy's maximum of open tasks is reached.
  case tooManyTasks(maximum: Int)
  /// The expiry of this trip was already announced for a reason that allows no new work.
  case stopping
  /// The system that grants (a supervisor, an engine) refused, with its own words.
  case refused(String)
}

extension DenialReason: CustomStringConvertible {
  /// The reason as a clause with its numbers.
  public var description: String {
    switch self {
    case .notRunning: "the application is not running"
    case .suspended: "the application is suspended"
    case .tooLittleTime(let remaining, let least):
      "\(remaining.compactText) is left and less than \(least.compactText) is not worth granting"
    case .tooManyTasks(let maximum): "\(maximum) tasks are open, the maximum"
    case .stopping: "the application was asked to stop"
    case .refused(let words): words
    }
  }
}

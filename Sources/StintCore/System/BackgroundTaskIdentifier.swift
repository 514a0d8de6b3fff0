/// Names one task assertion of one application, from 1 upward, never reused within a process (A1).
public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number; 0 is ``invalid``.
  public var rawValue: Int

  /// Creates an identifier from its number.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The identifier of no task: running in the background is impossible.
  public static let invalid = BackgroundTaskIdentifier(rawValue: 0)
}

extension BackgroundTaskIdentifier: CustomStringConvertible {
  /// The number with a sign before it, or "invalid".
  public var description: String {
    self == .invalid ? "invalid" : "#\(rawValue)"
  }
}

/// What a program goes on with in the background without a task and without an end (B5).
///
/// The names are those of iOS's `UIBackgroundModes`; any other name is a mode too.
public struct BackgroundMode: RawRepresentable, Hashable, Sendable {
  /// The mode's name.
  public var rawValue: String

  /// Creates a mode.
  ///
  /// - Parameter rawValue: The mode's name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Something is played or recorded.
  public static let audio = Self(rawValue: "audio")
  /// Changes of a place are followed.
  public static let location = Self(rawValue: "location")
}

extension BackgroundMode: CustomStringConvertible {
  /// The mode's name.
  public var description: String { rawValue }
}

/// Why the system does not let a mode be used (B5).
public enum ModeRefusal: Error, Hashable, Sendable {
  /// The program has not declared it.
  case undeclared
  /// It is not permitted.
  case notPermitted
  /// The time has a limit that does not come from the policy alone: a budget, an engine, a
  /// supervisor, a quota that was taken back.
  case limited
  /// The application does not run (not launched yet, or terminating).
  case notRunning
  /// The application is suspended.
  case suspended
  /// The application was asked to stop.
  case stopping
}

extension ModeRefusal: CustomStringConvertible {
  /// The reason as a clause.
  public var description: String {
    switch self {
    case .undeclared: "the program has not declared it, so it is suspended like any other"
    case .notPermitted: "it is not permitted"
    case .limited: "the time has a limit of its own here, which no mode lifts"
    case .notRunning: "the application is not running"
    case .suspended: "the application is suspended"
    case .stopping: "the application was asked to stop"
    }
  }
}

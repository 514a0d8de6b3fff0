/// The state of the application that code can observe (L1).
///
/// Raw values are UIKit's.
public enum ApplicationState: Int, Hashable, Sendable, Codable, CaseIterable {
  /// In the foreground and receiving events; the remaining time is unlimited.
  case active = 0
  /// In the foreground, but interrupted or on its way to or from the background.
  case inactive = 1
  /// In the background: what is left of the trip's budget can be used.
  case background = 2
}

/// All five states of an application's life (L1): the three that code can observe and two that it
/// cannot.
public enum LifeState: String, Hashable, Sendable, Codable, CaseIterable {
  /// Before the launch and after termination.
  case notRunning
  /// See ``ApplicationState/inactive``.
  case inactive
  /// See ``ApplicationState/active``.
  case active
  /// See ``ApplicationState/background``.
  case background
  /// In memory, but no code runs (L5).
  case suspended
}

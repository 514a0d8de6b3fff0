/// Whether the system would begin work for the application in the background (L11).
///
/// Raw values are UIKit's.
public enum BackgroundRefreshStatus: Int, Hashable, Sendable, Codable, CaseIterable {
  /// It would not, and the user cannot change that.
  case restricted = 0
  /// It would not, because the user said so.
  case denied = 1
  /// It would.
  case available = 2
}

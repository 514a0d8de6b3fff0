/// What came of a background fetch (B2).
///
/// Raw values are UIKit's.
public enum BackgroundFetchResult: UInt, Hashable, Sendable, Codable, CaseIterable {
  /// There was something new.
  case newData = 0
  /// There was nothing new.
  case noData = 1
  /// It failed.
  case failed = 2
}

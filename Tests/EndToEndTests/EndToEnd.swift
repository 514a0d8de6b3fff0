import Foundation
import Testing

/// The whole programs on the real clock and the real disk, one test after the other: several at a time would take each other's time.
@Suite("End to end", .serialized)
struct EndToEnd {
  /// Whether the long forms run too: `STINT_LONG_TESTS=1`.
  static let isLong = ProcessInfo.processInfo.environment["STINT_LONG_TESTS"] == "1"
}

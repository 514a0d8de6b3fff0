import Foundation
import Testing

/// The whole programs on the real clock and the real disk, a few at a time, also on a busy machine.
@Suite("End to end")
struct EndToEnd {
  /// Whether the long forms run, too: `STINT_FULL=1`.
  static let isFull = ProcessInfo.processInfo.environment["STINT_FULL"] == "1"
}

/// Programs whose time is measured, one after the other and alone on the machine.
@Suite("End to end, by the clock", .serialized)
struct ByTheClock {}

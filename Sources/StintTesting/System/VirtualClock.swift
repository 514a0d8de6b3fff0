import Stint
public import StintCore

/// A clock that stands still until it is moved.
public final class VirtualClock: Sendable {
  private let time: Protected<Instant>

  /// Creates a clock.
  ///
  /// - Parameter start: The time it shows first.
  public init(start: Instant = Instant(nanoseconds: 1_000_000_000_000)) {
    time = Protected(start)
  }

  /// The time it shows; any thread may ask.
  public var now: Instant { time.withLock { $0 } }

  /// Moves it forward; it never goes back.
  func move(to instant: Instant) {
    time.withLock { $0 = max($0, instant) }
  }
}

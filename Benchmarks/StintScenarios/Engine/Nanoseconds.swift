/// The engine's time: whole nanoseconds since the beginning of a trip, so that the same seed gives
/// the same bytes.
package typealias Nanoseconds = Int64

extension Nanoseconds {
  /// The nearest count of nanoseconds, never below zero.
  package init(seconds: Double) {
    self = seconds >= 9e9 ? .max / 4 : Nanoseconds((Swift.max(0, seconds) * 1e9).rounded())
  }

  /// The same in seconds.
  package var seconds: Double { Double(self) / 1e9 }
}

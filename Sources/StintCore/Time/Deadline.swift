/// When a trip ends, and whose word that is (E1).
public struct Deadline: Hashable, Sendable {
  /// The name of the source: an option, an engine, a file.
  public let source: String
  /// When the time is gone.
  public let instant: Instant

  /// Creates an end.
  public init(source: String, instant: Instant) {
    self.source = source
    self.instant = instant
  }
}

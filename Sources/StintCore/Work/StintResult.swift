/// What came of one stint, for a program that decides after each whether to go on.
public enum StintResult: Hashable, Sendable {
  /// The result is where it belongs.
  case finished
  /// The time was up; what could be saved is saved, and another stint goes on with it.
  case unfinished
  /// A stop was requested, by a signal, by a supervisor, or because the task that waited was
  /// cancelled; what was complete is saved.
  case stopped(ExpiryReason)
}

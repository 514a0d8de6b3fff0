/// What the system allows to those who use a background mode: a condition that tests set.
public struct ModeConditions: Hashable, Sendable {
  /// Whether the mode may be used.
  public var isPermitted: Bool
  /// The least error of what the mode's source gives, in the unit of its values; zero where the
  /// system makes nothing less accurate than it is.
  public var accuracy: Double

  /// Creates conditions; by default nothing is restricted.
  ///
  /// - Parameters:
  ///   - isPermitted: Whether the mode may be used.
  ///   - accuracy: The least error of what the mode's source gives.
  public init(isPermitted: Bool = true, accuracy: Double = 0) {
    self.isPermitted = isPermitted
    self.accuracy = accuracy
  }
}

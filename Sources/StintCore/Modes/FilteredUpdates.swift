/// Keeps the values that are far enough from the one before, and forgets the oldest (B5).
///
/// A value by itself: whoever has a source of values hands each of them over, and is told what
/// became of it. What distance means is the caller's choice: metres on a sphere, degrees of a
/// thermometer, the number of words that changed.
public struct FilteredUpdates<Value> {
  /// What became of a value.
  public enum Outcome: Hashable, Sendable {
    /// It is the newest of the history.
    case kept
    /// It is so far from the value that was kept last, which is not far enough.
    case tooNear(Double)
    /// It has such an error, which is more than the accuracy that was chosen allows.
    case tooInaccurate(Double)
    /// The mode is not permitted, so no value is seen.
    case denied
  }

  /// How far a value is at least from the one kept last; zero or less keeps every value.
  public var distance: Double
  /// The greatest error with which a value is kept, in the unit of its error; `.infinity` for any.
  public var accuracy: Double
  /// The values that were kept, the oldest first.
  public private(set) var history: [Value] = []
  /// How many values are kept.
  public let limit: Int

  private let measure: @Sendable (Value, Value) -> Double
  private var last: Value?

  /// Creates a filter that has seen nothing; it keeps the first value that is accurate enough.
  ///
  /// - Parameters:
  ///   - distance: How far a value is at least from the one kept last; zero or less keeps every
  ///     value.
  ///   - measure: How far two values are from each other.
  ///   - accuracy: The greatest error with which a value is kept.
  ///   - limit: How many values the history keeps; none, if it is zero.
  public init(
    distance: Double, by measure: @escaping @Sendable (Value, Value) -> Double,
    accuracy: Double = .infinity, history limit: Int = 100
  ) {
    precondition(limit >= 0, "A history keeps no less than nothing.")
    self.distance = distance
    self.measure = measure
    self.accuracy = accuracy
    self.limit = limit
  }

  /// Keeps a value, or says why not.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - error: How far from the truth it may be; a negative one, or NaN, says that the value means
  ///     nothing.
  ///   - conditions: What the system allows: see `Application.conditions(of:)`.
  /// - Returns: What became of it.
  public mutating func take(
    _ value: Value, error: Double = 0, under conditions: ModeConditions = ModeConditions()
  ) -> Outcome {
    guard conditions.isPermitted else { return .denied }
    let error = error < 0 ? error : max(error, conditions.accuracy)
    guard error >= 0, error <= accuracy else { return .tooInaccurate(error) }
    if let last, distance > 0 {
      let measured = measure(last, value)
      guard measured >= distance else { return .tooNear(measured) }
    }
    last = value
    if history.count == limit, limit > 0 { history.removeFirst() }
    if limit > 0 { history.append(value) }
    return .kept
  }
}

extension FilteredUpdates: Sendable where Value: Sendable {}

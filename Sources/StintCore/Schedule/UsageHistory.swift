/// In which hours of the week an application is used, with the recent weeks counting most (B3).
///
/// It has no randomness: the same uses at the same times give the same numbers.
public struct UsageHistory: Hashable, Sendable {
  /// The hours of a week.
  public static let hoursOfWeek = 168
  /// What is left of a use after each week.
  static let keptAfterWeek = 0.75
  /// How far above the average an hour has to be to be one of use.
  static let likelyFactor = 2.0

  private static let hour: Int64 = 3_600_000_000_000
  private static let week = hour * Int64(hoursOfWeek)

  /// How often the application was used in each hour of the week, from Monday at midnight (UTC) on;
  /// a use loses a quarter of its weight with each week.
  public private(set) var hours = Array(repeating: 0.0, count: hoursOfWeek)
  /// The week up to which the weights have been lowered.
  package private(set) var week: Int64?

  /// Creates the history of an application that was never used.
  public init() {}

  /// The history as it was written down.
  package init(hours: [Int: Double], week: Int64?) {
    for (hour, weight) in hours where self.hours.indices.contains(hour) {
      self.hours[hour] = weight
    }
    self.week = week
  }

  /// Adds the uses of another history, which began later.
  mutating func add(_ later: UsageHistory) {
    guard let laterWeek = later.week else { return }
    lower(to: laterWeek)
    for index in hours.indices { hours[index] += later.hours[index] }
  }

  /// A use loses weight with each week that has passed; a clock that is set back lowers nothing
  /// twice.
  private mutating func lower(to present: Int64) {
    if let week, present > week {
      let factor = Self.kept(afterWeeks: present - week)
      for index in hours.indices { hours[index] *= factor }
    }
    week = max(week ?? present, present)
  }

  /// Whether there was a use that still has weight.
  public var isEmpty: Bool { hours.allSatisfy { $0 == 0 } }

  /// The application was used.
  ///
  /// - Parameter time: When.
  public mutating func used(at time: WallInstant) {
    lower(to: Self.week(of: time))
    hours[Self.hourOfWeek(of: time)] += 1
  }

  /// Whether the application is likely to be used in the hour of an instant: at least twice as
  /// likely as in the average hour.
  ///
  /// - Parameter time: The instant.
  /// - Returns: Whether it is.
  public func isLikely(at time: WallInstant) -> Bool {
    likelyWeight.map { hours[Self.hourOfWeek(of: time)] >= $0 } ?? false
  }

  /// The weight from which an hour is likely; nil if there was no use.
  private var likelyWeight: Double? {
    let sum = hours.reduce(0, +)
    return sum > 0 ? Self.likelyFactor * (sum / Double(Self.hoursOfWeek)) : nil
  }

  /// The first instant of a span that lies in an hour of use; nil if there is none.
  func firstLikely(from start: WallInstant, to end: WallInstant) -> WallInstant? {
    guard let least = likelyWeight else { return nil }
    var time = start
    for _ in 0...Self.hoursOfWeek where time <= end {
      if hours[Self.hourOfWeek(of: time)] >= least { return time }
      time = WallInstant(nanoseconds: Self.floor(time.nanoseconds, Self.hour)).advanced(
        by: .nanoseconds(Self.hour))
    }
    return nil
  }

  /// The hour of the week, from 0 for Monday at midnight (UTC).
  ///
  /// - Parameter time: An instant in it.
  /// - Returns: The hour, below ``hoursOfWeek``.
  public static func hourOfWeek(of time: WallInstant) -> Int {
    Int((sinceMonday(time) - floor(sinceMonday(time), week)) / hour)
  }

  private static func week(of time: WallInstant) -> Int64 { floor(sinceMonday(time), week) / week }

  /// Nanoseconds since the Monday before 1970 began, which was a Thursday.
  private static func sinceMonday(_ time: WallInstant) -> Int64 {
    time.advanced(by: .nanoseconds(72 * hour)).nanoseconds
  }

  /// The greatest multiple of a unit that is not above a number.
  private static func floor(_ number: Int64, _ unit: Int64) -> Int64 {
    let rest = number % unit
    let (result, overflow) = number.subtractingReportingOverflow(rest < 0 ? rest + unit : rest)
    return overflow ? number - rest : result
  }

  private static func kept(afterWeeks weeks: Int64) -> Double {
    // After two years nothing is left that matters.
    (0..<min(weeks, 104)).reduce(1) { factor, _ in factor * keptAfterWeek }
  }
}

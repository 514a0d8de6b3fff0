import StintCore

/// A duration as GNU `timeout` reads it: a number with fractions, in seconds or with one of `s`,
/// `m`, `h`, `d`; or as Stint does.
enum TimeoutDuration: Hashable, Sendable {
  /// It never comes: zero, or more than anybody lives to see.
  case never
  case after(Duration)

  /// Longer than this is for ever, so that sums of instants stay in their range.
  static let longest = Duration.seconds(100 * 366 * 86_400)

  /// Reads a duration; nil if the text is not one.
  init?(_ text: String) {
    if let seconds = Self.seconds(text) {
      self = seconds == 0 ? .never : Self.limited(Duration(clampingSeconds: seconds), seconds)
    } else if let duration = try? Duration(text: text) {
      self = duration == .zero ? .never : Self.limited(duration, duration.inSeconds)
    } else {
      return nil
    }
  }

  private static func limited(_ duration: Duration, _ seconds: Double) -> TimeoutDuration {
    // What is above zero is no "never", however short.
    seconds > longest.inSeconds ? .never : .after(max(.nanoseconds(1), duration))
  }

  private static func seconds(_ text: String) -> Double? {
    // strtod(3) accepts white space before a number, but not after it.
    var number = text.drop { $0.isASCII && $0.isWhitespace }
    var unit = 1.0
    // In a hexadecimal number `d` is a digit, as it is for strtod(3).
    let isHexadecimal = number.lowercased().hasPrefix("0x")
    switch number.last {
    case "s": number.removeLast()
    case "m": (unit, _) = (60, number.removeLast())
    case "h": (unit, _) = (3_600, number.removeLast())
    case "d" where !isHexadecimal: (unit, _) = (86_400, number.removeLast())
    case _: break
    }
    // The names of what is no number read as one too. What is below the smallest number is zero.
    guard let first = number.utf8.first, (48...57).contains(first) || "+-.".utf8.contains(first),
      let value = Double(number), !value.isNaN, value >= 0
    else { return ["inf", "infinity"].contains(number.lowercased()) ? .infinity : nil }
    return value * unit
  }
}

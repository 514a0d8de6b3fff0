/// Why a text is not a duration.
public struct DurationTextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, as the end of a sentence that begins with the text.
  public var reason: String
  /// The text that was refused.
  public var text: String

  /// A full sentence with the text and the next step.
  public var description: String {
    "\"\(text)\" \(reason)"
  }
}

extension Duration {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
    ("m", 60_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
  ]

  /// Reads a duration such as `250ms`, `30s`, `1.5s`, `3m` or `1h30m`.
  ///
  /// Parts follow each other without spaces, each with its unit (`ns`, `us`, `ms`, `s`, `m`, `h`,
  /// `d`), from the largest to the smallest. A number without a unit is refused, because the tools
  /// that a user comes from do not agree on what it means (`timeout` reads seconds, Slurm minutes).
  ///
  /// - Parameter text: The text as a user wrote it.
  /// - Throws: ``DurationTextError`` with a sentence for the user.
  public init(text: String) throws(DurationTextError) {
    func refused(_ reason: String) -> DurationTextError {
      DurationTextError(reason: reason, text: String(text.prefix(60)))
    }
    guard !text.isEmpty else { throw refused("is empty; write a duration such as 30s or 1h30m") }
    guard text.utf8.count <= 60 else { throw refused("is too long for a duration") }
    guard text.first != "-" else { throw refused("is negative; a duration is at least zero") }

    var total: Int64 = 0
    var largestAllowed = Int64.max
    var rest = text[...]
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      guard !number.isEmpty else {
        throw refused("is not a duration; write one such as 250ms, 30s, 3m or 1h30m")
      }
      rest = rest.dropFirst(number.count)
      let name = rest.prefix { !($0.isASCII && $0.isNumber) }
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty else {
        throw refused("has no unit; write \(text)s for seconds")
      }
      guard let unit = Self.units.first(where: { $0.name == name })?.nanoseconds else {
        throw refused("has the unknown unit \"\(name)\"; use ns, us, ms, s, m, h or d")
      }
      guard unit < largestAllowed else {
        throw refused("names its units out of order; write the largest first, each once")
      }
      largestAllowed = unit
      guard let part = Self.nanoseconds(number, times: unit) else {
        throw refused("is not a duration; \"\(number)\" is not a number or is too large")
      }
      let (sum, overflow) = total.addingReportingOverflow(part)
      guard !overflow else { throw refused("is too long; the most is 292 years") }
      total = sum
    }
    self = .nanoseconds(total)
  }

  /// The product of a decimal number and a unit in exact integer arithmetic.
  ///
  /// Nil if the number is malformed or the product too large. Digits below a nanosecond are
  /// dropped.
  private static func nanoseconds(_ number: Substring, times unit: Int64) -> Int64? {
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].isEmpty == false || parts.count == 2 else { return nil }
    guard let whole = parts[0].isEmpty ? 0 : Int64(parts[0]) else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return product }
    guard !parts[1].isEmpty, !parts[1].contains(".") else { return nil }
    let digits = parts[1].prefix(15)
    guard let fraction = Int64(digits) else { return nil }
    var scale: Int64 = 1
    for _ in 0..<digits.count { scale *= 10 }
    let share = fraction.multipliedFullWidth(by: unit)
    let (quotient, _) = scale.dividingFullWidth(share)
    let (sum, carried) = product.addingReportingOverflow(quotient)
    return carried ? nil : sum
  }

  /// The duration as a person reads it, to three significant places: `12ns`, `1.5ms`, `29.8s`,
  /// `3m12s`, `1h30m`, `2d4h`.
  public var compactText: String {
    let value = nanoseconds
    if value == 0 { return "0s" }
    if value < 0 {
      return "-" + Duration.nanoseconds(value == .min ? .max : -value).compactText
    }
    if value < 1_000 { return "\(value)ns" }
    if value < 1_000_000 { return Self.threePlaces(value, per: 1_000) + "us" }
    if value < 1_000_000_000 { return Self.threePlaces(value, per: 1_000_000) + "ms" }
    if value < 60_000_000_000 { return Self.threePlaces(value, per: 1_000_000_000) + "s" }
    let seconds = value / 1_000_000_000
    let steps: [(size: Int64, name: String)] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
    let first = steps.firstIndex { seconds >= $0.size } ?? steps.count - 1
    var text = "\(seconds / steps[first].size)\(steps[first].name)"
    if first + 1 < steps.count {
      let second = seconds % steps[first].size / steps[first + 1].size
      if second > 0 { text += "\(second)\(steps[first + 1].name)" }
    }
    return text
  }

  /// The duration in seconds with a number of decimals, such as `4.9`.
  ///
  /// It is cut, not rounded, so that a remaining time is never shown longer than it is.
  ///
  /// - Parameter decimals: Digits after the point, from 0 to 9.
  /// - Returns: The text.
  public func secondsText(decimals: Int) -> String {
    precondition((0...9).contains(decimals), "a nanosecond clock has at most nine decimals")
    let value = nanoseconds
    let magnitude = value.magnitude
    var text = (value < 0 ? "-" : "") + "\(magnitude / 1_000_000_000)"
    if decimals > 0 {
      let digits = String(magnitude % 1_000_000_000)
      let fraction = String(repeating: "0", count: 9 - digits.count) + digits
      text += "." + String(fraction.prefix(decimals))
    }
    return text
  }

  private static func threePlaces(_ value: Int64, per unit: Int64) -> String {
    let whole = value / unit
    let decimals = whole >= 100 ? 0 : whole >= 10 ? 1 : 2
    let fraction = String(value % unit)
    let width = String(unit).count - 1
    let padded = String(repeating: "0", count: width - fraction.count) + fraction
    var text = "\(whole)"
    var tail = String(padded.prefix(decimals))
    while tail.last == "0" { tail.removeLast() }
    if !tail.isEmpty { text += "." + tail }
    return text
  }
}

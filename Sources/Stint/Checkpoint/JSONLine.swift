import Glibc

/// Writes one JSON object on one line, its members in the order in which they are added.
package struct JSONLine {
  private var text = "{"

  package init() {}

  /// The line, with its newline.
  package var line: String { text + "}\n" }

  /// The object alone, without a newline.
  package var object: String { text + "}" }

  /// Adds a text.
  package mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    text += Self.quoted(value)
  }

  /// Adds a whole number.
  package mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    begin(name)
    text += String(value)
  }

  /// Adds a number; JSON has none that is not finite, so such a one is left out.
  package mutating func add(_ name: String, _ value: Double?) {
    guard let value, value.isFinite else { return }
    begin(name)
    text += "\(value)"
  }

  /// Adds seconds, by default with nine decimals: exactly the nanoseconds.
  package mutating func add(_ name: String, seconds value: Duration?, decimals: Int = 9) {
    guard let value else { return }
    begin(name)
    text += value.secondsText(decimals: decimals)
  }

  /// Adds a list of texts.
  package mutating func add(_ name: String, _ values: [String]) {
    begin(name)
    text += "[" + values.map(Self.quoted).joined(separator: ",") + "]"
  }

  /// Adds a truth value.
  package mutating func add(_ name: String, isTrue value: Bool) {
    begin(name)
    text += value ? "true" : "false"
  }

  /// Adds an object.
  package mutating func add(_ name: String, object: JSONLine?) {
    guard let object else { return }
    begin(name)
    text += object.object
  }

  /// Adds a list of objects.
  package mutating func add(_ name: String, objects: [JSONLine]) {
    begin(name)
    text += "[" + objects.map(\.object).joined(separator: ",") + "]"
  }

  private mutating func begin(_ name: String) {
    if text.utf8.count > 1 { text += "," }
    text += "\"\(name)\":"
  }

  private static func quoted(_ value: String) -> String {
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where scalar.value < 32:
        result += scalar.value < 16 ? "\\u000" : "\\u00"
        result += String(scalar.value, radix: 16)
      case _: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// A wall-clock label as people read it: `2026-11-21T07:30:42.123Z`.
///
/// - Parameter unixNanoseconds: Nanoseconds since 1970.
/// - Returns: The label, in UTC.
package func wallClockText(_ unixNanoseconds: Int64) -> String {
  var seconds = time_t(unixNanoseconds.quotientFloored(by: 1_000_000_000))
  var parts = tm()
  guard gmtime_r(&seconds, &parts) != nil else { return "unknown" }
  func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
  let rest = unixNanoseconds % 1_000_000_000
  let milliseconds = (rest < 0 ? rest + 1_000_000_000 : rest) / 1_000_000
  return padded(Int(parts.tm_year) + 1900, 4) + "-" + padded(Int(parts.tm_mon) + 1, 2) + "-"
    + padded(Int(parts.tm_mday), 2) + "T" + padded(Int(parts.tm_hour), 2) + ":"
    + padded(Int(parts.tm_min), 2) + ":" + padded(Int(parts.tm_sec), 2) + "."
    + padded(Int(milliseconds), 3) + "Z"
}

extension Int64 {
  /// The quotient rounded down, also below zero.
  fileprivate func quotientFloored(by divisor: Int64) -> Int64 {
    self / divisor - (self % divisor < 0 ? 1 : 0)
  }
}

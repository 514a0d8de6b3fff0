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

  /// Adds a list of whole numbers.
  package mutating func add(_ name: String, numbers: [Int]) {
    begin(name)
    text += "[" + numbers.map(String.init).joined(separator: ",") + "]"
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

  /// A text as JSON writes it, with its quotation marks.
  ///
  /// JSON allows U+007F and above as they are. A terminal obeys some of these, and people look at
  /// JSON on terminals, so control characters are escapes here.
  package static func quoted(_ value: String) -> String {
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where scalar.isControl:
        // All of them are below U+10000, so four digits hold each.
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      case _: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

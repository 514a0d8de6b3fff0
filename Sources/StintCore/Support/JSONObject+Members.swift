extension JSONObject {
  /// Reads a member that may be missing.
  ///
  /// - Parameters:
  ///   - name: The member.
  ///   - kind: What it must be, in words.
  ///   - read: Makes the value; nil if the member is something else.
  /// - Returns: The value, or nil if the member is missing or null.
  /// - Throws: ``JSONFault`` if the member is something else.
  package func optional<Value>(
    _ name: String, _ kind: String, _ read: (JSONValue) -> Value?
  ) throws(JSONFault) -> Value? {
    guard let member = self[name] else { return nil }
    guard let value = read(member) else { throw JSONFault("\"\(name)\" is not \(kind)") }
    return value
  }

  private func required<Value>(_ name: String, _ value: Value?) throws(JSONFault) -> Value {
    guard let value else { throw JSONFault("\"\(name)\" is missing") }
    return value
  }

  /// A text, or nil if it is missing.
  package func optionalText(_ name: String) throws(JSONFault) -> String? {
    try optional(name, "a text") { $0.text }
  }

  /// A text that must be there.
  package func text(_ name: String) throws(JSONFault) -> String {
    try required(name, try optionalText(name))
  }

  /// A number, or nil if it is missing.
  package func optionalNumber(_ name: String) throws(JSONFault) -> Double? {
    try optional(name, "a number") { $0.double }
  }

  /// A number that must be there.
  package func number(_ name: String) throws(JSONFault) -> Double {
    try required(name, try optionalNumber(name))
  }

  /// A whole number, or nil if it is missing.
  package func optionalInteger<Number: FixedWidthInteger>(
    _ name: String
  ) throws(JSONFault) -> Number? {
    try optional(name, "a whole number that fits") { $0.integer() }
  }

  /// A whole number that must be there.
  package func integer<Number: FixedWidthInteger>(_ name: String) throws(JSONFault) -> Number {
    try required(name, try optionalInteger(name))
  }

  /// A list of texts, or nil if it is missing.
  package func optionalTexts(_ name: String) throws(JSONFault) -> [String]? {
    try optional(name, "a list of texts") { $0.texts }
  }

  /// A list of objects; empty if it is missing.
  package func objects(_ name: String) throws(JSONFault) -> [JSONObject] {
    try optional(name, "a list of objects") { $0.objects } ?? []
  }

  /// A time in seconds, or nil if it is missing.
  package func optionalSeconds(_ name: String) throws(JSONFault) -> Duration? {
    try optionalNumber(name).map { Duration(clampingSeconds: $0) }
  }

  /// A time in seconds that must be there.
  package func seconds(_ name: String) throws(JSONFault) -> Duration {
    try required(name, try optionalSeconds(name))
  }

  /// One of several words, or nil if it is missing.
  package func optionalChoice<Choice: RawRepresentable<String>>(
    _ name: String
  ) throws(JSONFault) -> Choice? {
    try optional(name, "one of the words that it may be") { $0.text.flatMap(Choice.init) }
  }

  /// One of several words; it must be there.
  package func choice<Choice: RawRepresentable<String>>(
    _ name: String
  ) throws(JSONFault) -> Choice {
    try required(name, try optionalChoice(name))
  }
}

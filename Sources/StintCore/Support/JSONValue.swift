/// A value of JSON (RFC 8259), as ``JSONObject`` reads it.
package enum JSONValue: Hashable, Sendable {
  case text(String)
  /// A number as it is written; the reader converts it to the type that it needs.
  case number(String)
  case truth(Bool)
  case list([JSONValue])
  case object(JSONObject)
  /// An element of a list; a member that is null is left out.
  case null

  /// The text; nil if this is something else.
  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The number; nil if this is something else, or too large.
  package var double: Double? {
    guard case .number(let digits) = self, let number = Double(digits), number.isFinite else {
      return nil
    }
    return number
  }

  /// The truth value; nil if this is something else.
  package var truth: Bool? {
    if case .truth(let truth) = self { truth } else { nil }
  }

  /// A list of texts; nil if this is something else.
  package var texts: [String]? {
    guard case .list(let values) = self else { return nil }
    let texts = values.compactMap(\.text)
    return texts.count == values.count ? texts : nil
  }

  /// A list of objects; nil if this is something else.
  package var objects: [JSONObject]? {
    guard case .list(let values) = self else { return nil }
    let objects = values.compactMap(\.object)
    return objects.count == values.count ? objects : nil
  }

  /// The object; nil if this is something else.
  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// A whole number without fraction and exponent; nil if this is something else or does not fit.
  package func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    if case .number(let digits) = self { Number(digits) } else { nil }
  }
}

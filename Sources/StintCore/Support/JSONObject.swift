/// A JSON object (RFC 8259) whose members are looked up by name; the one reader of JSON in Stint.
///
/// The reader trusts nothing: depth is bounded, text must be UTF-8, and no name may come twice. The
/// caller limits the number of bytes before it reads them.
package struct JSONObject: Hashable, Sendable {
  /// One name and its value.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSONValue
  }

  /// The members in the order of the text; those that are null are left out.
  package let members: [Member]

  /// How deep objects and lists may be nested.
  package static let maximumDepth = 16

  /// Reads the object that is the whole text.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - depth: How deep it may be nested.
  /// - Throws: ``JSONFault`` if it is not one object within the limits.
  package init(_ bytes: [UInt8], maximumDepth depth: Int = maximumDepth) throws(JSONFault) {
    var reader = JSONReader(bytes: bytes, maximumDepth: depth)
    self = try reader.whole()
  }

  init(members: [Member]) {
    self.members = members
  }

  /// The value of a member; nil if it is missing or null.
  package subscript(_ name: String) -> JSONValue? {
    for member in members where member.name == name { return member.value }
    return nil
  }
}

/// Why a text is not a JSON object, in words.
package struct JSONFault: Error, Hashable, Sendable {
  /// What is wrong with it.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}

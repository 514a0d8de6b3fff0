/// One line of the protocol: a JSON object whose members are looked up by name.
///
/// Depth and length are bounded. Members that nobody asks for are read over, those with lists and
/// objects too, so that later versions may add some.
package struct ProtocolObject: Sendable {
  private let object: JSONObject

  /// Reads a line.
  ///
  /// - Parameter line: The line without its newline.
  /// - Throws: ``ProtocolFault`` if it is not one JSON object within the limits.
  package init(line: [UInt8]) throws(ProtocolFault) {
    do {
      object = try JSONObject(line, maximumDepth: SystemProtocol.maximumDepth)
    } catch {
      throw ProtocolFault(error.reason)
    }
  }

  /// The value of a member; nil if it is missing or null.
  package subscript(_ name: String) -> JSONValue? { object[name] }

  // MARK: Members that a message needs

  /// A name that must be there: a text of bounded length.
  package func shortText(_ name: String) throws(ProtocolFault) -> String {
    guard case .text(let text)? = self[name] else { throw missing(name, "a text") }
    guard text.utf8.count <= SystemProtocol.maximumNameBytes else {
      throw ProtocolFault(
        "\"\(name)\" is longer than \(SystemProtocol.maximumNameBytes) bytes")
    }
    return text
  }

  /// A whole number within limits that must be there.
  package func integer<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(ProtocolFault) -> Number {
    guard let number = try optionalInteger(name, in: range) else {
      throw missing(name, "a whole number")
    }
    return number
  }

  /// A whole number within limits, or nil if it is missing.
  package func optionalInteger<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(ProtocolFault) -> Number? {
    guard let value = self[name] else { return nil }
    guard let integer = value.integer(Int64.self) else { throw missing(name, "a whole number") }
    guard let number = Number(exactly: integer), range.contains(number) else {
      throw ProtocolFault(
        "\"\(name)\" is \(integer), which is not from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A time in nanoseconds, or nil if it is missing.
  package func optionalDuration(_ name: String) throws(ProtocolFault) -> Duration? {
    let range = 0...SystemProtocol.maximumDuration.nanoseconds
    return try optionalInteger(name, in: range).map { .nanoseconds($0) }
  }

  /// A time in nanoseconds that must be there.
  package func duration(_ name: String) throws(ProtocolFault) -> Duration {
    guard let duration = try optionalDuration(name) else { throw missing(name, "a time") }
    return duration
  }

  /// An instant of the boot-time clock, or nil if it is missing.
  package func optionalInstant(_ name: String) throws(ProtocolFault) -> Instant? {
    try optionalInteger(name, in: 0...Int64.max).map { Instant(nanoseconds: $0) }
  }

  private func missing(_ name: String, _ kind: String) -> ProtocolFault {
    ProtocolFault("\"\(name)\" is missing or not \(kind)")
  }
}

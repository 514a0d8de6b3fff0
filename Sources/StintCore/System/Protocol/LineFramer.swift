/// Cuts a stream of bytes into lines, and never holds more than one line of the longest length.
package struct LineFramer: Sendable {
  private var pending: [UInt8] = []

  package init() {}

  /// How many bytes of a line that is not complete are held.
  package var heldBytes: Int { pending.count }

  /// Takes in what has arrived.
  ///
  /// - Parameter bytes: In the order of their arrival, cut anywhere.
  /// - Returns: The lines that are complete now, without their newlines.
  /// - Throws: ``ProtocolFault`` if a line is too long; nothing that follows can be read.
  package mutating func append(_ bytes: ArraySlice<UInt8>) throws(ProtocolFault) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try checkLength(adding: end - rest.startIndex + 1)
      lines.append(pending + rest[rest.startIndex..<end])
      pending = []
      rest = rest[(end + 1)...]
    }
    try checkLength(adding: rest.count)
    pending += rest
    return lines
  }

  private func checkLength(adding count: Int) throws(ProtocolFault) {
    guard pending.count + count <= SystemProtocol.maximumLineBytes else {
      throw ProtocolFault("a line is longer than \(SystemProtocol.maximumLineBytes) bytes")
    }
  }
}

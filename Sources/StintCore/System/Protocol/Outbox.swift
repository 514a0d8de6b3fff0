/// What waits for a reader: bounded, so that one that does not read costs little, and blocks
/// nobody.
package struct Outbox: Sendable {
  private var bytes: [UInt8] = []

  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { bytes.isEmpty }

  /// Adds a line.
  ///
  /// - Parameter line: The line with its newline.
  /// - Returns: Whether there was room; if not, the reader is to be given up.
  package mutating func append(_ line: String) -> Bool {
    guard bytes.count + line.utf8.count <= SystemProtocol.maximumWaitingBytes else { return false }
    bytes += line.utf8
    return true
  }

  /// Takes out all that waits.
  package mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Puts back what could not be sent, before what was added since.
  package mutating func putBack(_ rest: ArraySlice<UInt8>) {
    bytes.insert(contentsOf: rest, at: 0)
  }
}

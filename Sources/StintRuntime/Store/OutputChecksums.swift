package import StintCore

/// The checksums of a part of a partial file that only grows: one for each piece, as written.
///
/// It is an immutable value that belongs to a state (W14). The checkpoint of the state holds it.
package struct OutputChecksums: Hashable, Sendable {
  /// The length of every piece but the last, in bytes.
  package static let pieceBytes = 4 << 20

  /// The name of the partial file.
  package let file: String
  /// Where the part begins.
  ///
  /// File and start together identify a part.
  package let start: Int
  /// Where the first piece begins: behind the start if an earlier version wrote what comes before.
  package let origin: Int
  /// Where the part ends.
  package let end: Int
  /// The checksum of each piece.
  package let pieces: [Checksum128]

  /// Creates the checksums of a part.
  package init(file: String, start: Int, origin: Int, end: Int, pieces: [Checksum128]) {
    precondition(
      pieces.count == Self.pieceCount(of: end - origin), "every piece has a checksum")
    (self.file, self.start, self.origin, self.end) = (file, start, origin, end)
    self.pieces = pieces
  }

  static func pieceCount(of sizeBytes: Int) -> Int {
    sizeBytes / pieceBytes + (sizeBytes % pieceBytes > 0 ? 1 : 0)
  }

  /// How many bytes have a checksum.
  package var sizeBytes: Int { end - origin }

  /// Where a piece lies in the file.
  package func range(of piece: Int) -> Range<Int> {
    let begin = origin + piece * Self.pieceBytes
    return begin..<min(begin + Self.pieceBytes, end)
  }

  /// Reads a piece back.
  ///
  /// - Parameters:
  ///   - piece: The number of the piece.
  ///   - shouldStop: Asked after each megabyte.
  ///   - read: Fills a buffer with the bytes at an offset.
  /// - Returns: The running checksum of the piece; nil if it was to stop.
  /// - Throws: ``StintError`` with the code `damaged` if the bytes are not those that were written,
  ///   or what reading throws.
  @discardableResult
  package func readBack(
    _ piece: Int, shouldStop: () -> Bool = { false },
    _ read: (UnsafeMutableRawBufferPointer, Int) throws -> Void
  ) throws -> XXH3Checksum? {
    let range = range(of: piece)
    let checksum = XXH3Checksum()
    let isWhole = try Self.forEachMegabyte(of: range, read) { bytes in
      checksum.update(bytes)
      return !shouldStop()
    }
    guard isWhole else { return nil }
    guard checksum.value == pieces[piece] else {
      throw StintError(
        .damaged,
        "the bytes \(range.lowerBound) to \(range.upperBound - 1) of partial/\(file) are not those"
          + " that were written",
        remedies: ["put a good copy of the file there", .startOver])
    }
    return checksum
  }

  /// Reads a range through a buffer of fixed size.
  ///
  /// - Returns: False if the body returned false before the end.
  static func forEachMegabyte(
    of range: Range<Int>, _ read: (UnsafeMutableRawBufferPointer, Int) throws -> Void,
    _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, min(1 << 20, range.count)), alignment: 64)
    defer { buffer.deallocate() }
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: buffer.count) {
      let part = UnsafeMutableRawBufferPointer(
        rebasing: buffer.prefix(range.upperBound - offset))
      try read(part, offset)
      let goesOn = try body(UnsafeRawBufferPointer(part))
      if !goesOn, offset + part.count < range.upperBound { return false }
    }
    return true
  }
}

import StintCore

/// What is known of a part of a partial file while it grows.
///
/// Bytes that are written in order are hashed as they come, so that nothing is read twice.
struct GrowingOutput {
  let start: Int
  private(set) var origin: Int
  /// Up to here the bytes are hashed.
  private(set) var end: Int
  private var whole: [Checksum128] = []
  /// Over what follows the whole pieces.
  private var rest = XXH3Checksum()

  /// A part of which nothing is written.
  init(start: Int) {
    (self.start, origin, end) = (start, start, start)
  }

  /// Goes on from stored checksums.
  ///
  /// - Parameters:
  ///   - stored: The checksums.
  ///   - last: The running checksum of the last piece, which was read back.
  init(_ stored: OutputChecksums, last: XXH3Checksum?) {
    (start, origin, end) = (stored.start, stored.origin, stored.end)
    whole = stored.pieces
    guard let last, stored.sizeBytes % OutputChecksums.pieceBytes > 0 else { return }
    whole.removeLast()
    rest = last
  }

  /// Takes in bytes that were written at an offset.
  mutating func wrote(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    cut(to: offset)
    // What comes after a gap is read back when a state counts on it.
    if offset == end { append(bytes) }
  }

  /// Takes in the bytes that follow.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var left = bytes[...]
    while !left.isEmpty {
      let room = OutputChecksums.pieceBytes - (end - origin) % OutputChecksums.pieceBytes
      let piece = left.prefix(room)
      rest.update(UnsafeRawBufferPointer(rebasing: piece))
      left = left.dropFirst(piece.count)
      end += piece.count
      if piece.count == room {
        whole.append(rest.value)
        rest = XXH3Checksum()
      }
    }
  }

  /// Forgets the bytes from an offset on, and those of its piece that come before it.
  mutating func cut(to offset: Int) {
    guard offset < end else { return }
    if offset <= start { origin = start }
    whole.removeLast(whole.count - max(0, offset - origin) / OutputChecksums.pieceBytes)
    end = origin + whole.count * OutputChecksums.pieceBytes
    rest = XXH3Checksum()
  }

  /// The checksums so far.
  func checksums(of file: String) -> OutputChecksums {
    let hasRest = (end - origin) % OutputChecksums.pieceBytes > 0
    return OutputChecksums(
      file: file, start: start, origin: origin, end: end,
      pieces: hasRest ? whole + [rest.value] : whole)
  }
}

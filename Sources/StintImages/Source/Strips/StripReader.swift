#if Images
import StintRuntime
import StintCore

/// A TIFF in strips, each decoded without those before it.
///
/// That is possible in any process and on any thread. libvips only reads strips from top to bottom.
/// But strips do not depend on each other: some of them, with a directory for just their rows, are
/// a TIFF of their own. libvips decodes it from memory, with the same pixels as from the file.
package final class StripReader: Sendable {
  private let file: SourceFile
  private let policy: DamagePolicy
  private let messages: DecoderMessages
  private let shape: ImageShape
  private let strips: TIFFStrips

  /// Larger strips are not decoded in one call: the first of them is, before the work, and whatever
  /// is cut ends with one.
  static let usualStripBytes = 4 << 20
  /// About how many bytes of pixels a thread decodes at a time.
  private static let pieceBytes = 1 << 20

  /// Finds the strips of a file; nil if they cannot be read one by one, because they are too large,
  /// or of a kind that needs the rest of the file.
  ///
  /// - Parameters:
  ///   - file: A TIFF.
  ///   - page: Its page.
  ///   - shape: The pixels of that page.
  ///   - policy: What to do with a damaged file.
  ///   - messages: What hears the decoder.
  ///   - mostStripBytes: The decoded bytes of the largest strip that is decoded at once; tests use
  ///     few.
  init?(
    _ file: SourceFile, page: Int, shape: ImageShape, _ policy: DamagePolicy,
    _ messages: DecoderMessages, mostStripBytes: Int = usualStripBytes
  ) {
    guard
      let table = TIFFTable(of: file, page: page, tags: TIFFStrips.tags),
      let strips = TIFFStrips(
        table, shape: shape, fileBytes: file.identity.sizeBytes, mostBytes: mostStripBytes)
    else { return nil }
    (self.file, self.shape, self.strips) = (file, shape, strips)
    (self.policy, self.messages) = (policy, messages)
    // What comes out has to be what the file's own header says.
    guard let first = try? image(of: 0..<1),
      first.shape == shape.with(\.height, strips.rows(of: 0..<1).count)
    else { return nil }
  }

  /// The rows of a strip; a caller that asks for whole strips has none decoded twice.
  var rowsPerStrip: Int { strips.rowsPerStrip }

  /// Decodes some rows.
  ///
  /// - Parameters:
  ///   - rows: Any rows.
  ///   - buffer: Room for them.
  ///   - threads: How many threads decode.
  ///   - stopFlag: Looked at before every piece.
  /// - Returns: False if the flag was seen.
  /// - Throws: ``StintError``: `damaged` with libvips' words, `mismatch` if the file is not what it
  ///   was.
  func decode(
    _ rows: Range<Int>, into buffer: UnsafeMutableRawBufferPointer, threads: Int, stopFlag: StopFlag
  ) throws -> Bool {
    try file.checkUnchanged()
    let all = strips.strips(of: rows)
    let step = max(1, Self.pieceBytes / (strips.rowsPerStrip * shape.rowBytes))
    let pieces = stride(from: all.lowerBound, to: all.upperBound, by: step).map {
      $0..<min($0 + step, all.upperBound)
    }
    // Each thread writes to rows of its own.
    nonisolated(unsafe) let buffer = buffer
    let done = try Parallel.map(count: pieces.count, threads: threads) { index in
      if stopFlag.isRaised { return false }
      let held = self.strips.rows(of: pieces[index])
      let wanted = held.clamped(to: rows)
      let place = (wanted.lowerBound - rows.lowerBound) * self.shape.rowBytes
      let image = try self.image(of: pieces[index])
      guard image.shape == self.shape.with(\.height, held.count) else {
        throw StintError(.damaged, "rows \(held) are \(image.shape.phrase), not as the others")
      }
      try image.evaluate(
        rows: wanted.lowerBound - held.lowerBound..<wanted.upperBound - held.lowerBound,
        into: UnsafeMutableRawBufferPointer(
          rebasing: buffer[place..<place + wanted.count * self.shape.rowBytes]))
      return true
    }
    return done.allSatisfy { $0 }
  }

  private func image(of range: Range<Int>) throws -> VipsImage {
    var data: [[UInt8]] = []
    for strip in range {
      let (offset, count) = strips.place(of: strip)
      guard let bytes = try file.read(at: offset, count: count) else {
        throw StintError(.damaged, "the strip of \(count) bytes at \(offset) cannot be read")
      }
      if strips.isDeflated, policy != .accept {
        var check = InflateCheck()
        bytes.withUnsafeBytes { check.add($0) }
        if let damage = DamageCheck.damage(found: check) { messages.addDamage(damage) }
      }
      data.append(bytes)
    }
    return try VipsImage(tiff: strips.file(of: range, data: data), failOn: policy.failOn)
      .heard(by: messages)
  }
}
#endif

#if Images
import StintRuntime
import StintCore

/// How much of an image is in its file: all that a resumable encoder needs to continue.
///
/// It is an immutable value. What it counts in the file - the front, the rows that are encoded, and
/// what tells where they lie - is not changed by any later call of the encoder, so that it stays
/// true whatever is written after it (W14).
package struct EncodingProgress: Hashable, Sendable {
  /// How many rows are encoded: whole units, or all rows.
  package let rows: Int
  /// How many bytes of the file count.
  package let sizeBytes: Int
  /// The Adler-32 of what was compressed so far, if the format needs one.
  var adler: UInt32 = 1
  /// The bytes that ``encoded`` gives.
  package static let encodedBytes = 24
}

extension EncodingProgress {
  /// The bytes for a checkpoint: rows, size, Adler-32 as 64-bit little-endian numbers.
  package var encoded: [UInt8] {
    [UInt64(rows), UInt64(sizeBytes), UInt64(adler)].flatMap { word in
      withUnsafeBytes(of: word.littleEndian) { Array($0) }
    }
  }

  /// Reads what ``encoded`` gave; ``ResumableEncoder/decode(_:in:)`` checks it against image and
  /// file.
  init(encoded bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count == Self.encodedBytes else {
      throw StintError(
        .damaged,
        "The encoder's progress has \(bytes.count) bytes, and \(Self.encodedBytes) are needed.")
    }
    let words = (0..<3).map {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
    }
    guard let rows = Int(exactly: words[0]), let sizeBytes = Int(exactly: words[1]),
      let adler = UInt32(exactly: words[2])
    else {
      throw StintError(.damaged, "The encoder's progress holds a number that is out of range.")
    }
    self.init(rows: rows, sizeBytes: sizeBytes, adler: adler)
  }
}
#endif

#if Images
import StintCore
package import StintRuntime

/// Writes an image file piece by piece, in any number of processes.
///
/// The bytes are the same for every way to cut the image into calls of
/// ``append(_:after:threads:stopFlag:into:)`` and for every number of threads (W8): rows are
/// compressed in units of ``rowsPerUnit``, which depends on the image's shape and the options
/// alone, and no unit depends on another one. The price is that a call takes whole units.
package protocol ResumableEncoder: Sendable {
  /// What is encoded.
  var shape: PixelShape { get }

  /// The rows of a unit. Every call but the last takes a multiple of it.
  var rowsPerUnit: Int { get }

  /// The compression's work for a pixel on one thread, in nanoseconds, about: measured on an AMD
  /// EPYC of 2024.
  var nanosecondsPerPixel: Double { get }

  /// An upper limit of the file's length in bytes.
  var largestFileBytes: Int { get }

  /// What this file does not hold of what its format has a place for, as phrases.
  var leftOut: [String] { get }

  /// Empties the file and writes what stands before the pixels.
  func begin(into file: any PartialFile) throws -> EncodingProgress

  /// Encodes the rows that follow.
  ///
  /// Running it again from the same progress writes the same bytes to the same places, and nothing
  /// that the progress counts is touched.
  ///
  /// - Parameters:
  ///   - rows: Packed rows; a multiple of ``rowsPerUnit``, or all that are left.
  ///   - progress: What is in the file.
  ///   - threads: How many threads compress.
  ///   - stopFlag: When it is raised, the call ends after the units that are being compressed.
  ///   - file: The file.
  /// - Returns: The progress after these rows, or after the first of them if the flag was raised.
  /// - Throws: What writing to the file throws; the progress that was given stays true.
  func append(
    _ rows: UnsafeRawBufferPointer, after progress: EncodingProgress, threads: Int,
    stopFlag: StopFlag?, into file: any PartialFile
  ) throws -> EncodingProgress

  /// Which parts of the file a progress counts; each begins at the same byte for every progress.
  func counted(_ progress: EncodingProgress) -> [Range<Int>]

  /// Writes what stands behind the pixels, once all rows are encoded, and cuts the file to its
  /// length.
  ///
  /// It may be called again after a kill.
  func finish(_ progress: EncodingProgress, into file: any PartialFile) throws
}

extension ResumableEncoder {
  package var leftOut: [String] { [] }

  package func counted(_ progress: EncodingProgress) -> [Range<Int>] { [0..<progress.sizeBytes] }

  /// Reads a progress from a checkpoint.
  ///
  /// - Parameters:
  ///   - bytes: What ``EncodingProgress/encoded`` gave.
  ///   - file: The file, which must still have the bytes that count.
  /// - Returns: The progress.
  /// - Throws: ``StintError`` with the code `damaged` if this is no progress of this image, or the
  ///   file is shorter.
  package func decode(
    _ bytes: UnsafeRawBufferPointer, in file: any PartialFile
  ) throws -> EncodingProgress {
    let progress = try EncodingProgress(encoded: bytes)
    guard progress.rows == shape.height || progress.rows % rowsPerUnit == 0,
      (0...shape.height).contains(progress.rows),
      (1...largestFileBytes).contains(progress.sizeBytes)
    else {
      throw StintError(
        .damaged,
        """
        The encoder's progress tells of \(progress.rows) rows in \(progress.sizeBytes) bytes, which is no cut of an image \
        of \(shape.height) rows.
        """)
    }
    let sizeBytes = try file.sizeBytes
    guard sizeBytes >= progress.sizeBytes else {
      throw StintError(
        .damaged,
        "The unfinished image has \(sizeBytes) bytes, and the checkpoint counts on \(progress.sizeBytes).",
        remedies: ["go back to an earlier checkpoint", .startOver])
    }
    return progress
  }

  /// How many rows a call may take at a progress, checked.
  func checkedRows(_ rows: UnsafeRawBufferPointer, after progress: EncodingProgress) -> Int {
    let count = rows.count / shape.rowBytes
    precondition(
      count * shape.rowBytes == rows.count && count > 0 && progress.rows + count <= shape.height,
      "an encoder takes whole rows of the image, not \(rows.count) bytes after \(progress.rows) rows"
    )
    precondition(
      count % rowsPerUnit == 0 || progress.rows + count == shape.height,
      "an encoder takes multiples of \(rowsPerUnit) rows before the last one, not \(count)")
    return count
  }
}

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

/// What encoding costs on one thread of an AMD EPYC of 2024, for the outlook before anything is
/// learnt.
///
/// Measured with a photograph with the noise of its sensor, which is dearer than drawings and than
/// pure noise. The fit test learns the rest.
enum EncodingCost {
  /// By zlib's level, with filtered rows.
  static func nanosecondsPerByte(deflateLevel level: Int) -> Double {
    switch level {
    case ...0: 1
    case ...2: 20
    case ...4: 40
    case ...6: 120
    case _: 250
    }
  }

  static func nanosecondsPerByte(_ options: PNGOptions) -> Double {
    nanosecondsPerByte(deflateLevel: options.level) + (options.filter == .adaptive ? 3 : 0)
  }

  static func nanosecondsPerByte(_ options: TIFFOptions) -> Double {
    switch options.compression {
    case .none: 1
    case .deflate(let level): nanosecondsPerByte(deflateLevel: level)
    case .lzw: 15
    }
  }
}
#endif

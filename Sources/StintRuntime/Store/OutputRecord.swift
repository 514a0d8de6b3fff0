import StintCore

/// What a checkpoint says of the partial output that its state counts on.
///
/// It stands behind the state, so that whoever reads a checkpoint finds it, whatever computation
/// made it. `docs/formats/checkpoint.md` has the table of its bytes.
package struct OutputRecord: Hashable, Sendable {
  /// The parts, by file and start.
  package var parts: [OutputChecksums]
  /// How many of their bytes have been read back since the work was complete.
  package var checkedBytes: Int
  /// How many of those another process has read back.
  ///
  /// They may have changed since.
  package var checkedBefore = 0

  /// Creates a record.
  package init(parts: [OutputChecksums], checkedBytes: Int = 0) {
    (self.parts, self.checkedBytes) = (parts, checkedBytes)
  }

  /// Creates a record of parts that are still to be named, of which another process has read back
  /// some bytes.
  package init(checkedBefore: Int) {
    self.init(parts: [], checkedBytes: checkedBefore)
    self.checkedBefore = checkedBefore
  }

  /// The last bytes of a payload with a record.
  static let mark: [UInt8] = Array("STNTPART".utf8)
  /// The length of the record, and the mark.
  static let footBytes = 16
  private static let longestName = 200

  /// How many bytes the parts have.
  package var sizeBytes: Int { parts.reduce(0) { $0 + $1.sizeBytes } }

  /// Whether all of them have been read back.
  package var isChecked: Bool { checkedBytes >= sizeBytes }

  /// About how many bytes of a checkpoint a record takes.
  package var recordBytes: Int { parts.reduce(32) { $0 + 48 + 16 * $1.pieces.count } }
}

extension CheckpointPayload {
  /// Appends a record behind the state; nothing may follow it.
  package mutating func append(_ record: OutputRecord) {
    let begin = sizeBytes
    append(UInt64(record.checkedBytes))
    append(UInt64(record.parts.count))
    for part in record.parts {
      append(UInt64(part.file.utf8.count))
      append(part.file.utf8)
      for number in [part.start, part.origin, part.end] { append(UInt64(number)) }
      append(part.pieces.flatMap(\.bytes))
    }
    append(UInt64(sizeBytes - begin))
    append(OutputRecord.mark)
    holdsOutputRecord = true
  }
}

extension OutputRecord {
  /// Takes a payload apart.
  ///
  /// - Returns: The state, and the record; nil if the payload has none.
  /// - Throws: ``StintError`` with the code `damaged`.
  package static func split(
    _ payload: UnsafeRawBufferPointer
  ) throws -> (state: UnsafeRawBufferPointer, record: OutputRecord?) {
    guard payload.count >= footBytes, payload.suffix(mark.count).elementsEqual(mark) else {
      return (payload, nil)
    }
    let rest = payload.dropLast(footBytes)
    let length = try length(foot: UnsafeRawBufferPointer(rebasing: payload.suffix(footBytes)))
    guard length <= rest.count else {
      throw StintError(.damaged, "The checkpoint is shorter than what it says of partial output.")
    }
    return (
      UnsafeRawBufferPointer(rebasing: rest.dropLast(length)),
      try OutputRecord(decoding: UnsafeRawBufferPointer(rebasing: rest.suffix(length)))
    )
  }

  /// The length of the record, by the last bytes of a payload.
  static func length(foot: UnsafeRawBufferPointer) throws -> Int {
    var reader = ByteReader(foot)
    return try reader.readCount(atMost: .max, "length of what it says of partial output")
  }

  init(decoding bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    self.init(
      checkedBefore: try reader.readCount(atMost: .max, "number of checked bytes"))
    let count = try reader.readCount(
      atMost: reader.remainingBytes / 32, "number of parts of partial output")
    parts = try (0..<count).map { _ in try Self.part(&reader) }
    try reader.finish()
  }

  private static func part(_ reader: inout ByteReader) throws -> OutputChecksums {
    let length = try reader.readCount(atMost: longestName, "length of a name")
    let name = String(decoding: try reader.take(length, "a name"), as: UTF8.self)
    let numbers = try (0..<3).map { _ in try reader.readCount(atMost: .max, "offset") }
    guard numbers[0] <= numbers[1], numbers[1] <= numbers[2] else {
      throw StintError(.damaged, "The checkpoint's offsets of partial/\(name) are not in order.")
    }
    let count = OutputChecksums.pieceCount(of: numbers[2] - numbers[1])
    guard count <= reader.remainingBytes / 16 else {
      throw StintError(.damaged, "The checkpoint ends inside the checksums of partial/\(name).")
    }
    let pieces = try (0..<count).map { _ in
      Checksum128(bytes: Array(try reader.take(16, "a checksum"))[...])
    }
    return OutputChecksums(
      file: name, start: numbers[0], origin: numbers[1], end: numbers[2], pieces: pieces)
  }
}

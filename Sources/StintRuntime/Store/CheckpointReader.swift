import Glibc
package import StintCore

/// Reads and checks the generations of a folder.
///
/// It changes nothing and needs no lock.
package struct CheckpointReader: Sendable {
  let fileSystem: any FileSystem
  let directory: OpenFile

  /// Reads and checks the header of a generation, without regard to which job it is of.
  ///
  /// - Throws: `CheckpointFault` or ``StintError``.
  func readHeader(of file: OpenFile, sequence: UInt64) throws -> CheckpointHeader {
    let status = try fileSystem.status(of: file)
    guard status.kind == .regular else { throw CheckpointFault.notACheckpoint }
    let bytes = try fileSystem.readBytes(file, atMost: CheckpointHeader.sizeBytes)
    return try CheckpointHeader(
      decoding: bytes, fileLength: UInt64(max(0, status.sizeBytes)), sequence: sequence,
      digest: XXH3Checksum.digest)
  }

  /// The checksum of what follows the header, through a buffer of fixed size.
  func payloadChecksum(of file: OpenFile, length: Int) throws(StintError) -> Checksum128 {
    try fileSystem.forEachPiece(
      of: file, from: CheckpointHeader.sizeBytes, atMost: length
    ).checksum
  }

  /// Reads a generation, checks all of it, and hands its payload to the body.
  ///
  /// The buffer is as large as the file really is, which the checked header confirms. It is read
  /// and not mapped: an error of the disk below a mapping would be a crash.
  ///
  /// - Throws: `CheckpointFault`, ``StintError``, or what the body throws.
  func withPayload<Result>(
    of sequence: UInt64, expecting expected: CheckpointExpectation,
    _ body: (CheckpointHeader, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let file = try fileSystem.openFile(Generations.name(of: sequence), in: directory, .read)
    defer { fileSystem.close(file) }
    let header = try readHeader(of: file, sequence: sequence)
    try header.check(expected)
    let length = Int(clamping: header.payloadLength)
    guard let memory = malloc(max(length, 1)) else {
      throw StintError(
        .unavailable, "there is not enough memory to load \(file.path) of \(length) bytes",
        errno: ENOMEM)
    }
    defer { free(memory) }
    let payload = UnsafeMutableRawBufferPointer(start: memory, count: length)
    let checksum = XXH3Checksum()
    var done = 0
    while done < length {
      let (count, isWhole) = try readNext(of: file, into: payload, from: done)
      checksum.update(UnsafeRawBufferPointer(rebasing: payload[done..<done + count]))
      done += count
      guard isWhole else {
        throw CheckpointFault.length(actual: UInt64(done), stored: header.payloadLength)
      }
    }
    try header.check(payload: checksum.value)
    return try body(header, UnsafeRawBufferPointer(payload))
  }

  /// From this many bytes on, two threads read: most of the time goes into memory that is touched
  /// for the first time.
  private static let sharedBytes = 16 << 20

  /// Reads the next pieces of a payload.
  ///
  /// - Returns: How many bytes follow each other, and whether they are as many as the payload has
  ///   there.
  private func readNext(
    of file: OpenFile, into payload: UnsafeMutableRawBufferPointer, from done: Int
  ) throws -> (count: Int, isWhole: Bool) {
    let isShared = payload.count - done >= Self.sharedBytes
    let size = isShared ? Self.sharedBytes / 4 : CheckpointStore.pieceBytes
    // Each thread writes a part of its own.
    nonisolated(unsafe) let memory = payload
    let counts = try Parallel.map(count: isShared ? 2 : 1, threads: 2) { index in
      let start = done + index * size
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: memory[start..<min(start + size, memory.count)])
      let count = try fileSystem.readAll(file, into: piece, at: CheckpointHeader.sizeBytes + start)
      return (count: count, isWhole: count == piece.count)
    }
    guard counts[0].isWhole else { return counts[0] }
    return (counts.reduce(0) { $0 + $1.count }, counts.allSatisfy(\.isWhole))
  }

  /// Checks a generation completely without loading it, whatever job it is of.
  ///
  /// - Returns: The header.
  /// - Throws: `CheckpointFault` or ``StintError``.
  package func verify(_ sequence: UInt64) throws -> CheckpointHeader {
    let file = try fileSystem.openFile(Generations.name(of: sequence), in: directory, .read)
    defer { fileSystem.close(file) }
    let header = try readHeader(of: file, sequence: sequence)
    try header.check(
      payload: try payloadChecksum(of: file, length: Int(clamping: header.payloadLength)))
    return header
  }

  /// What a generation that is whole says of partial output; nil if it has no record of it.
  ///
  /// - Throws: `CheckpointFault` or ``StintError``.
  func outputRecord(of sequence: UInt64) throws -> OutputRecord? {
    let file = try fileSystem.openFile(Generations.name(of: sequence), in: directory, .read)
    defer { fileSystem.close(file) }
    let header = try readHeader(of: file, sequence: sequence)
    guard header.holdsOutputRecord else { return nil }
    let end = CheckpointHeader.sizeBytes + Int(clamping: header.payloadLength)
    let begin = max(CheckpointHeader.sizeBytes, end - OutputRecord.footBytes)
    let foot = try fileSystem.readBytes(file, at: begin, atMost: OutputRecord.footBytes)
    let length = try foot.withUnsafeBytes { try OutputRecord.length(foot: $0) }
    guard length <= begin - CheckpointHeader.sizeBytes else {
      throw CheckpointFault.malformed("end")
    }
    let bytes = try fileSystem.readBytes(file, at: begin - length, atMost: length)
    return try bytes.withUnsafeBytes { try OutputRecord(decoding: $0) }
  }
}

package import StintCore

/// The generations of one job in its `checkpoints/` folder.
///
/// A commit writes under a temporary name, reads back what it wrote, waits for the disk, renames,
/// and waits for the folder (C1). Only then do generations go that are older than the last two
/// verified ones (C3). Reading back comes before the wait: the disk works meanwhile, and a file
/// that is not whole never gets its final name.
package final class CheckpointStore: Sendable {
  /// What this process knows of the folder.
  struct State {
    var lastSequence: UInt64
    var verified: Set<UInt64> = []
  }

  /// How much is hashed and written, or read and hashed, at a time: it stays in the processor's
  /// cache in between.
  static let pieceBytes = 1 << 20
  /// How often the disk is asked to begin.
  static let writebackBytes = 8 << 20

  let fileSystem: any FileSystem
  let directory: OpenFile
  let expected: CheckpointExpectation
  let identity: StoreIdentity
  let state: Protected<State>

  /// Reads what is there.
  var reader: CheckpointReader {
    CheckpointReader(fileSystem: fileSystem, directory: directory)
  }

  /// Creates a store on an open folder, whose lock the caller holds; the store closes the folder
  /// when it goes away.
  ///
  /// `lastSequence` is the highest generation that the journal knows: numbers are never used twice.
  package init(
    fileSystem: any FileSystem, directory: OpenFile, expected: CheckpointExpectation,
    identity: StoreIdentity, lastSequence: UInt64 = 0
  ) throws(StintError) {
    self.fileSystem = fileSystem
    self.directory = directory
    self.expected = expected
    self.identity = identity
    let found: Generations
    do {
      found = Generations(listing: try fileSystem.list(directory))
    } catch {
      fileSystem.close(directory)
      throw error
    }
    for name in found.temporaries { try? fileSystem.remove(name, in: directory) }
    // A journal that tells of the highest number of all does not tell of a generation: numbers
    // begin at 1.
    let known = lastSequence < .max ? lastSequence : 0
    state = Protected(State(lastSequence: max(known, found.highest)))
  }

  deinit {
    fileSystem.close(directory)
  }

  /// The highest number that a file had, or may get from a commit that is under way.
  var lastSequence: UInt64 { state.withLock { $0.lastSequence } }

  /// The generations that are there.
  package func generations() throws(StintError) -> Generations {
    Generations(listing: try fileSystem.list(directory))
  }

  /// Makes a payload the newest generation.
  ///
  /// One call at a time. The confirmation is asked for before anything is written, and when the
  /// file is on disk and about to get its name; what it throws is the failure of the commit.
  ///
  /// - Throws: ``StintError``; the generations before are untouched (C4).
  package func commit(
    _ payload: CheckpointPayload, workTime: Duration,
    confirm: () throws(StintError) -> Void = { () throws(StintError) in }
  ) throws(StintError) -> CommittedCheckpoint {
    let sequence = try nextSequence()
    let name = Generations.name(of: sequence)
    let temporary = Generations.temporaryName(of: sequence)
    do throws(StintError) {
      try confirm()
      do throws(StintError) {
        try fileSystem.removeIfPresent(temporary, in: directory)
        let file = try fileSystem.openFile(temporary, in: directory, .create)
        defer { fileSystem.close(file) }
        try write(payload, sequence: sequence, workTime: workTime, to: file)
        try fileSystem.synchronize(file)
        try confirm()
        try fileSystem.rename(temporary, in: directory, to: name, in: directory)
      } catch {
        // Another process's by now: the file under that name may be its.
        if error.code != .busy { try? fileSystem.remove(temporary, in: directory) }
        throw error
      }
      // Failed here, the file is whole under its name. It may stay, but must not be relied on.
      try fileSystem.synchronize(directory)
    } catch {
      throw StintError(
        error.code, "checkpoint \(sequence) is not saved, the one before stands: \(error)",
        errno: error.errno)
    }
    state.withLock { _ = $0.verified.insert(sequence) }
    prune()
    return CommittedCheckpoint(
      sequence: sequence, sizeBytes: CheckpointHeader.sizeBytes + payload.sizeBytes)
  }

  /// Removes every generation and everything that was set aside, after the job has finished.
  package func removeAll() throws(StintError) {
    let found = try generations()
    let names = found.temporaries + found.setAside + found.newestFirst.map(Generations.name(of:))
    for name in names { try fileSystem.removeIfPresent(name, in: directory) }
    try fileSystem.synchronize(directory)
    state.withLock { $0.verified = [] }
  }

  /// A number that no file has had yet.
  private func nextSequence() throws(StintError) -> UInt64 {
    let next = state.withLock { state -> UInt64? in
      guard state.lastSequence < .max else { return nil }
      state.lastSequence += 1
      return state.lastSequence
    }
    guard let next else {
      throw StintError(
        .damaged,
        "\(directory.path) has a file with the highest possible number, which Stint did not make; "
          + "move \(Generations.name(of: .max)) away")
    }
    return next
  }

  private func write(
    _ payload: CheckpointPayload, sequence: UInt64, workTime: Duration, to file: OpenFile
  ) throws(StintError) {
    let checksum = XXH3Checksum()
    var offset = CheckpointHeader.sizeBytes
    var begun = 0
    for segment in payload.segments {
      defer { withExtendedLifetime(segment.owner) {} }
      var rest = segment.bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceBytes))
        rest = rest.dropFirst(piece.count)
        checksum.update(piece)
        try fileSystem.writeAll(file, piece, at: offset)
        offset += piece.count
        if offset - begun >= Self.writebackBytes {
          fileSystem.startWriteback(file, from: begun, sizeBytes: offset - begun)
          begun = offset
        }
      }
    }
    // The header comes last because it holds the checksum; before that the file is not a
    // checkpoint.
    let header = CheckpointHeader(
      stateVersion: expected.stateVersion, kind: expected.kind,
      parameterHash: expected.parameterHash, sequence: sequence,
      workTimeNanoseconds: UInt64(max(0, workTime.nanoseconds)),
      payloadLength: UInt64(payload.sizeBytes),
      createdNanoseconds: UInt64(max(0, identity.wallClock())), payloadChecksum: checksum.value,
      holdsOutputRecord: payload.holdsOutputRecord)
    try fileSystem.writeAll(file, header.encoded(digest: XXH3Checksum.digest), at: 0)
    fileSystem.startWriteback(file, from: begun, sizeBytes: offset - begun)
    try verify(file, sequence: sequence, is: header)
  }

  /// Reads a file that was just written through a fixed buffer and compares it with what it should
  /// be.
  private func verify(
    _ file: OpenFile, sequence: UInt64, is header: CheckpointHeader
  ) throws(StintError) {
    do {
      let found = try reader.readHeader(of: file, sequence: sequence)
      guard found == header else { throw CheckpointFault.malformed("fields") }
      try found.check(
        payload: try reader.payloadChecksum(of: file, length: Int(header.payloadLength)))
    } catch let fault as CheckpointFault {
      throw StintError(.io, "\(file.path), read back after it was written, \(fault)")
    } catch let error as StintError {
      throw error
    } catch {
      throw StintError(.io, "\(file.path) could not be read back: \(error)")
    }
  }

  /// Removes what is older than the last two verified generations.
  ///
  /// What cannot be removed only costs space.
  private func prune() {
    guard let found = try? generations() else { return }
    let verified = state.withLock { $0.verified }
    let old = found.prunable(verified: verified)
    for sequence in old { try? fileSystem.remove(Generations.name(of: sequence), in: directory) }
    state.withLock { $0.verified.subtract(old) }
  }

}

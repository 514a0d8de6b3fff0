#if Images
package import StintRuntime
import StintCore

extension ImageSetComputation {
  package func encode(_ state: ImageSetState, into payload: inout CheckpointPayload) throws {
    payload.append(UInt64(ledger.state.withLock { $0.fileBytes }))
    guard let current = state.current else { return payload.append(UInt8(0)) }
    switch current.phase {
    case .reading(let pieces):
      payload.append(UInt8(1))
      append(current.unit, to: &payload)
      payload.append(UInt64(pieces.count))
      for piece in pieces { payload.append(piece.bytes) }
    case .working(let fingerprint, let inner):
      try append(current.unit, fingerprint, inner, to: &payload)
    case .checking(let fingerprint, let inner, let output):
      try append(current.unit, fingerprint, inner, checked: output.checkedBytes, to: &payload)
    }
  }

  private func append(
    _ unit: ImageSetPlan.Unit, _ fingerprint: SourceFingerprint, _ inner: ImageState,
    checked: Int? = nil, to payload: inout CheckpointPayload
  ) throws {
    // Closed when its end was written down, by a chunk that runs at the same time; then it is of
    // no concern any more.
    guard let computation = open.computation(unit) else { return payload.append(UInt8(0)) }
    payload.append(UInt8(checked == nil ? 2 : 3))
    append(unit, to: &payload)
    payload.append(UInt64(fingerprint.sizeBytes))
    payload.append(fingerprint.checksum.bytes)
    if let checked { payload.append(UInt64(checked)) }
    try computation.encode(inner, into: &payload)
  }

  /// Which image it is, and what the file is that is read; zeros, which no file has, if it is not
  /// open.
  private func append(_ unit: ImageSetPlan.Unit, to payload: inout CheckpointPayload) {
    payload.append(UInt64(unit.item))
    payload.append(UInt64(unit.frame))
    let identity = open.file(unit)?.identity
    payload.append(identity?.device ?? 0)
    payload.append(identity?.inode ?? 0)
    payload.append(UInt64(identity?.sizeBytes ?? 0))
    payload.append(UInt64(bitPattern: identity?.modified ?? 0))
    payload.append(UInt64(bitPattern: identity?.changed ?? 0))
  }

  private func decodedIdentity(_ reader: inout ByteReader) throws -> SourceFile.Identity {
    let device = try reader.readWord("device of the input")
    let inode = try reader.readWord("number of the input")
    let sizeBytes = try reader.readCount(atMost: .max, "length of the input")
    return SourceFile.Identity(
      device: device, inode: inode, sizeBytes: sizeBytes,
      modified: Int64(bitPattern: try reader.readWord("time of the input")),
      changed: Int64(bitPattern: try reader.readWord("time of the input")))
  }

  package func partialOutput(of state: ImageSetState) -> [PartialOutput] {
    guard let current = state.current, let computation = open.computation(current.unit) else {
      return []
    }
    switch current.phase {
    case .reading: return []
    case .working(_, let inner), .checking(_, let inner, _):
      return computation.partialOutput(of: inner)
    }
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, in workspace: any Workspace
  ) throws -> ImageSetState {
    var reader = ByteReader(payload)
    let ledgerBytes = try reader.readCount(atMost: .max, "length of the ledger")
    try ledger.load(in: workspace, durableBytes: ledgerBytes)
    try standing.load(in: workspace)
    tellDamage()
    let tag = try reader.readByte()
    if ledger.isDamaged {
      // The lost lines may have told that the half image is done.
      if tag == 2 || tag == 3, let unit = try? decodedUnit(&reader) {
        try ledger.drop(unit, since: ledgerBytes, in: workspace)
      }
      try clear(workspace)
      return ImageSetState()
    }
    switch tag {
    case 0:
      try reader.finish()
    case 1:
      let unit = try decodedUnit(&reader)
      let identity = try decodedIdentity(&reader)
      // No more than there are bytes of, however long the input is said to be.
      let most = min(
        SourceFingerprint.pieceCount(identity.sizeBytes) - 1, reader.remainingBytes / 16)
      let count = try reader.readCount(atMost: most, "number of pieces")
      let pieces = try (0..<count).map { _ in try decodedChecksum(&reader) }
      try reader.finish()
      if ledger.isOpen(unit, since: ledgerBytes) {
        // Nothing was made of it yet: another file is read from its beginning.
        let isSame = ledger.identity(of: unit.item) == identity
        return ImageSetState(
          current: .init(unit: unit, phase: .reading(isSame ? pieces : [])))
      }
    case 2, 3:
      let unit = try decodedUnit(&reader)
      let identity = try decodedIdentity(&reader)
      let sizeBytes = try reader.readCount(atMost: .max, "length of the input")
      let fingerprint = SourceFingerprint(
        sizeBytes: sizeBytes, checksum: try decodedChecksum(&reader))
      let checked = tag == 2 ? nil : try reader.readCount(atMost: .max, "number of checked bytes")
      if ledger.isOpen(unit, since: ledgerBytes) {
        let rest = try reader.take(reader.remainingBytes, "the state of an image")
        if let state = try reopened(
          unit, identity, fingerprint, rest, checked: checked, in: workspace)
        {
          return state
        }
      }
      try ledger.drop(unit, since: ledgerBytes, in: workspace)
    case _:
      throw StintError(
        .damaged, "The checkpoint has a phase \(tag), which this work does not have.")
    }
    try clear(workspace)
    return ImageSetState()
  }

  private func decodedUnit(_ reader: inout ByteReader) throws -> ImageSetPlan.Unit {
    let item = try reader.readCount(atMost: ledger.count - 1, "place of the input")
    return .init(item: item, frame: try reader.readCount(atMost: 1 << 30, "frame"))
  }

  private func decodedChecksum(_ reader: inout ByteReader) throws -> Checksum128 {
    Checksum128(bytes: Array(try reader.take(16, "a checksum"))[...])
  }

  /// Goes on with an image; nil if it has to be made anew, or if its input cannot be read any more:
  /// then the others go on without it.
  private func reopened(
    _ unit: ImageSetPlan.Unit, _ identity: SourceFile.Identity, _ fingerprint: SourceFingerprint,
    _ bytes: UnsafeRawBufferPointer, checked: Int?, in workspace: any Workspace
  ) throws -> ImageSetState? {
    let computation: ImageComputation?
    do {
      computation = try InputFailure.catching {
        guard try isStill(unit, identity, fingerprint) else { return nil }
        return try opened(unit, fingerprint)
      }
    } catch let failure as InputFailure {
      try fail(unit.item, failure.error, in: workspace)
      return nil
    }
    guard let computation else {
      tellNotices([
        "\(ledger.item(unit.item).path) has changed since half of its image was made; it is made anew."
      ])
      return nil
    }
    let state = try computation.decode(bytes, in: workspace)
    let phase: ImageSetState.Phase =
      checked.map { .checking(fingerprint, state, OutputRecord(checkedBefore: $0)) }
      ?? .working(fingerprint, state)
    return ImageSetState(current: .init(unit: unit, phase: phase))
  }

  /// Whether an input has the bytes of which half of its image was made; it is read again if it is
  /// another file.
  private func isStill(
    _ unit: ImageSetPlan.Unit, _ identity: SourceFile.Identity, _ fingerprint: SourceFingerprint
  ) throws -> Bool {
    let file = try source(of: unit)
    return try file.identity == identity || file.wholeFingerprint() == fingerprint
  }
}
#endif

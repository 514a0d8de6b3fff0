import StintCore
package import StintRuntime

extension FibonacciSequence {
  package func encode(_ state: SequenceState, into payload: inout CheckpointPayload) throws {
    saved.counts(on: outputBytes(state))
    payload.append(count: range.first)
    payload.append(count: range.last)
    switch state.phase {
    case .doubling(let state):
      payload.append(UInt8(0))
      doubling.encode(state, into: &payload)
    case .lines(let state):
      payload.append(UInt8(1))
      payload.append(count: state.position)
      payload.append(count: state.written)
      append(state.checksum, to: &payload)
      for number in [state.current, state.previous] {
        payload.append(count: number.limbCount)
        payload.lend(number.bytes, owner: number)
      }
    case .checking(let state):
      payload.append(UInt8(2))
      payload.append(count: state.sizeBytes)
      append(state.expected, to: &payload)
      payload.append(count: state.checked)
      append(state.checksum, to: &payload)
    case .complete(let sizeBytes, let checksum):
      payload.append(UInt8(3))
      payload.append(count: sizeBytes)
      append(checksum, to: &payload)
    }
  }

  private func append(_ checksum: StreamChecksum, to payload: inout CheckpointPayload) {
    payload.append(checksum.value)
    payload.append(checksum.pending)
    payload.append(checksum.pendingCount)
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, in workspace: any Workspace
  ) throws -> SequenceState {
    var reader = ByteReader(payload)
    let first = try reader.readCount(atMost: FibonacciRange.maximum, "first position")
    let last = try reader.readCount(atMost: FibonacciRange.maximum, "last position")
    guard first == range.first, last == range.last else {
      throw StintError(
        .damaged, "The checkpoint is of \(first)..\(last), not of \(range.first)..\(range.last).")
    }
    let file = try workspace.partialFile(named: ResultFile.name)
    let phase: SequenceState.Phase
    switch try reader.readByte() {
    case 0: phase = .doubling(try doubling.decode(&reader))
    case 1: phase = .lines(try decodeLines(&reader, file))
    case 2: phase = .checking(try decodeCheck(&reader, file))
    case 3: phase = try decodeComplete(&reader, file)
    case let tag: throw StintError(.damaged, "The checkpoint has the unknown phase \(tag).")
    }
    try reader.finish()
    var state = SequenceState(phase: phase)
    state.isUntried = mayBeSplit(state)
    saved.counts(on: outputBytes(state))
    return state
  }

  private func decodeLines(
    _ reader: inout ByteReader, _ file: any PartialFile
  ) throws -> LinesState {
    let position = try reader.readCount(atMost: range.last, "position")
    let written = try reader.readCount(atMost: file.sizeBytes, "length of the lines")
    let checksum = try readChecksum(&reader)
    let digits = FibonacciLength.digits(position)
    let state = LinesState(
      position: position, current: try readNumber(&reader, digitsAtMost: digits),
      previous: try readNumber(&reader, digitsAtMost: digits), written: written,
      checksum: checksum)
    guard position >= range.first, isRight(state), written > 0 || position == range.first else {
      throw StintError(
        .damaged, "The checkpoint's numbers are not F(\(position)) and F(\(position - 1)).")
    }
    try verifyLastLine(before: state, file)
    return state
  }

  /// Compares the last line that was written with the value before the current one.
  private func verifyLastLine(before state: LinesState, _ file: any PartialFile) throws {
    guard state.position > range.first else {
      guard state.written == 0 else {
        throw StintError(.damaged, "The checkpoint counts lines before the first one.")
      }
      return
    }
    var expected = Array((state.position - 1 == range.first ? "" : "\n").utf8)
    expected += Array("\(state.position - 1) ".utf8)
    DecimalLimbs.appendText(of: state.previous.limbs, to: &expected)
    expected.append(UInt8(ascii: "\n"))
    guard state.written >= expected.count else {
      throw StintError(.damaged, "The checkpoint's length of the lines is too small.")
    }
    var line = [UInt8](repeating: 0, count: expected.count)
    try line.withUnsafeMutableBytes {
      try file.read(into: $0, at: state.written - expected.count)
    }
    guard line == expected else {
      throw StintError(
        .damaged,
        "The last line of the partial output is not that of position"
          + " \(state.position - 1); an older checkpoint is needed.")
    }
  }

  private func decodeCheck(
    _ reader: inout ByteReader, _ file: any PartialFile
  ) throws -> SequenceCheck {
    let size = try readSize(&reader, file)
    let expected = try readChecksum(&reader)
    let checked = try reader.readCount(atMost: size, "number of bytes read")
    guard checked < size else {
      throw StintError(.damaged, "The checkpoint's check has nothing left to read.")
    }
    let checksum = try readChecksum(&reader)
    try verify(checksum, ofFirst: checked, of: file)
    return SequenceCheck(
      sizeBytes: size, expected: expected, checked: checked, checksum: checksum)
  }

  private func decodeComplete(
    _ reader: inout ByteReader, _ file: any PartialFile
  ) throws -> SequenceState.Phase {
    let size = try readSize(&reader, file)
    let checksum = try readChecksum(&reader)
    try verify(checksum, ofFirst: size, of: file)
    return .complete(sizeBytes: size, checksum: checksum)
  }

  /// Reads again what a stored state says was read before: it may have changed since.
  private func verify(
    _ stored: StreamChecksum, ofFirst count: Int, of file: any PartialFile
  ) throws {
    var checksum = StreamChecksum()
    try ResultFile.forEachPiece(of: file, upTo: count, atMost: Self.pieceBytes) { _, piece in
      checksum.append(piece)
    }
    guard checksum == stored else {
      throw StintError(
        .damaged,
        "The first \(count) bytes of the partial output are not those that were checked; an older"
          + " checkpoint is needed.")
    }
  }

  private func readSize(_ reader: inout ByteReader, _ file: any PartialFile) throws -> Int {
    let size = try reader.readCount(atMost: .max, "length of the output")
    guard try file.sizeBytes == size else {
      throw StintError(
        .damaged,
        "The partial output has \(try file.sizeBytes) bytes instead of \(size); an older"
          + " checkpoint is needed.")
    }
    return size
  }

  private func readChecksum(_ reader: inout ByteReader) throws -> StreamChecksum {
    let words = try (0..<3).map { _ in try reader.readWord("checksum") }
    guard let checksum = StreamChecksum(value: words[0], pending: words[1], pendingCount: words[2])
    else { throw StintError(.damaged, "The checkpoint's checksum is not valid.") }
    return checksum
  }

  private func readNumber(
    _ reader: inout ByteReader, digitsAtMost digits: Int
  ) throws -> DecimalNumber {
    let limit = (digits + DecimalNumber.limbDigits - 1) / DecimalNumber.limbDigits
    let count = try reader.readCount(
      atMost: min(limit, reader.remainingBytes / 8), "length of a number")
    let limbs = try (0..<count).map { _ in try reader.readWord("a number") }
    guard limbs.last != 0, limbs.allSatisfy({ $0 < DecimalNumber.base }) else {
      throw StintError(.damaged, "The checkpoint's number is not in base 10^19.")
    }
    return DecimalNumber(limbs: limbs)
  }
}

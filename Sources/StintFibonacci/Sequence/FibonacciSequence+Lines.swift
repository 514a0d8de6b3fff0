import StintCore
package import StintRuntime

extension FibonacciSequence {
  package func advanced(
    _ state: SequenceState, atMost cost: Double, in context: ChunkContext
  ) throws -> (state: SequenceState, cost: Double) {
    switch state.phase {
    case .doubling(let state) where state.remainingBits > 0:
      let step = try doubling.advanced(state, atMost: cost, threads: 1)
      return (SequenceState(phase: .doubling(step.state)), step.cost)
    case .doubling(let state):
      return (SequenceState(phase: .lines(firstLine(state))), GMPCost.overhead)
    case .lines(let state):
      return try written(state, atMost: cost, in: context)
    case .checking(let state):
      return try checked(state, in: context.workspace)
    case .complete:
      preconditionFailure("A complete sequence has no next chunk.")
    }
  }

  func firstLine(_ pair: DoublingState<DecimalNumber>) -> LinesState {
    LinesState(
      position: range.first, current: pair.current, previous: pair.previous, written: 0,
      checksum: StreamChecksum())
  }

  private func written(
    _ state: LinesState, atMost cost: Double, in context: ChunkContext
  ) throws -> (state: SequenceState, cost: Double) {
    let file = try context.workspace.partialFile(named: ResultFile.name)
    let lines = LineWriter(state, last: range.last)
    var written = state.written
    var checksum = state.checksum
    var spent = 0.0
    func flush() throws {
      try file.write(lines.text, at: written)
      checksum.append(lines.text)
      written += lines.text.count
      lines.taken()
    }
    repeat {
      spent += Self.lineCost(lines.position)
      try lines.writeLine()
      if lines.isFull { try flush() }
    } while lines.position <= range.last && spent + Self.lineCost(lines.position) <= cost
      && written + lines.text.count - state.written < chunkBytes && !context.stopFlag.isRaised
    try flush()
    let next = try lines.state(written: written, checksum: checksum)
    guard lines.position > range.last else { return (SequenceState(phase: .lines(next)), spent) }
    guard isRight(next) else {
      throw StintError(
        .checkFailed, "The last line fails its check modulo a prime.", remedies: [.startOver])
    }
    try file.truncate(to: written)
    let check = SequenceCheck(
      sizeBytes: written, expected: checksum, checked: 0, checksum: StreamChecksum())
    return (SequenceState(phase: .checking(check)), spent)
  }

  /// Whether the pair is F(position), F(position − 1) modulo a prime.
  func isRight(_ state: LinesState) -> Bool {
    let modular = ModularArithmetic.word
    let expected = modular.fibonacci(state.position)
    return state.current.residue(modular) == expected.value
      && state.previous.residue(modular) == expected.previous
  }

  private func checked(
    _ state: SequenceCheck, in workspace: any Workspace
  ) throws -> (state: SequenceState, cost: Double) {
    let file = try workspace.partialFile(named: ResultFile.name)
    let count = min(Self.pieceBytes, state.sizeBytes - state.checked)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    try file.read(into: buffer, at: state.checked)
    var next = state
    next.checked += count
    next.checksum.append(UnsafeRawBufferPointer(buffer))
    let cost = Self.checkCost(bytes: Double(count))
    guard next.checked == state.sizeBytes else {
      return (SequenceState(phase: .checking(next)), cost)
    }
    guard next.checksum == state.expected else {
      throw StintError(
        .checkFailed, "The output is not what was written.", remedies: [.startOver])
    }
    let complete = SequenceState.Phase.complete(
      sizeBytes: state.sizeBytes, checksum: next.checksum)
    return (SequenceState(phase: complete), cost)
  }

  /// Writes the lines to a sink as they come, without a file and without checkpoints.
  ///
  /// - Parameters:
  ///   - sink: Receives parts of the text.
  ///   - stop: Polled after every line.
  /// - Returns: Whether all lines were written; false if the flag was seen.
  /// - Throws: What the sink throws, or ``StintError`` if the last line fails its check.
  package func stream(
    into sink: (UnsafeRawBufferPointer) throws -> Void, stop: StopFlag
  ) throws -> Bool {
    var pair = doubling.start()
    while pair.remainingBits > 0 {
      if stop.isRaised { return false }
      pair = try doubling.advanced(pair, atMost: .infinity, threads: 1).state
    }
    let lines = LineWriter(firstLine(pair), last: range.last)
    while lines.position <= range.last && !stop.isRaised {
      try lines.writeLine()
      if lines.isFull {
        try sink(lines.text)
        lines.taken()
      }
    }
    try sink(lines.text)
    lines.taken()
    guard isRight(try lines.state(written: 0, checksum: StreamChecksum())) else {
      throw StintError(.checkFailed, "The last line fails its check modulo a prime.")
    }
    return lines.position > range.last
  }
}

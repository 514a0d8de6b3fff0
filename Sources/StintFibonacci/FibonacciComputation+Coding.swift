import StintCore
package import StintRuntime

extension FibonacciComputation {
  package func encode(_ state: FibonacciState, into payload: inout CheckpointPayload) throws {
    saved.counts(on: outputBytes(state))
    payload.append(count: n)
    switch state.phase {
    case .doubling(let state):
      payload.append(UInt8(0))
      doubling.encode(state, into: &payload)
    case .decimalDoubling(let state):
      payload.append(UInt8(0))
      decimalDoubling.encode(state, into: &payload)
    case .digits(let state):
      payload.append(UInt8(1))
      decimal.encode(state, into: &payload)
    case .binary(let state):
      payload.append(UInt8(2))
      payload.append(count: state.written)
      payload.append(state.number)
    case .checking(let state):
      payload.append(UInt8(3))
      payload.append(count: state.checked)
      payload.append(state.residue)
    case .complete:
      payload.append(UInt8(4))
    }
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, in workspace: any Workspace
  ) throws -> FibonacciState {
    var reader = ByteReader(payload)
    let position = try reader.readCount(atMost: FibonacciIndex.maximum, "position")
    guard position == n else {
      throw StintError(.damaged, "The checkpoint is of F(\(position)), not of F(\(n)).")
    }
    let phase: FibonacciState.Phase
    switch (try reader.readByte(), format) {
    case (0, .decimal):
      phase = .decimalDoubling(try decimalDoubling.decode(&reader))
    case (0, .hex), (0, .raw):
      phase = .doubling(try doubling.decode(&reader))
    case (1, .decimal):
      phase = .digits(try decimal.decode(&reader, n: n, in: workspace))
    case (2, .hex), (2, .raw):
      phase = .binary(try decodeBinary(&reader, in: workspace))
    case (3, _):
      phase = .checking(try decodeChecking(&reader, in: workspace))
    case (4, _):
      try check.verifyStored(nil, in: workspace)
      phase = .complete
    case (let tag, _):
      throw StintError(
        .damaged, "The checkpoint has phase \(tag), which \(format.rawValue) output does not have.")
    }
    try reader.finish()
    var state = FibonacciState(phase: phase)
    state.isUntried = mayBeSplit(state)
    saved.counts(on: outputBytes(state))
    return state
  }

  private func decodeBinary(
    _ reader: inout ByteReader, in workspace: any Workspace
  ) throws -> BinaryState {
    let written = try reader.readCount(atMost: binary.length, "number of written bytes")
    let state = BinaryState(
      number: try reader.readInteger(bitsAtMost: FibonacciLength.bits(n), "F(n)"),
      written: written)
    let modular = ModularArithmetic.word
    guard state.number.residue(modulo: modular.modulus) == modular.fibonacci(n).value else {
      throw StintError(.damaged, "The checkpoint's number is not F(\(n)) modulo a prime.")
    }
    try binary.verify(state, in: workspace)
    return state
  }

  private func decodeChecking(
    _ reader: inout ByteReader, in workspace: any Workspace
  ) throws -> CheckingState {
    let state = CheckingState(
      checked: try reader.readCount(atMost: check.length - 1, "number of bytes read"),
      residue: try reader.readResidue(
        below: ModularArithmetic.mersenne.modulus, "value of the bytes read"))
    try check.verifyStored(state, in: workspace)
    return state
  }
}

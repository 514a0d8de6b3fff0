import Stint
import StintCore

extension DecimalConversion {
  func encode(_ state: DecimalState, into payload: inout CheckpointPayload) {
    payload.append(count: plan.levels)
    payload.append(count: plan.blockDigits)
    switch state {
    case .reciprocal(let state):
      payload.append(UInt8(0))
      encode(state, into: &payload)
    case .splitting(let state):
      payload.append(UInt8(1))
      encode(state, into: &payload)
    case .writing(let state):
      payload.append(UInt8(2))
      payload.append(count: state.written)
      payload.append(state.residue)
      for block in state.blocks { payload.append(block) }
    }
  }

  private func encode(_ state: ReciprocalState, into payload: inout CheckpointPayload) {
    payload.append(count: state.level)
    payload.append(state.number)
    switch state.step {
    case .ready(let power, let reciprocal):
      payload.append(UInt8(0))
      payload.append(power)
      payload.append(reciprocal)
    case .squared(let reciprocal, let square):
      payload.append(UInt8(1))
      payload.append(square)
      payload.append(reciprocal)
    case .approximated(let approximation, let square):
      payload.append(UInt8(2))
      payload.append(square)
      payload.append(approximation)
    case .measured(let approximation, let error, let square):
      payload.append(UInt8(error.isNegative ? 4 : 3))
      payload.append(square)
      payload.append(approximation)
      payload.append(error.magnitude)
    }
  }

  private func encode(_ state: SplittingState, into payload: inout CheckpointPayload) {
    payload.append(count: state.level)
    payload.append(count: state.todo.count)
    for piece in state.done + state.todo { payload.append(piece) }
    switch state.divisor {
    case .ready(let power, let reciprocal):
      payload.append(UInt8(state.estimate == nil ? 0 : 1))
      payload.append(power)
      payload.append(reciprocal)
      if let estimate = state.estimate { payload.append(estimate) }
    case .descending(let power, let upper):
      payload.append(UInt8(power == nil ? 2 : 3))
      payload.append(upper)
      if let power { payload.append(power) }
    }
  }

  /// Reads a state and checks that its pieces, with the text that is already written, make up F(n).
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func decode(
    _ reader: inout ByteReader, n: Int, in workspace: any Workspace
  ) throws -> DecimalState {
    let levels = try reader.readCount(atMost: 64, "number of levels")
    let blockDigits = try reader.readCount(atMost: .max, "block length")
    guard levels == plan.levels, blockDigits == plan.blockDigits else {
      throw StintError(.damaged, "The checkpoint's digits are cut into blocks of another length.")
    }
    let expected = ModularArithmetic.mersenne.fibonacci(n).value
    switch try reader.readByte() {
    case 0: return .reciprocal(try decodeReciprocal(&reader, expected: expected))
    case 1: return .splitting(try decodeSplitting(&reader, expected: expected))
    case 2: return .writing(try decodeWriting(&reader, expected: expected, in: workspace))
    case let tag: throw StintError(.damaged, "The checkpoint has the unknown decimal step \(tag).")
    }
  }

  private func decodeReciprocal(
    _ reader: inout ByteReader, expected: UInt64
  ) throws -> ReciprocalState {
    let level = try reader.readCount(atMost: max(plan.levels - 2, 0), "level")
    guard plan.levels >= 2 else { throw StintError(.damaged, "Nothing is to be halved here.") }
    let number = try readPieces(&reader, count: 1, level: plan.levels)[0]
    try compare([number], level: plan.levels, written: DigitResidue(), with: expected)
    let bits = plan.bits(atLevel: level)
    let step: ReciprocalState.Step
    switch try reader.readByte() {
    case 0:
      let power = try readPower(&reader, level: level)
      step = .ready(power: power, reciprocal: try readReciprocal(&reader, bits: bits))
    case 1:
      let square = try readPower(&reader, level: level + 1)
      step = .squared(reciprocal: try readReciprocal(&reader, bits: bits), square: square)
    case 2:
      let square = try readPower(&reader, level: level + 1)
      step = .approximated(
        approximation: try readApproximation(&reader, bits: bits), square: square)
    case let tag where tag == 3 || tag == 4:
      let square = try readPower(&reader, level: level + 1)
      let approximation = try readApproximation(&reader, bits: bits)
      let error = try reader.readInteger(
        bitsAtMost: Reciprocal.largestErrorBits(bits), "error of a reciprocal")
      step = .measured(
        approximation: approximation, error: tag == 4 ? error.negated() : error, square: square)
    case let tag:
      throw StintError(.damaged, "The checkpoint has the unknown reciprocal step \(tag).")
    }
    return ReciprocalState(number: number, level: level, step: step)
  }

  private func decodeSplitting(
    _ reader: inout ByteReader, expected: UInt64
  ) throws -> SplittingState {
    guard plan.levels > 0 else { throw StintError(.damaged, "Nothing is to be halved here.") }
    let level = try reader.readCount(atMost: plan.levels - 1, "level")
    let all = plan.blockCount >> (level + 1)
    let todoCount = try reader.readCount(atMost: all, "number of pieces")
    guard todoCount > 0 else { throw StintError(.damaged, "The checkpoint has no piece to halve.") }
    let done = try readPieces(&reader, count: 2 * (all - todoCount), level: level)
    let todo = try readPieces(&reader, count: todoCount, level: level + 1)
    var sum = DigitResidue()
    append(done, level: level, to: &sum)
    try compare(todo, level: level + 1, written: sum, with: expected)
    let bits = plan.bits(atLevel: level)
    var estimate: BigInteger?
    let divisor: SplittingState.Divisor
    switch try reader.readByte() {
    case let tag where tag == 0 || tag == 1:
      let power = try readPower(&reader, level: level)
      divisor = .ready(power: power, reciprocal: try readReciprocal(&reader, bits: bits))
      if tag == 1 { estimate = try reader.readInteger(bitsAtMost: bits + 2, "quotient") }
    case let tag where tag == 2 || tag == 3:
      guard level < plan.levels - 1, done.isEmpty else {
        throw StintError(.damaged, "The checkpoint has no level above its own.")
      }
      let upper = try readReciprocal(&reader, bits: plan.bits(atLevel: level + 1))
      divisor = .descending(
        power: tag == 3 ? try readPower(&reader, level: level) : nil, upper: upper)
    case let tag:
      throw StintError(.damaged, "The checkpoint has the unknown divisor \(tag).")
    }
    return SplittingState(
      level: level, divisor: divisor, done: done, todo: todo, estimate: estimate)
  }

  private func decodeWriting(
    _ reader: inout ByteReader, expected: UInt64, in workspace: any Workspace
  ) throws -> WritingState {
    let written = try reader.readCount(atMost: plan.blockCount - 1, "number of written blocks")
    let residue = try reader.readResidue(
      below: ModularArithmetic.mersenne.modulus, "value of the written digits")
    let blocks = try readPieces(&reader, count: plan.blockCount - written, level: 0)
    try compare(blocks, level: 0, written: DigitResidue(value: residue), with: expected)
    let digits = written == 0 ? 0 : plan.range(ofBlock: written - 1).upperBound
    if digits > 0 {
      let file = try workspace.partialFile(named: Self.fileName)
      guard try OutputCheck.residue(ofFirst: digits, of: file) == residue else {
        throw StintError(
          .damaged,
          "The first \(digits) digits of the partial output are not those that were"
            + " written; an older checkpoint is needed.")
      }
    }
    return WritingState(written: written, residue: residue, blocks: blocks[...])
  }
}

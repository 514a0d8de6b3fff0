import StintCore
import StintRuntime

extension DecimalOutput {
  func encode(_ state: DigitsState, into payload: inout CheckpointPayload) {
    payload.append(count: state.written)
    payload.append(state.residue)
    let rest = unwritten(state)
    payload.append(count: 8 * rest.count)
    payload.lend(UnsafeRawBufferPointer(rest), owner: state.number)
  }

  /// The limbs that are not written, without zeros at the top.
  func unwritten(_ state: DigitsState) -> UnsafeBufferPointer<UInt64> {
    var count = min(limbCount - state.written, state.number.limbCount)
    while count > 0, state.number.limbBuffer[count - 1] == 0 { count -= 1 }
    return UnsafeBufferPointer(rebasing: state.number.limbBuffer[..<count])
  }

  /// Reads a state and checks that its limbs, with the text that is already written, make up F(n).
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func decode(
    _ reader: inout ByteReader, n: Int, in workspace: any Workspace
  ) throws -> DigitsState {
    let written = try reader.readCount(atMost: limbCount - 1, "number of written limbs")
    let residue = try reader.readResidue(
      below: ModularArithmetic.mersenne.modulus, "value of the written digits")
    let left = limbCount - written
    let number = try DecimalNumber.read(&reader, lengthAtMost: left, "rest of the number")
    var whole = DigitResidue(value: residue)
    whole.append(residue: number.residue(), digitCount: left * DecimalNumber.limbDigits)
    guard whole.value == ModularArithmetic.mersenne.fibonacci(n).value else {
      throw StintError(
        .damaged, "The checkpoint's limbs do not make up F(\(n)) modulo a prime.")
    }
    if written > 0 {
      let places = places(ofLimbs: left..<limbCount)
      let file = try workspace.partialFile(named: ResultFile.name)
      guard try OutputCheck.residue(ofFirst: places.upperBound, of: file) == residue else {
        throw StintError(
          .damaged,
          "The first \(places.upperBound) digits of the partial output are not those that were"
            + " written; an older checkpoint is needed.")
      }
    } else if residue != 0 {
      throw StintError(.damaged, "The checkpoint has a value of digits before the first one.")
    }
    return DigitsState(number: number, written: written, residue: residue)
  }
}

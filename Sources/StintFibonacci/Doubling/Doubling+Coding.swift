import Stint
import StintCore

extension Doubling {
  func encode(_ state: DoublingState, into payload: inout CheckpointPayload) {
    payload.append(count: state.remainingBits)
    payload.append(state.isHalfway ? UInt8(1) : 0)
    payload.append(state.current)
    payload.append(state.previous)
  }

  /// Reads a state and checks its pair.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func decode(_ reader: inout ByteReader) throws -> DoublingState {
    let remainingBits = try reader.readCount(
      atMost: start().remainingBits, "number of steps left")
    let bits = FibonacciLength.bits(n >> remainingBits)
    let flag = try reader.readByte()
    guard flag == 0 || (flag == 1 && remainingBits > 0) else {
      throw StintError(.damaged, "The checkpoint's flag \(flag) is none.")
    }
    let state = DoublingState(
      remainingBits: remainingBits, isHalfway: flag == 1,
      current: try reader.readInteger(bitsAtMost: flag == 1 ? 2 * bits : bits, "F(k)"),
      previous: try reader.readInteger(bitsAtMost: max(bits, 1), "F(k-1)"))
    try verify(state)
    return state
  }
}

import Stint
import StintCore

extension Doubling {
  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(count: state.remainingBits)
    payload.append(state.isHalfway ? UInt8(1) : 0)
    Number.append(state.current, to: &payload)
    Number.append(state.previous, to: &payload)
  }

  /// The size of a state in a checkpoint, in bytes, at most.
  func checkpointBytes(_ state: State) -> Int {
    64 + 8 * (state.current.length + state.previous.length)
  }

  /// Reads a state and checks its pair.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func decode(_ reader: inout ByteReader) throws -> State {
    let remainingBits = try reader.readCount(
      atMost: start().remainingBits, "number of steps left")
    let length = max(Number.length(ofFibonacci: n >> remainingBits), 1)
    let flag = try reader.readByte()
    guard flag == 0 || (flag == 1 && remainingBits > 0) else {
      throw StintError(.damaged, "The checkpoint's flag \(flag) is none.")
    }
    let state = DoublingState(
      remainingBits: remainingBits, isHalfway: flag == 1,
      current: try Number.read(&reader, lengthAtMost: flag == 1 ? 2 * length : length, "F(k)"),
      previous: try Number.read(&reader, lengthAtMost: length, "F(k-1)"))
    try verify(state)
    return state
  }
}

import Stint
import StintCore

extension Doubling {
  func encode(_ state: State, into payload: inout CheckpointPayload) {
    payload.append(count: state.remainingBits)
    payload.append(UInt8((state.isHalfway ? 1 : 0) + (state.split == nil ? 0 : 2)))
    Number.append(state.current, to: &payload)
    Number.append(state.previous, to: &payload)
    state.split?.encode(into: &payload)
  }

  /// The size of a state in a checkpoint, in bytes, at most.
  func checkpointBytes(_ state: State) -> Int {
    64 + 8 * (state.current.length + state.previous.length) + (state.split?.checkpointBytes ?? 0)
  }

  /// Reads a state and checks its pair.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  func decode(_ reader: inout ByteReader) throws -> State {
    let remainingBits = try reader.readCount(
      atMost: start().remainingBits, "number of steps left")
    let length = max(Number.length(ofFibonacci: n >> remainingBits), 1)
    let flag = try reader.readByte()
    guard flag <= 3, flag == 0 || remainingBits > 0 else {
      throw StintError(.damaged, "The checkpoint's flag \(flag) is none.")
    }
    let isHalfway = flag & 1 == 1
    var state = DoublingState(
      remainingBits: remainingBits, isHalfway: isHalfway,
      current: try Number.read(
        &reader, lengthAtMost: isHalfway ? 2 * length : length, "F(k)"),
      previous: try Number.read(&reader, lengthAtMost: length, "F(k-1)"))
    if flag & 2 == 2 {
      state.split = try SplitProduct(&reader, factorLength: factorLength(remainingBits))
    }
    try verify(state)
    return state
  }
}

import StintRuntime

extension ChunkedComputation {
  /// The payload of a checkpoint.
  func bytes(of state: State) -> [UInt8] {
    var payload = CheckpointPayload()
    needed("a state that was read cannot be encoded") { try encode(state, into: &payload) }
    var bytes: [UInt8] = []
    payload.forEachSegment { bytes += $0 }
    return bytes
  }
}

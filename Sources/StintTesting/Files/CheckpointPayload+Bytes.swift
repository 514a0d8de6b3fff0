package import StintRuntime

extension CheckpointPayload {
  /// A copy of all segments, one after another.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sizeBytes)
    forEachSegment { bytes += $0 }
    return bytes
  }
}

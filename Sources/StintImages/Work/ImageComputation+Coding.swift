#if Images
package import StintRuntime
import StintCore

extension ImageComputation {
  package func encode(_ state: ImageState, into payload: inout CheckpointPayload) throws {
    graph.saved.counts(on: partialBytes(state))
    append(Array(VipsLibrary.engine.utf8), to: &payload)
    payload.append(UInt64(state.statistics.count))
    for statistics in state.statistics { append(statistics.encoded, to: &payload) }
    switch state.phase {
    case .decoding(let rows, nil):
      payload.append(UInt8(0))
      payload.append(UInt64(rows))
    case .decoding(let rows, let delivered?):
      append(delivered, to: &payload, tags: (8, 9))
      payload.append(UInt64(rows))
    case .collecting(let filter, let rows, let sum):
      payload.append(UInt8(1))
      payload.append(UInt64(filter))
      payload.append(UInt64(rows))
      if let sum { append(sum.encoded, to: &payload) }
    case .filtering(let delivered): append(delivered, to: &payload, tags: (2, 3))
    case .streaming(let delivered): append(delivered, to: &payload, tags: (6, 7))
    case .encoding:
      payload.append(UInt8(4))
    case .complete(let sizeBytes):
      payload.append(UInt8(5))
      payload.append(UInt64(sizeBytes))
    }
  }

  package func decode(
    _ payload: UnsafeRawBufferPointer, in workspace: any Workspace
  ) throws -> ImageState {
    var reader = ByteReader(payload)
    try checkEngine(&reader)
    let collectors = plan.collectors
    let count = try reader.readCount(atMost: collectors.count, "number of statistics")
    let statistics = try (0..<count).map { index in
      let filter = collectors[index]
      return try decodedStatistics(&reader, of: filter, rows: plan.shapes[filter].height)
    }
    let phase = try decodedPhase(&reader, statistics: count, in: workspace)
    try reader.finish()
    let state = ImageState(statistics: statistics, phase: phase)
    // What the checkpoint counts is on the disk: the next one need not wait for it.
    graph.saved.counts(on: partialBytes(state))
    return state
  }

  /// A phase with rows that are delivered: its tag, for encoded ones and for stored ones, and how
  /// many they are.
  private func append(
    _ delivered: EncodingProgress, to payload: inout CheckpointPayload,
    tags: (encoded: UInt8, stored: UInt8)
  ) {
    if plan.output.whole == nil {
      payload.append(tags.encoded)
      append(delivered.encoded, to: &payload)
    } else {
      payload.append(tags.stored)
      payload.append(UInt64(delivered.rows))
    }
  }

  private func append(_ bytes: [UInt8], to payload: inout CheckpointPayload) {
    payload.append(UInt64(bytes.count))
    payload.append(bytes)
  }

  private func checkEngine(_ reader: inout ByteReader) throws {
    let size = try reader.readCount(atMost: 200, "length of the engine's name")
    let name = String(decoding: try reader.take(size, "the engine's name"), as: UTF8.self)
    guard name == VipsLibrary.engine else {
      throw StintError(
        .mismatch,
        "The work was begun with \(name), and this is \(VipsLibrary.engine), which may round differently.",
        remedies: [.startOver])
    }
  }

  /// Statistics that count each pixel of that many rows once.
  private func decodedStatistics(
    _ reader: inout ByteReader, of filter: Int, rows: Int
  ) throws -> FilterStatistics {
    let size = try reader.readCount(atMost: reader.remainingBytes, "length of statistics")
    let statistics = try FilterStatistics(decoding: try reader.take(size, "statistics"))
    let shape = plan.shapes[filter]
    guard statistics.isOf(shape), statistics.pixelCount == UInt64(shape.width * rows) else {
      throw StintError(
        .damaged, "The checkpoint's statistics are not of \(rows) rows of \(shape.phrase).")
    }
    return statistics
  }

  private func decodedPhase(
    _ reader: inout ByteReader, statistics count: Int, in workspace: any Workspace
  ) throws -> ImageState.Phase {
    let (source, result) = (plan.source.storedShape, plan.resultShape)
    let tag = try reader.readByte()
    // Decoded rows are dropped once every row of the result is written, and a stream has none.
    if (1...3).contains(tag), plan.decodesFirst {
      try PixelFile.check(
        workspace.partialFile(named: ImageGraph.decodedName), holds: source.height, of: source)
    }
    if tag > 1, count < plan.collectors.count {
      throw StintError(.damaged, "The checkpoint lacks statistics that its phase \(tag) needs.")
    }
    switch (tag, isStored: plan.output.whole != nil) {
    case (0, _) where plan.decodesFirst && count == 0:
      return .decoding(rows: try decodedRows(&reader, in: workspace))
    case (1, _) where count < plan.collectors.count:
      return try decodedCollecting(&reader, filter: plan.collectors[count])
    case (2, false), (3, true):
      return .filtering(try decodedDelivered(&reader, in: workspace))
    case (6, false) where plan.canStream, (7, true) where plan.canStream:
      return .streaming(try decodedDelivered(&reader, in: workspace))
    case (8, false) where plan.canStream, (9, true) where plan.canStream:
      let delivered = try decodedDelivered(&reader, in: workspace)
      return .decoding(rows: try decodedRows(&reader, in: workspace), after: delivered)
    case (4, true):
      try PixelFile.check(
        workspace.partialFile(named: Self.pixelsName), holds: result.height, of: result)
      return .encoding
    case (5, _):
      return .complete(sizeBytes: try decodedLength(&reader, in: workspace))
    case _:
      throw StintError(
        .damaged,
        "The checkpoint has phase \(tag) after \(count) statistics, which this work does not have.")
    }
  }

  /// The rows of the source that are in their partial file.
  private func decodedRows(_ reader: inout ByteReader, in workspace: any Workspace) throws -> Int {
    let shape = plan.source.storedShape
    let rows = try reader.readCount(atMost: shape.height - 1, "number of decoded rows")
    try PixelFile.check(
      workspace.partialFile(named: ImageGraph.decodedName), holds: rows, of: shape)
    return rows
  }

  /// The rows of the result that are in their partial file.
  private func decodedDelivered(
    _ reader: inout ByteReader, in workspace: any Workspace
  ) throws -> EncodingProgress {
    guard plan.output.whole == nil else {
      let shape = plan.resultShape
      let rows = try reader.readCount(atMost: shape.height - 1, "number of stored rows")
      try PixelFile.check(
        workspace.partialFile(named: Self.pixelsName), holds: rows, of: shape)
      return EncodingProgress(rows: rows, sizeBytes: rows * shape.rowBytes)
    }
    let size = try reader.readCount(
      atMost: EncodingProgress.encodedBytes, "length of the encoder's progress")
    return try plan.output.encoder.decode(
      try reader.take(size, "the encoder's progress"),
      in: workspace.partialFile(named: Self.resultName))
  }

  private func decodedCollecting(
    _ reader: inout ByteReader, filter: Int
  ) throws -> ImageState.Phase {
    guard try reader.readCount(atMost: plan.pipeline.steps.count, "filter") == filter else {
      throw StintError(.damaged, "The checkpoint collects statistics for another filter.")
    }
    let rows = try reader.readCount(
      atMost: plan.shapes[filter].height - 1, "number of measured rows")
    let sum = rows == 0 ? nil : try decodedStatistics(&reader, of: filter, rows: rows)
    return .collecting(filter: filter, rows: rows, sum: sum)
  }

  /// The length of the complete image file, which must still be there.
  private func decodedLength(_ reader: inout ByteReader, in workspace: any Workspace) throws -> Int
  {
    let sizeBytes = try reader.readCount(atMost: .max, "length of the image")
    let found = try workspace.partialFile(named: Self.resultName).sizeBytes
    guard found == sizeBytes else {
      throw StintError(
        .damaged,
        "The finished image has \(found) bytes, and the checkpoint counts on \(sizeBytes).",
        remedies: ["go back to an earlier checkpoint", .startOver])
    }
    return sizeBytes
  }
}
#endif

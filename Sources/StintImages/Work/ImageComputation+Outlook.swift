#if Images
package import StintRuntime
package import StintCore

extension ImageComputation {
  package func outlook(of state: ImageState) -> Outlook {
    let state = settled(state)
    let remaining = Self.remainingCost(state, plan)
    let smallest = smallestCost(state)
    let largest = graph.knows(phaseName(state)) ? remaining : efficientCost(state) ?? 0
    var outlook = Outlook(
      progress: WorkProgress(
        fraction: min(1, max(0, 1 - remaining / wholeCost)), phase: phaseName(state)),
      next: smallest.map {
        .init(
          smallest: $0, largest: max($0, largest), efficient: efficientCost(state),
          outputPerCost: outputPerCost(state))
      },
      remainingCost: remaining,
      // Before a checkpoint the partial files are made durable, which is most of what it costs.
      checkpointBytes: stateBytes(state) + graph.saved.unsaved(partialBytes(state)),
      hardest: hardestCost(state))
    // Rows that a stream would have given may have to be decoded again.
    outlook.isEstimated = streams
    return outlook
  }

  /// The cost of the piece that comes next, or nil when nothing is left.
  func smallestCost(_ state: ImageState) -> Double? {
    switch state.phase {
    case .decoding(let rows, _):
      decodingCost(from: rows, count: plan.decodingRows)
    case .collecting(let filter, let rows, _):
      plan.cost.collecting(filter)(
        min(plan.leastCollectingRows(filter), plan.shapes[filter].height - rows))
    case .filtering(let delivered): plan.cost.band(leastRows(after: delivered))
    case .streaming(let delivered):
      streamStart(delivered) + plan.cost.streamed(leastRows(after: delivered))
    case .encoding: plan.cost.encoding
    case .complete: nil
    }
  }

  /// What the first rows of a stream wait for, where the decoder holds all pixels in memory.
  func streamStart(_ delivered: EncodingProgress) -> Double {
    delivered.rows == 0 ? plan.cost.decodingStart : 0
  }

  private func leastRows(after delivered: EncodingProgress) -> Int {
    min(plan.output.rowsPerUnit, plan.resultShape.height - delivered.rows)
  }

  /// The least cost at which little is computed twice.
  private func efficientCost(_ state: ImageState) -> Double? {
    switch state.phase {
    case .filtering: plan.cost.band(plan.efficientRows)
    case .streaming: plan.cost.streamed(plan.efficientRows)
    case .collecting(let filter, _, _):
      // What the filters before it take here is to be seen from little first.
      graph.knows(phaseName(state))
        ? plan.cost.collecting(filter)(plan.collectingRows(filter)) : nil
    case .decoding, .encoding, .complete: nil
    }
  }

  /// The cost of the hardest piece that is still to come.
  ///
  /// A decoder cannot be saved. A process that ends with its stint begins the next one by decoding
  /// again what came before, so the last rows cost as much as all of them, but for strips, which
  /// are decoded one by one.
  func hardestCost(_ state: ImageState) -> Double? {
    let encoding = max(plan.cost.encoding, plan.cost.band(plan.output.rowsPerUnit))
    switch state.phase {
    case .decoding:
      let decoding =
        plan.source.strips != nil || staysBetweenStints && !plan.source.decodesIntoMemory
        ? plan.cost.decoding(plan.decodingRows)
        : plan.cost.decodingStart + plan.cost.decoding(plan.source.storedShape.height)
      let collecting = plan.collectors.map {
        plan.cost.collecting($0)(plan.leastCollectingRows($0))
      }
      return max(decoding, encoding, collecting.max() ?? 0)
    case .collecting(let filter, _, _):
      return max(plan.cost.collecting(filter)(plan.leastCollectingRows(filter)), encoding)
    case .filtering: return encoding
    case .streaming(let delivered):
      return max(
        streamStart(delivered) + plan.cost.streamed(plan.output.rowsPerUnit), encoding)
    case .encoding: return plan.cost.encoding
    case .complete: return nil
    }
  }

  /// The cost of decoding some rows, with those before them if no decoder is at hand that has come
  /// so far.
  func decodingCost(from row: Int, count: Int) -> Double {
    let count = min(count, plan.source.storedShape.height - row)
    if plan.source.strips != nil { return plan.cost.decoding(count) }
    if let position = graph.decoderRow, position <= row {
      return plan.cost.decoding(count + row - position)
    }
    return plan.cost.decodingStart + plan.cost.decoding(count + row)
  }

  /// The cost of everything that is left, if no decoder has to begin again.
  static func remainingCost(_ state: ImageState, _ plan: ImagePlan) -> Double {
    let cost = plan.cost
    func collecting(after done: Int) -> Double {
      plan.collectors.dropFirst(done).reduce(0) {
        $0 + cost.collecting($1)(plan.shapes[$1].height)
      }
    }
    let height = plan.resultShape.height
    switch state.phase {
    case .decoding(let rows, let delivered):
      let start = rows == 0 ? cost.decodingStart : 0
      return start + cost.decoding(plan.source.storedShape.height - rows) + collecting(after: 0)
        + cost.band(height - (delivered?.rows ?? 0)) + cost.encoding
    case .collecting(let filter, let rows, _):
      return cost.collecting(filter)(plan.shapes[filter].height - rows)
        + collecting(after: state.statistics.count + 1) + cost.band(height) + cost.encoding
    case .filtering(let delivered): return cost.band(height - delivered.rows) + cost.encoding
    case .streaming(let delivered):
      let start = delivered.rows == 0 ? cost.decodingStart : 0
      return start + cost.streamed(height - delivered.rows) + cost.encoding
    case .encoding: return cost.encoding
    case .complete: return 0
    }
  }

  func phaseName(_ state: ImageState) -> String {
    switch state.phase {
    case .decoding: "decoding"
    case .collecting(let filter, _, _):
      "measuring for \(plan.pipeline.steps[filter].specification.name)"
    case .filtering: "filtering"
    case .streaming: plan.decodesFirst ? "decoding and filtering" : "filtering"
    case .encoding: "encoding"
    case .complete: "complete"
    }
  }

  /// How many bytes of the partial files a unit of cost writes.
  private func outputPerCost(_ state: ImageState) -> Double {
    switch state.phase {
    case .decoding:
      plan.cost.decoding.row > 0
        ? Double(plan.source.storedShape.rowBytes) / plan.cost.decoding.row : 0
    case .filtering(let delivered): deliveredRowBytes(delivered) / plan.cost.band.row
    case .streaming(let delivered): deliveredRowBytes(delivered) / plan.cost.streamed.row
    // Of a file that is made at once the length is not known before.
    case .collecting, .encoding, .complete: 0
    }
  }

  /// What a row of the result takes in its file: what rows took so far, where they are compressed.
  private func deliveredRowBytes(_ delivered: EncodingProgress) -> Double {
    guard delivered.rows > 0 else { return Double(plan.resultShape.rowBytes) }
    return Double(delivered.sizeBytes) / Double(delivered.rows)
  }

  package func partialOutput(of state: ImageState) -> [PartialOutput] {
    let shape = plan.source.storedShape
    func decoded(_ rows: Int) -> [PartialOutput] {
      [PartialOutput(ImageGraph.decodedName, upTo: rows * shape.rowBytes)]
    }
    let source = plan.decodesFirst ? decoded(shape.height) : []
    switch state.phase {
    case .decoding(let rows, let delivered):
      return decoded(rows) + (delivered.map(deliveredOutput) ?? [])
    case .collecting: return source
    case .filtering(let delivered): return source + deliveredOutput(delivered)
    case .streaming(let delivered): return deliveredOutput(delivered)
    case .encoding: return [PartialOutput(Self.pixelsName, upTo: plan.resultShape.sizeBytes)]
    case .complete(let sizeBytes) where plan.output.whole != nil:
      return [PartialOutput(Self.resultName, upTo: sizeBytes)]
    case .complete(let sizeBytes):
      return deliveredOutput(
        EncodingProgress(rows: plan.resultShape.height, sizeBytes: sizeBytes))
    }
  }

  private func deliveredOutput(_ delivered: EncodingProgress) -> [PartialOutput] {
    plan.output.encoder.counted(delivered).map {
      PartialOutput(plan.output.rowsName, from: $0.lowerBound, upTo: $0.upperBound)
    }
  }

  /// How many bytes of the partial files the state counts.
  func partialBytes(_ state: ImageState) -> Int {
    let isDecoded = plan.decodesFirst && !streams
    let decoded = plan.decodesFirst ? plan.source.storedShape.sizeBytes : 0
    switch state.phase {
    case .decoding(let rows, let delivered):
      return rows * plan.source.storedShape.rowBytes + (delivered?.sizeBytes ?? 0)
    case .collecting: return decoded
    case .filtering(let delivered): return decoded + delivered.sizeBytes
    case .streaming(let delivered): return delivered.sizeBytes
    case .encoding, .complete:
      return (isDecoded ? decoded : 0) + plan.resultShape.sizeBytes
    }
  }

  private func stateBytes(_ state: ImageState) -> Int {
    // Two bytes a count, about; most counts of 16-bit samples are small.
    var counted = state.statistics
    if case .collecting(_, _, let sum?) = state.phase { counted.append(sum) }
    return counted.reduce(256) { bytes, statistics in
      statistics.counts.reduce(bytes) { $0 + 2 * $1.count }
    }
  }
}
#endif

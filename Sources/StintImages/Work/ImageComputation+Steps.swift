#if Images
import Stint
import StintCore

extension ImageComputation {
  typealias Step = (state: ImageState, cost: Double)

  /// Does the next piece of the work; nil if the stop flag was seen and nothing is complete.
  func advanced(
    _ state: ImageState, atMost cost: Double, in context: ChunkContext
  ) throws -> Step? {
    switch state.phase {
    case .decoding(let rows): try decoded(state, from: rows, in: context)
    case .collecting(let filter, let rows, let sum):
      try collected(state, filter: filter, from: rows, sum: sum, atMost: cost, in: context)
    case .writing(let progress):
      try written(state, after: progress, atMost: cost, in: context)
    case .storing(let rows): try stored(state, from: rows, atMost: cost, in: context)
    case .encoding: try encoded(state, in: context)
    case .complete: preconditionFailure("A complete computation has no next chunk.")
    }
  }

  static func firstPhase(_ plan: ImagePlan) -> ImageState.Phase {
    if plan.decodesFirst { return .decoding(rows: 0) }
    if let filter = plan.collectors.first {
      return .collecting(filter: filter, rows: 0, sum: nil)
    }
    return .storing(rows: 0)
  }

  /// The state in which the phase is chosen that follows decoding or the last statistics.
  func next(after state: ImageState, in workspace: any Workspace) throws -> ImageState {
    var state = state
    let collectors = plan.collectors
    if state.statistics.count < collectors.count {
      state.phase = .collecting(filter: collectors[state.statistics.count], rows: 0, sum: nil)
      return state
    }
    switch plan.output.encoder {
    case .resumable(let encoder):
      let file = try workspace.partialFile(named: Self.resultName)
      state.phase = .writing(try encoder.begin(into: file))
    case .whole:
      state.phase = .storing(rows: 0)
    }
    return state
  }

  // MARK: Decoding

  private func decoded(
    _ state: ImageState, from row: Int, in context: ChunkContext
  ) throws -> Step? {
    let shape = plan.source.storedShape
    let rows = row..<min(row + plan.decodingRows, shape.height)
    let cost = decodingCost(from: row, count: rows.count)
    let file = try context.workspace.partialFile(named: ImageGraph.decodedName)
    let isDone = try graph.lend(rows.count * shape.rowBytes) { buffer in
      guard
        try graph.decode(
          rows, into: buffer, threads: context.threads, stopFlag: context.stopFlag)
      else { return false }
      try file.write(UnsafeRawBufferPointer(buffer), at: row * shape.rowBytes)
      return true
    }
    guard isDone else { return nil }
    if rows.upperBound < shape.height {
      return (ImageState(phase: .decoding(rows: rows.upperBound)), cost)
    }
    return (try next(after: state, in: context.workspace), cost)
  }

  // MARK: Statistics

  private func collected(
    _ state: ImageState, filter: Int, from row: Int, sum: FilterStatistics?,
    atMost limit: Double, in context: ChunkContext
  ) throws -> Step? {
    let (unit, height) = (plan.leastCollectingRows(filter), plan.shapes[filter].height)
    let affordable = plan.cost.collectingRows(filter, within: limit) / unit * unit
    let count = max(unit, min(affordable, plan.collectingRows(filter)))
    let rows = row..<min(row + count, height)
    let cost = plan.cost.collecting(filter, rows.count)
    let input = try graph.image(
      after: filter, statistics: state.statistics, in: context.workspace)
    var total = try sum ?? FilterStatistics(for: plan.shapes[filter])
    try readingSource { try total.collect(from: input, rows: rows) }
    if rows.upperBound < height {
      var state = state
      state.phase = .collecting(filter: filter, rows: rows.upperBound, sum: total)
      return (state, cost)
    }
    let done = ImageState(statistics: state.statistics + [total], phase: state.phase)
    return (try next(after: done, in: context.workspace), cost)
  }

  // MARK: Bands

  /// The rows of the next bands within a cost: whole units, or all that are left.
  private func rows(from row: Int, atMost cost: Double) -> Range<Int> {
    let (unit, height) = (plan.output.rowsPerUnit, plan.resultShape.height)
    let affordable = min(plan.cost.bandRows(within: cost), height)
    return row..<min(row + max(unit, affordable / unit * unit), height)
  }

  /// Computes some rows in one go and hands them over band by band, while the rows that follow are being computed.
  ///
  /// One evaluation keeps what libvips remembers of the source, which it forgets at the end of each: a row of tiles that two
  /// bands look into is decoded once.
  private func forEachBand(
    _ rows: Range<Int>, of state: ImageState, in context: ChunkContext,
    _ body: (Int, UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let image = try graph.image(
      after: plan.pipeline.steps.count, statistics: state.statistics, in: context.workspace)
    let (rowBytes, stopFlag) = (plan.resultShape.rowBytes, context.stopFlag)
    try graph.lend(min(plan.bandRows, rows.count) * rowBytes) { buffer in
      try withoutActuallyEscaping(body) { body in
        let collector = BandCollector(
          rows, in: buffer, rowBytes: rowBytes, unitRows: plan.output.rowsPerUnit, body: body)
        do {
          try readingSource {
            try image.forEachStrip(ofRows: rows) { (_, _, strip) in
              if stopFlag.isRaised { try collector.stop() }
              try collector.add(strip)
            }
          }
        } catch {
          if let failure = collector.failure { throw failure }
          if !collector.isStopped { throw error }
        }
      }
    }
  }

  private func written(
    _ state: ImageState, after progress: EncodingProgress, atMost cost: Double,
    in context: ChunkContext
  ) throws -> Step? {
    guard case .resumable(let encoder) = plan.output.encoder else {
      preconditionFailure("only a resumable encoder writes bands")
    }
    let file = try context.workspace.partialFile(named: Self.resultName)
    let rowBytes = plan.resultShape.rowBytes
    var next = progress
    try forEachBand(rows(from: progress.rows, atMost: cost), of: state, in: context) {
      (row, pixels) in
      next = try encoder.append(
        pixels, after: next, threads: context.threads, stopFlag: context.stopFlag, into: file)
      return next.rows == row + pixels.count / rowBytes
    }
    guard next.rows > progress.rows else { return nil }
    var state = state
    state.phase = .writing(next)
    if next.rows == plan.resultShape.height {
      try encoder.finish(next, into: file)
      state.phase = .complete(sizeBytes: try file.sizeBytes)
    }
    return (state, plan.cost.band(next.rows - progress.rows))
  }

  private func stored(
    _ state: ImageState, from row: Int, atMost cost: Double, in context: ChunkContext
  ) throws -> Step? {
    let file = try context.workspace.partialFile(named: Self.pixelsName)
    let rowBytes = plan.resultShape.rowBytes
    var reached = row
    try forEachBand(rows(from: row, atMost: cost), of: state, in: context) { (first, pixels) in
      try file.write(pixels, at: first * rowBytes)
      reached = first + pixels.count / rowBytes
      return true
    }
    guard reached > row else { return nil }
    var state = state
    state.phase = reached == plan.resultShape.height ? .encoding : .storing(rows: reached)
    return (state, plan.cost.band(reached - row))
  }

  private func encoded(_ state: ImageState, in context: ChunkContext) throws -> Step? {
    guard case .whole(let encoder) = plan.output.encoder else {
      preconditionFailure("only formats that are written at once have this phase")
    }
    let pixels = try PixelFile.image(
      of: context.workspace.partialFile(named: Self.pixelsName), shape: plan.resultShape)
    let file = try context.workspace.partialFile(named: Self.resultName)
    guard try encoder.encode(pixels, stopFlag: context.stopFlag, into: file) else { return nil }
    var state = state
    state.phase = .complete(sizeBytes: try file.sizeBytes)
    return (state, plan.cost.encoding)
  }

  /// Names the source where its pixels are decoded by the graph itself.
  private func readingSource<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StintError where plan.source.hasRandomAccess {
      throw plan.source.damaged(error)
    }
  }
}
#endif

#if Images
import StintCore
import StintRuntime

extension ImageComputation {
  typealias Step = (state: ImageState, cost: Double)

  /// Does the next piece of the work; nil if the stop flag was seen and nothing is complete.
  func advanced(
    _ state: ImageState, atMost cost: Double, in context: ChunkContext
  ) throws -> Step? {
    switch state.phase {
    case .decoding(let rows, let delivered):
      try decoded(state, from: rows, after: delivered, in: context)
    case .collecting(let filter, let rows, let sum):
      try collected(state, filter: filter, from: rows, sum: sum, atMost: cost, in: context)
    case .filtering(let delivered):
      try filtered(state, after: delivered, atMost: cost, in: context)
    case .streaming(let delivered):
      try streamed(state, after: delivered, atMost: cost, in: context)
    case .encoding: try encoded(state, in: context)
    case .complete: preconditionFailure("A complete computation has no next chunk.")
    }
  }

  static func firstPhase(_ plan: ImagePlan, streams: Bool) -> ImageState.Phase {
    let nothing = EncodingProgress(rows: 0, sizeBytes: 0)
    if streams { return .streaming(nothing) }
    if plan.decodesFirst { return .decoding(rows: 0) }
    if let filter = plan.collectors.first {
      return .collecting(filter: filter, rows: 0, sum: nil)
    }
    return .filtering(nothing)
  }

  /// The state that a state is in this process: where a stream does not stand where it should, rows
  /// are computed without it, and a source without random access has to be decoded for that.
  func settled(_ state: ImageState) -> ImageState {
    guard case .streaming(let delivered) = state.phase else { return state }
    if graph.streamRow == delivered.rows || streams && delivered.rows == 0 { return state }
    return ImageState(phase: phase(withoutStream: delivered))
  }

  /// The phase in which the rows are computed that no stream gives.
  func phase(withoutStream delivered: EncodingProgress) -> ImageState.Phase {
    plan.decodesFirst ? .decoding(rows: 0, after: delivered) : .filtering(delivered)
  }

  /// Begins the file that the rows of the result go to.
  func nothingDelivered(in workspace: any Workspace) throws -> EncodingProgress {
    try plan.output.encoder.begin(into: workspace.partialFile(named: plan.output.rowsName))
  }

  /// The state that begins what follows decoding or the last statistics.
  func begun(after state: ImageState, in workspace: any Workspace) throws -> ImageState {
    let remaining = plan.collectors.dropFirst(state.statistics.count)
    return ImageState(
      statistics: state.statistics,
      phase: try remaining.first.map { .collecting(filter: $0, rows: 0, sum: nil) }
        ?? .filtering(nothingDelivered(in: workspace)))
  }

  // MARK: Decoding

  private func decoded(
    _ state: ImageState, from row: Int, after delivered: EncodingProgress?, in context: ChunkContext
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
      return (ImageState(phase: .decoding(rows: rows.upperBound, after: delivered)), cost)
    }
    if let delivered { return (ImageState(phase: .filtering(delivered)), cost) }
    return (try begun(after: state, in: context.workspace), cost)
  }

  // MARK: Statistics

  private func collected(
    _ state: ImageState, filter: Int, from row: Int, sum: FilterStatistics?,
    atMost limit: Double, in context: ChunkContext
  ) throws -> Step? {
    let (unit, height) = (plan.leastCollectingRows(filter), plan.shapes[filter].height)
    let affordable = plan.cost.collecting(filter).count(within: limit) / unit * unit
    let count = max(unit, min(affordable, plan.collectingRows(filter)))
    let rows = row..<min(row + count, height)
    let cost = plan.cost.collecting(filter)(rows.count)
    let input = try graph.image(after: filter, statistics: state.statistics, in: context.workspace)
    var total = try sum ?? FilterStatistics(for: plan.shapes[filter])
    try readingSource { try total.collect(from: input, rows: rows) }
    if rows.upperBound < height {
      let phase = ImageState.Phase.collecting(filter: filter, rows: rows.upperBound, sum: total)
      return (ImageState(statistics: state.statistics, phase: phase), cost)
    }
    let done = ImageState(statistics: state.statistics + [total], phase: state.phase)
    return (try begun(after: done, in: context.workspace), cost)
  }

  // MARK: Bands

  /// The rows of the next bands: so many, rounded down to whole units but for the last.
  func rows(from row: Int, affordable: Int) -> Range<Int> {
    let (unit, height) = (plan.output.rowsPerUnit, plan.resultShape.height)
    let affordable = min(affordable, height)
    return row..<min(row + max(unit, affordable / unit * unit), height)
  }

  /// Computes some rows in one go and hands them over band by band, while the rows that follow are
  /// being computed.
  ///
  /// One evaluation keeps what libvips remembers of the source, which it forgets at the end of
  /// each: a row of tiles that two bands look into is decoded once.
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

  private func filtered(
    _ state: ImageState, after delivered: EncodingProgress, atMost cost: Double,
    in context: ChunkContext
  ) throws -> Step? {
    var next = delivered
    let rows = rows(from: delivered.rows, affordable: plan.cost.band.count(within: cost))
    try forEachBand(rows, of: state, in: context) { (row, pixels) in
      next = try self.delivered(pixels, after: next, in: context)
      return next.rows == row + pixels.count / plan.resultShape.rowBytes
    }
    guard next.rows > delivered.rows else { return nil }
    let phase = try phase(after: next, in: context) ?? .filtering(next)
    let done = ImageState(statistics: state.statistics, phase: phase)
    return (done, plan.cost.band(next.rows - delivered.rows))
  }

  /// Puts a band behind the rows that are delivered already; as much of it as the stop flag leaves.
  func delivered(
    _ pixels: UnsafeRawBufferPointer, after rows: EncodingProgress, in context: ChunkContext
  ) throws -> EncodingProgress {
    try plan.output.encoder.append(
      pixels, after: rows, threads: context.threads, stopFlag: context.stopFlag,
      into: try context.workspace.partialFile(named: plan.output.rowsName))
  }

  /// The phase that follows the last row of the result; nil before it.
  func phase(
    after delivered: EncodingProgress, in context: ChunkContext
  ) throws -> ImageState.Phase? {
    guard delivered.rows == plan.resultShape.height else { return nil }
    guard plan.output.whole == nil else { return .encoding }
    let file = try context.workspace.partialFile(named: Self.resultName)
    try plan.output.encoder.finish(delivered, into: file)
    return .complete(sizeBytes: try file.sizeBytes)
  }

  private func encoded(_ state: ImageState, in context: ChunkContext) throws -> Step? {
    guard let encoder = plan.output.whole else {
      preconditionFailure("only formats that are written at once have this phase")
    }
    let pixels = try PixelFile.image(
      of: context.workspace.partialFile(named: Self.pixelsName), shape: plan.resultShape)
    let file = try context.workspace.partialFile(named: Self.resultName)
    guard try encoder.encode(pixels, stopFlag: context.stopFlag, into: file) else { return nil }
    let phase = ImageState.Phase.complete(sizeBytes: try file.sizeBytes)
    return (ImageState(statistics: state.statistics, phase: phase), plan.cost.encoding)
  }

  /// Names the source where its pixels are decoded by the graph itself.
  private func readingSource<Value>(_ body: () throws -> Value) throws -> Value {
    try plan.source.hasRandomAccess ? plan.source.naming(body) : body()
  }
}

/// Gathers the strips of one evaluation into bands and hands each band over when it is full.
///
/// A strip of whole units is a band itself: it is not copied, and the memory of the band stays
/// untouched.
final class BandCollector: @unchecked Sendable {
  // Unchecked: an evaluation brings one strip at a time, and nobody looks before it has ended.

  /// Ends an evaluation that is to go no further.
  private struct Stop: Error {}

  /// Takes a band, its first row and its pixels; false ends the evaluation.
  typealias Body = (Int, UnsafeRawBufferPointer) throws -> Bool

  private let buffer: UnsafeMutableRawBufferPointer
  private let rowBytes: Int
  private let unitRows: Int
  private let body: Body
  /// The rows that were not handed over yet.
  private var rows: Range<Int>
  /// How many of them are in the buffer.
  private var filled = 0

  /// What the body threw.
  private(set) var failure: (any Error)?
  /// Whether the evaluation was ended early without a failure.
  private(set) var isStopped = false

  /// - Parameters:
  ///   - rows: What will come.
  ///   - buffer: Memory of one band.
  ///   - rowBytes: The length of a row.
  ///   - unitRows: A band has a multiple of that many rows, but for the last.
  ///   - body: Called with each band, on whichever thread brings its last strip.
  init(
    _ rows: Range<Int>, in buffer: UnsafeMutableRawBufferPointer, rowBytes: Int, unitRows: Int,
    body: @escaping Body
  ) {
    (self.rows, self.buffer, self.body) = (rows, buffer, body)
    (self.rowBytes, self.unitRows) = (rowBytes, unitRows)
  }

  /// Takes a strip.
  func add(_ strip: UnsafeRawBufferPointer) throws {
    let stripRows = strip.count / rowBytes
    if filled == 0, stripRows % unitRows == 0 || stripRows == rows.count {
      return try handOver(strip)
    }
    var rest = strip
    while !rest.isEmpty {
      let count = min(rest.count, buffer.count - filled * rowBytes)
      let place = UnsafeMutableRawBufferPointer(rebasing: buffer[(filled * rowBytes)...])
      place.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
      filled += count / rowBytes
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      if filled == min(rows.count, buffer.count / rowBytes) {
        let band = UnsafeRawBufferPointer(rebasing: buffer[..<(filled * rowBytes)])
        filled = 0
        try handOver(band)
      }
    }
  }

  /// Ends the evaluation.
  func stop() throws -> Never {
    isStopped = true
    throw Stop()
  }

  private func handOver(_ band: UnsafeRawBufferPointer) throws {
    let goesOn: Bool
    do {
      goesOn = try body(rows.lowerBound, band)
    } catch {
      failure = error
      throw error
    }
    if !goesOn { try stop() }
    rows = (rows.lowerBound + band.count / rowBytes)..<rows.upperBound
  }
}
#endif

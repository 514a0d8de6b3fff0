#if Images
import StintCore
import StintRuntime

extension ImageComputation {
  /// The rows that are waited for at once: between two such pieces the stop flag is looked at.
  private static let pieceRows = 64

  /// Delivers rows of the result as they come out of the one evaluation that decodes and filters
  /// the whole image.
  ///
  /// Where libvips refuses to go through the source in one go, or the source is damaged, the rows
  /// are computed without a stream, and what that says is what the user is told.
  func streamed(
    _ state: ImageState, after delivered: EncodingProgress, atMost cost: Double,
    in context: ChunkContext
  ) throws -> Step? {
    let start = streamStart(delivered)
    let rows = rows(
      from: delivered.rows, affordable: plan.cost.streamed.count(within: cost - start))
    let stream = try graph.stream(at: delivered.rows)
    var next = delivered
    try graph.lend(min(plan.bandRows, rows.count) * plan.resultShape.rowBytes) {
      buffer in
      while next.rows < rows.upperBound {
        let band = next.rows..<min(next.rows + plan.bandRows, rows.upperBound)
        guard try read(band, from: stream, into: buffer, in: context) else { return }
        let pixels = UnsafeRawBufferPointer(
          rebasing: buffer.prefix(band.count * plan.resultShape.rowBytes))
        next = try self.delivered(pixels, after: next, in: context)
        guard next.rows == band.upperBound else { return }
      }
    }
    if next.rows == plan.resultShape.height {
      try graph.finish(stream)
    } else if stream.row == next.rows {
      // A stream at another row cannot be used any more.
      graph.keep(stream)
    }
    let taken = next.rows - delivered.rows
    if taken == 0 {
      guard !context.stopFlag.isRaised else { return nil }
      return (ImageState(phase: phase(withoutStream: delivered)), ImageCost.overhead)
    }
    let phase = try phase(after: next, in: context) ?? .streaming(next)
    return (ImageState(phase: phase), start + plan.cost.streamed(taken))
  }

  /// Reads a band; false if the flag was seen first, or nothing more can be read.
  private func read(
    _ band: Range<Int>, from stream: SequentialDecoder, into buffer: UnsafeMutableRawBufferPointer,
    in context: ChunkContext
  ) throws -> Bool {
    guard let start = buffer.baseAddress else { return false }
    var row = band.lowerBound
    while row < band.upperBound {
      if context.stopFlag.isRaised { return false }
      let piece = row..<min(row + Self.pieceRows, band.upperBound)
      do {
        try stream.read(
          piece, into: start + (row - band.lowerBound) * plan.resultShape.rowBytes)
      } catch is StintError {
        return false
      }
      row = piece.upperBound
    }
    return true
  }
}

extension ImageComputation {
  /// Whether ``makeWhole(into:stopFlag:)`` passes the pixels on as they are decoded, so that its
  /// memory does not grow with the image.
  var storesNoPixels: Bool {
    plan.output.whole != nil && plan.canStream && !plan.source.decodesIntoMemory
  }

  /// Decodes, filters and encodes the image in one evaluation, with no pixels stored in between.
  ///
  /// For an image so small that after a kill it is made again: its file is the same, byte by byte,
  /// as the one that chunks make.
  ///
  /// - Parameters:
  ///   - file: Emptied first; holds the image file afterwards.
  ///   - stopFlag: When it is raised, the work is given up.
  /// - Returns: Whether the file is complete. It is not after the flag was raised, for a format or
  ///   a filter that needs chunks, and where the source has changed or libvips fails: the chunks,
  ///   which are tried then, say why.
  /// - Throws: What writing to the file throws.
  func makeWhole(into file: any PartialFile, stopFlag: StopFlag) throws -> Bool {
    guard let encoder = plan.output.whole, plan.collectors.isEmpty else { return false }
    do {
      guard try encodeWhole(encoder, into: file, stopFlag: stopFlag) else { return false }
      // The decoder is closed by now.
      try plan.source.checkDecoded()
      return true
    } catch is StintError {
      return false
    }
  }

  private func encodeWhole(
    _ encoder: WholeFileEncoder, into file: any PartialFile, stopFlag: StopFlag
  ) throws -> Bool {
    let base = try graph.wholeBase(inOrder: plan.canStream)
    let result = try plan.pipeline.graph(over: base).bare()
    return try encoder.encode(result, stopFlag: stopFlag, into: file)
  }
}
#endif

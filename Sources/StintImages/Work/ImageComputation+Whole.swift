#if Images
import StintRuntime
import StintCore

extension ImageComputation {
  /// Whether ``makeWhole(into:stopFlag:)`` passes the pixels on as they are decoded, so that its
  /// memory does not grow with the image.
  var storesNoPixels: Bool {
    guard case .whole = plan.output.encoder else { return false }
    return plan.canStream && !plan.source.decodesIntoMemory
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
    guard case .whole(let encoder) = plan.output.encoder, plan.collectors.isEmpty else {
      return false
    }
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

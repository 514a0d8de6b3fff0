#if Images
import CVips
import StintRuntime
package import StintCore

extension VipsImage {
  /// The pixels of some rows, as a node of the graph.
  package func rows(_ range: Range<Int>) throws(StintError) -> VipsImage {
    try checkRows(range)
    if range == 0..<height { return self }
    return try area(left: 0, top: range.lowerBound, width: width, height: range.count)
  }

  /// A rectangle of the image.
  func area(left: Int, top: Int, width: Int, height: Int) throws(StintError) -> VipsImage {
    try applying(
      "extract_area",
      [
        "left": .integer(left), "top": .integer(top), "width": .integer(width),
        "height": .integer(height),
      ], input: "input")
  }

  /// Evaluates some rows on all of the library's threads.
  ///
  /// - Parameters:
  ///   - range: The rows.
  ///   - buffer: Receives them without gaps; exactly `range.count * rowBytes` bytes.
  /// - Throws: `io` with libvips' words, for example about a damaged source; `usage` if the
  ///   buffer's size is another.
  package func evaluate(rows range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer)
    throws(StintError)
  {
    let (band, watch) = try rows(range).watched()
    guard buffer.count == band.sizeBytes else {
      throw StintError(
        .usage, "\(range.count) rows take \(band.sizeBytes) bytes; the buffer has \(buffer.count).")
    }
    guard
      let target = vips_image_new_from_memory(
        buffer.baseAddress, buffer.count, Int32(width), Int32(range.count), Int32(bands),
        format.vips)
    else { throw VipsError.take("write to memory") }
    defer { GraphLock.release(target) }
    guard vips_image_write(band.pointer, target) == 0, !watch.hasFailed else {
      throw watch.error("compute rows \(range.lowerBound) to \(range.upperBound - 1)")
    }
  }

  /// The same pixels, computed now and kept in memory.
  func inMemory() throws(StintError) -> VipsImage {
    let memory = PixelMemory(unsetBytes: sizeBytes)
    let buffer = UnsafeMutableRawBufferPointer(rebasing: memory.buffer.prefix(sizeBytes))
    try evaluate(rows: 0..<height, into: buffer)
    return try VipsImage(viewing: UnsafeRawBufferPointer(buffer), owner: memory, shape: shape)
  }

  /// Evaluates the whole image.
  package func pixels() throws(StintError) -> [UInt8] {
    var error: StintError?
    let bytes = [UInt8](unsafeUninitializedCapacity: sizeBytes) { buffer, count in
      do throws(StintError) {
        let raw = UnsafeMutableRawBufferPointer(
          start: buffer.baseAddress, count: min(buffer.count, sizeBytes))
        try evaluate(rows: 0..<height, into: raw)
        count = sizeBytes
      } catch let failure {
        error = failure
        count = 0
      }
    }
    if let error { throw error }
    return bytes
  }

  /// Evaluates some rows from top to bottom in strips of libvips' choice, while the strip before is
  /// being consumed.
  ///
  /// This keeps all threads at work across the strips, and needs memory for two of them only.
  ///
  /// - Parameters:
  ///   - range: The rows.
  ///   - consume: Called with each strip: its first row, the number of rows, and the pixels without
  ///     gaps. It is called on one thread at a time, though not always the same one; what it throws
  ///     stops the evaluation and is thrown on.
  /// - Throws: `io` with libvips' words; whatever `consume` throws.
  package func forEachStrip(
    ofRows range: Range<Int>,
    _ consume: @Sendable (Int, Int, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let (band, watch) = try rows(range).watched()
    try withoutActuallyEscaping(consume) { consume in
      let sink = StripSink(
        firstRow: range.lowerBound, rowBytes: rowBytes, watch: watch, consume: consume)
      let context = Unmanaged.passRetained(sink)
      defer { context.release() }
      let result = vips_sink_disc(
        band.pointer,
        { region, area, context in
          guard let region, let area, let context else { return -1 }
          return Unmanaged<StripSink>.fromOpaque(context).takeUnretainedValue().take(region, area)
        }, context.toOpaque())
      if let error = sink.failure.withLock({ $0 }) {
        vips_error_clear()
        throw error
      }
      guard result == 0, !watch.hasFailed else {
        throw watch.error("compute rows \(range.lowerBound) to \(range.upperBound - 1)")
      }
    }
  }

  private func checkRows(_ range: Range<Int>) throws(StintError) {
    guard range.lowerBound >= 0, !range.isEmpty, range.upperBound <= height else {
      throw StintError(
        .usage,
        "The rows \(range.lowerBound)..<\(range.upperBound) are not rows of an image of \(height).")
    }
  }
}

/// What takes the strips of one evaluation.
private final class StripSink: Sendable {
  let firstRow: Int
  let rowBytes: Int
  let watch: EvaluationWatch
  let consume: @Sendable (Int, Int, UnsafeRawBufferPointer) throws -> Void
  let failure = Protected<(any Error)?>(nil)

  init(
    firstRow: Int, rowBytes: Int, watch: EvaluationWatch,
    consume: @escaping @Sendable (Int, Int, UnsafeRawBufferPointer) throws -> Void
  ) {
    self.firstRow = firstRow
    self.rowBytes = rowBytes
    self.watch = watch
    self.consume = consume
  }

  /// Hands over the rows of an area; a strip of libvips' sink is as wide as the image and its rows
  /// lie together.
  func take(_ region: UnsafeMutablePointer<VipsRegion>, _ area: UnsafeMutablePointer<VipsRect>)
    -> Int32
  {
    // The rows that could not be computed are in a strip, too, and are nobody's pixels.
    if watch.hasFailed { return -1 }
    let (top, count) = (Int(area.pointee.top), Int(area.pointee.height))
    let start = stint_vips_region_address(region, area.pointee.left, area.pointee.top)
    do {
      try consume(
        firstRow + top, count, UnsafeRawBufferPointer(start: start, count: count * rowBytes))
      return 0
    } catch {
      failure.withLock { $0 = error }
      return -1
    }
  }
}
#endif

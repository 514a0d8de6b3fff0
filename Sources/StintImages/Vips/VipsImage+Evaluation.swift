#if Images
import CVips
package import StintCore
import StintRuntime
import Synchronization

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

/// What looks on while a node hands on the pixels of another image.
protocol PixelPassage: AnyObject, Sendable {
  /// The other image; it is kept as long as the node, because libvips counts no reference for it.
  var input: VipsImage? { get }

  /// Lets some pixels pass, on any thread.
  ///
  /// - Parameters:
  ///   - area: Where they lie.
  ///   - body: Hands the pixels on; false if they could not be computed.
  /// - Returns: Whether they are to count as computed.
  func pass(_ area: VipsRect, _ body: () -> Bool) -> Bool
}

/// Whether any pixel of one evaluation could not be computed.
///
/// When libvips' threads end, their result is taken before the last of them has ended
/// (`vips_threadpool_run`), so an error of the last rows is at times not told. A node of our own at
/// the end of the graph sees each error, before the rows that have it are handed over.
final class EvaluationWatch: PixelPassage {
  private let failed = Atomic(false)
  /// What libvips said of the first region that failed, taken at once: other images that fail at
  /// the same time speak into the same buffer.
  private let words = Protected<String?>(nil)
  let input: VipsImage?

  fileprivate init(_ input: VipsImage) {
    self.input = input
  }

  /// Whether a region has failed up to now.
  var hasFailed: Bool { failed.load(ordering: .acquiring) }

  func pass(_ area: VipsRect, _ body: () -> Bool) -> Bool {
    if body() { return true }
    let text = VipsError.takeText()
    words.withLock { $0 = $0 ?? text }
    failed.store(true, ordering: .releasing)
    return false
  }

  /// The error of an evaluation that has failed.
  func error(_ action: String) -> StintError {
    words.withLock { $0 }.map { VipsError.make(action, $0) } ?? VipsError.take(action)
  }

  /// Calls a body that evaluates the node.
  ///
  /// - Throws: Also what the body did not see.
  func watching<Value>(
    _ action: String, _ body: () throws(StintError) -> Value
  ) throws(StintError) -> Value {
    let result: Value
    do throws(StintError) {
      result = try body()
    } catch {
      throw hasFailed ? self.error(action) : error
    }
    if hasFailed { throw error(action) }
    return result
  }
}

extension VipsImage {
  /// A node that hands on the pixels of this one and notes each failure.
  ///
  /// Whoever evaluates the node believes libvips' success only if its watch says so too.
  func watched() throws(StintError) -> (node: VipsImage, watch: EvaluationWatch) {
    let watch = EvaluationWatch(self)
    return (try passedOn(through: watch), watch)
  }

  /// A node that hands on the pixels of this image.
  ///
  /// - Parameter passage: Looks on; its input is this image.
  /// - Returns: The node.
  /// - Throws: `io` with libvips' words.
  func passedOn(through passage: some PixelPassage) throws(StintError) -> VipsImage {
    guard let node = vips_image_new() else { throw VipsError.take("make a node") }
    let image = VipsImage(owning: node)
    let box = PassageBox(passage)
    let context = Unmanaged.passRetained(box)
    g_object_set_data_full(
      stint_vips_image_object(node), "stint-passage", context.toOpaque(),
      { data in data.map { Unmanaged<PassageBox>.fromOpaque($0).release() } })
    var inputs: [UnsafeMutablePointer<CVips.VipsImage>?] = [pointer, nil]
    let status = GraphLock.shared.hold {
      vips_image_pipeline_array(node, VIPS_DEMAND_STYLE_ANY, &inputs) == 0
        ? vips_image_generate(
          node, vips_start_one,
          { region, sequence, _, context, _ in
            guard let region, let sequence, let context else { return -1 }
            let input = sequence.assumingMemoryBound(to: VipsRegion.self)
            var area = region.pointee.valid
            let passage = Unmanaged<PassageBox>.fromOpaque(context).takeUnretainedValue().passage
            let passes = passage.pass(area) {
              vips_region_prepare(input, &area) == 0
                && vips_region_region(region, input, &area, area.left, area.top) == 0
            }
            return passes ? 0 : -1
          }, vips_stop_one, pointer, context.toOpaque())
        : -1
    }
    guard status == 0 else { throw VipsError.take("make a node") }
    return image
  }
}

/// Holds a passage where libvips holds a plain pointer.
private final class PassageBox: Sendable {
  let passage: any PixelPassage

  init(_ passage: any PixelPassage) { self.passage = passage }
}
#endif

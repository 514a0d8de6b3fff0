#if Images
import CVips
import StintCore
import StintRuntime
import Synchronization

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

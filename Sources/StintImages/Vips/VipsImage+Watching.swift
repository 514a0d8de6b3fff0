#if Images
import CVips
import StintCore
import Synchronization

/// Whether any pixel of one evaluation could not be computed.
///
/// When libvips' threads end, their result is taken before the last of them has ended
/// (`vips_threadpool_run`), so an error of the last rows is at times not told. A node of our own at
/// the end of the graph sees each error, before the rows that have it are handed over.
final class EvaluationWatch: Sendable {
  private let failed = Atomic(false)
  /// Kept as long as the node: libvips counts no reference for an image that a node reads.
  private let input: VipsImage

  fileprivate init(_ input: VipsImage) {
    self.input = input
  }

  /// Whether a region has failed up to now.
  var hasFailed: Bool { failed.load(ordering: .acquiring) }

  fileprivate func noteFailure() { failed.store(true, ordering: .releasing) }
}

extension VipsImage {
  /// A node that hands on the pixels of this one and notes each failure.
  ///
  /// Whoever evaluates the node believes libvips' success only if its watch says so too.
  func watched() throws(StintError) -> (node: VipsImage, watch: EvaluationWatch) {
    let watch = EvaluationWatch(self)
    guard let node = vips_image_new() else { throw VipsError.take("make a node") }
    let image = VipsImage(owning: node)
    let context = Unmanaged.passRetained(watch)
    g_object_set_data_full(
      stint_vips_image_object(node), "stint-watch", context.toOpaque(),
      { data in data.map { Unmanaged<EvaluationWatch>.fromOpaque($0).release() } })
    var inputs: [UnsafeMutablePointer<CVips.VipsImage>?] = [pointer, nil]
    let status = GraphLock.shared.hold {
      vips_image_pipeline_array(node, VIPS_DEMAND_STYLE_ANY, &inputs) == 0
        ? vips_image_generate(
          node, vips_start_one,
          { region, sequence, _, context, _ in
            guard let region, let sequence, let context else { return -1 }
            let input = sequence.assumingMemoryBound(to: VipsRegion.self)
            var area = region.pointee.valid
            guard vips_region_prepare(input, &area) == 0,
              vips_region_region(region, input, &area, area.left, area.top) == 0
            else {
              Unmanaged<EvaluationWatch>.fromOpaque(context).takeUnretainedValue().noteFailure()
              return -1
            }
            return 0
          }, vips_stop_one, pointer, context.toOpaque())
        : -1
    }
    guard status == 0 else { throw VipsError.take("make a node") }
    return (image, watch)
  }
}
#endif

#if Images
package import StintCore

/// A smaller image that is made while the file is decoded.
///
/// The source does the work, because decoders make some reductions for next to nothing; in the
/// pipeline, whose first filter it is, it passes the pixels on.
package struct Thumbnail: Filter, Hashable {
  /// The rectangle that the result fits into, in pixels.
  let width: Int
  let height: Int
  /// Which images change their size, in libvips' words: `both`, `down`, `up`, or `force` for
  /// exactly these sides.
  let size: String

  package func weight(in shape: ImageShape) -> Double { 0.1 }

  package func apply(
    to image: VipsImage, statistics: FilterStatistics?
  ) throws(StintError) -> VipsImage { image }

  /// Opens a file for reading the small image once, from top to bottom, not turned.
  ///
  /// - Parameters:
  ///   - path: The file; `/proc/self/fd/N` opens a descriptor's file.
  ///   - page: Which image of it, from 0.
  ///   - swapsSides: Whether the image will be turned by a quarter afterwards.
  /// - Returns: The small image; little is computed yet.
  /// - Throws: `damaged` with libvips' words.
  func open(_ path: String, page: Int, swapsSides: Bool) throws(StintError) -> VipsImage {
    try VipsImage(
      owning: VipsOperation.pointer(
        "thumbnail",
        [
          "filename": .text(page == 0 ? path : "\(path)[page=\(page)]"),
          "width": .integer(swapsSides ? height : width),
          "height": .integer(swapsSides ? width : height), "size": .word(size),
          "no-rotate": .flag(true), "fail-on": .word("error"),
        ], "read \(path)", code: .damaged))
  }
}
#endif

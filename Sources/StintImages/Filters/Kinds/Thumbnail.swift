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
  ///   - file: Where the file is.
  ///   - page: Which image of it, from 0.
  ///   - swapsSides: Whether the image will be turned by a quarter afterwards.
  ///   - failOn: What the loader is to fail on.
  /// - Returns: The small image; little is computed yet.
  /// - Throws: `damaged` with libvips' words.
  func open(
    _ file: VipsFile, page: Int, swapsSides: Bool, failOn: String
  ) throws(StintError) -> VipsImage {
    var arguments: [String: VipsArgument] = [
      "width": .integer(swapsSides ? height : width),
      "height": .integer(swapsSides ? width : height), "size": .word(size),
      "no-rotate": .flag(true),
    ]
    // The operation's own argument `fail-on` reaches only some of the loaders.
    let options = "[fail-on=\(failOn)" + (page == 0 ? "]" : ",page=\(page)]")
    let operation: String
    switch file {
    case .path(let path):
      operation = "thumbnail"
      arguments["filename"] = .text(path + options)
    case .stream(let file):
      operation = "thumbnail_source"
      arguments["source"] = .source(file)
      arguments["option-string"] = .text(options)
    case .memory(let memory):
      operation = "thumbnail_buffer"
      arguments["buffer"] = .memory(memory)
      arguments["option-string"] = .text(options)
    }
    return VipsImage(
      owning: try VipsOperation.pointer(
        operation, arguments, "read \(file.shown)", code: .damaged),
      over: file)
  }
}
#endif

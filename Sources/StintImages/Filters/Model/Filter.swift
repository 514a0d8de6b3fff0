#if Images
package import StintCore

/// A filter with its arguments.
///
/// It builds a part of libvips' lazy graph and computes nothing itself, so that any rows of the
/// result can be asked for and no seams can appear between bands.
package protocol Filter: Sendable {
  /// Whether the filter passes such an image on as it is; then nothing about it is refused.
  func passesOn(_ shape: ImageShape) -> Bool

  /// Refuses an image that the filter cannot be applied to, beyond what its specification says.
  ///
  /// - Throws: `usage` with the limit.
  func check(for shape: ImageShape) throws(StintError)

  /// What the result is, for an image that has passed the check.
  func outputShape(of shape: ImageShape) -> ImageShape

  /// How many rows above and below a pixel its result depends on; 0 if on its own row alone.
  func reach(in shape: ImageShape) -> Int

  /// Whether rows of the result come from rows of the image in the same order, from top to bottom.
  var keepsOrderOfRows: Bool { get }

  /// About how many nanoseconds a sample of the result takes on one thread: what the filters cost
  /// beside each other.
  func weight(in shape: ImageShape) -> Double

  /// Extends the graph.
  ///
  /// - Parameter image: An image that has passed the check.
  /// - Returns: The result.
  /// - Throws: `io` with libvips' words.
  func apply(to image: VipsImage) throws(StintError) -> VipsImage
}

extension Filter {
  package func passesOn(_ shape: ImageShape) -> Bool { false }
  package func check(for shape: ImageShape) throws(StintError) {}
  package func outputShape(of shape: ImageShape) -> ImageShape { shape }
  package func reach(in shape: ImageShape) -> Int { 0 }
  package var keepsOrderOfRows: Bool { true }
}
#endif

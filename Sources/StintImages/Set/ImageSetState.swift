#if Images
import StintCore

/// Where the work on many images stands between two chunks: an immutable value (W14).
///
/// What is done is in the ledger; here is only the one image that is worked on band by band.
package struct ImageSetState: Sendable {
  /// How far an image is.
  enum Phase: Sendable {
    /// The input is read for its checksum; those of the pieces so far.
    case reading([Checksum128])
    /// The input is what that says, and the work on it has come so far.
    case working(SourceFingerprint, ImageState)
  }

  /// An image that is worked on by itself.
  struct Current: Sendable {
    var unit: ImageSetPlan.Unit
    var phase: Phase
  }

  /// The image that is worked on by itself; nil between two images, and while small ones are made.
  var current: Current?
}
#endif

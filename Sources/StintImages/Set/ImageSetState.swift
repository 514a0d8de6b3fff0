#if Images
import StintRuntime
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
    /// The image is complete, and what was written for it is being read back.
    case checking(SourceFingerprint, ImageState, OutputRecord)
  }

  /// An image that is worked on by itself.
  struct Current: Sendable {
    var unit: ImageSetPlan.Unit
    var phase: Phase

    /// The image's own state, and how many bytes of what was written have been read back.
    var inner: (state: ImageState, checkedBytes: Int)? {
      switch phase {
      case .reading: nil
      case .working(_, let inner): (inner, 0)
      case .checking(_, let inner, let output): (inner, output.checkedBytes)
      }
    }
  }

  /// The image that is worked on by itself; nil between two images, and while small ones are made.
  var current: Current?
}
#endif

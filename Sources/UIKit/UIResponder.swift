public import Foundation

/// What takes part in events; delegates of applications inherit it.
@preconcurrency
@MainActor
open class UIResponder: NSObject {
  /// Creates an object.
  public override init() {
    super.init()
  }
}

/// A window; there is no display, so it shows nothing.
@preconcurrency
@MainActor
open class UIWindow: UIResponder {}

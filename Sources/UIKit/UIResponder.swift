public import Foundation

/// What takes part in events; delegates of applications inherit it.
open class UIResponder: NSObject {
  /// Creates an object.
  public override init() {
    super.init()
  }
}

/// A window; there is no display, so it shows nothing.
@MainActor
open class UIWindow: UIResponder {}

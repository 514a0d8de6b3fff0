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
open class UIWindow: UIResponder {
  /// Where the window would be, in points.
  public var frame: CGRect

  /// Creates a window.
  public init(frame: CGRect) {
    self.frame = frame
    super.init()
  }

  /// Creates a window of a scene.
  ///
  /// - Parameter windowScene: The scene.
  public convenience init(windowScene: UIWindowScene) {
    self.init(frame: .zero)
  }

  /// Creates a window without an extent.
  public override convenience init() {
    self.init(frame: .zero)
  }
}

public import Foundation
public import Stint

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

/// The one scene that every application has: its states are the application's.
@MainActor
open class UIScene: UIResponder {
  /// The state of a scene.
  public enum ActivationState: Int, Sendable {
    /// Not connected to the application.
    case unattached = -1
    /// In the foreground and active.
    case foregroundActive = 0
    /// In the foreground.
    case foregroundInactive = 1
    /// In the background.
    case background = 2
  }

  /// The state of the scene, which is that of the application.
  public var activationState: ActivationState {
    switch Application.shared.applicationState {
    case .active: .foregroundActive
    case .inactive: .foregroundInactive
    case .background: .background
    }
  }

  /// Posted when the scene is active.
  public nonisolated static let didActivateNotification = SceneNotifications.name(
    "UISceneDidActivateNotification", after: Application.didBecomeActiveNotification)
  /// Posted when the scene is about to leave the active state.
  public nonisolated static let willDeactivateNotification = SceneNotifications.name(
    "UISceneWillDeactivateNotification", after: Application.willResignActiveNotification)
  /// Posted when the scene is in the background.
  public nonisolated static let didEnterBackgroundNotification = SceneNotifications.name(
    "UISceneDidEnterBackgroundNotification", after: Application.didEnterBackgroundNotification)
  /// Posted when the scene is about to leave the background.
  public nonisolated static let willEnterForegroundNotification = SceneNotifications.name(
    "UISceneWillEnterForegroundNotification", after: Application.willEnterForegroundNotification)

  fileprivate static let only = UIScene()
}

extension Application {
  /// The scenes of the application: always the same one.
  public var connectedScenes: Set<UIScene> { [UIScene.only] }
}

/// Posts the notifications of the scene after those of the application, from the first use of a
/// name on.
private enum SceneNotifications {
  static func name(_ name: String, after notification: Notification.Name) -> Notification.Name {
    let name = Notification.Name(name)
    _ = NotificationCenter.default.addObserver(forName: notification, object: nil, queue: nil) {
      _ in
      // An application posts on the main queue; a test may post from anywhere.
      let tell: @MainActor @Sendable () -> Void = {
        NotificationCenter.default.post(name: name, object: UIScene.only)
      }
      if Thread.isMainThread {
        MainActor.assumeIsolated(tell)
      } else {
        DispatchQueue.main.async(execute: tell)
      }
    }
    return name
  }
}

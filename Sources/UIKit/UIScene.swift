public import Foundation
public import Stint

/// The one scene that every application has: its states are the application's.
@preconcurrency
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
    "UISceneDidActivateNotification", after: Application.didBecomeActiveNotification
  ) { $0.sceneDidBecomeActive(UIScene.only) }
  /// Posted when the scene is about to leave the active state.
  public nonisolated static let willDeactivateNotification = SceneNotifications.name(
    "UISceneWillDeactivateNotification", after: Application.willResignActiveNotification
  ) { $0.sceneWillResignActive(UIScene.only) }
  /// Posted when the scene is in the background.
  public nonisolated static let didEnterBackgroundNotification = SceneNotifications.name(
    "UISceneDidEnterBackgroundNotification", after: Application.didEnterBackgroundNotification
  ) { $0.sceneDidEnterBackground(UIScene.only) }
  /// Posted when the scene is about to leave the background.
  public nonisolated static let willEnterForegroundNotification = SceneNotifications.name(
    "UISceneWillEnterForegroundNotification", after: Application.willEnterForegroundNotification
  ) { $0.sceneWillEnterForeground(UIScene.only) }

  /// Is told of the transitions of the scene before their notifications are posted; not retained.
  public weak var delegate: (any UISceneDelegate)? {
    didSet {
      // From the first use of a name on, the delegate is told, too.
      _ = [
        Self.didActivateNotification, Self.willDeactivateNotification,
        Self.didEnterBackgroundNotification, Self.willEnterForegroundNotification,
      ]
    }
  }

  fileprivate static let only = UIScene()
}

/// Is told of the transitions of a scene; every method is optional.
@preconcurrency
@MainActor
public protocol UISceneDelegate: AnyObject {
  /// The scene is active.
  func sceneDidBecomeActive(_ scene: UIScene)
  /// The scene is about to leave the active state.
  func sceneWillResignActive(_ scene: UIScene)
  /// The scene is about to leave the background.
  func sceneWillEnterForeground(_ scene: UIScene)
  /// The scene is in the background.
  func sceneDidEnterBackground(_ scene: UIScene)
}

extension UISceneDelegate {
  /// Does nothing.
  public func sceneDidBecomeActive(_ scene: UIScene) {}
  /// Does nothing.
  public func sceneWillResignActive(_ scene: UIScene) {}
  /// Does nothing.
  public func sceneWillEnterForeground(_ scene: UIScene) {}
  /// Does nothing.
  public func sceneDidEnterBackground(_ scene: UIScene) {}
}

extension Application {
  /// The scenes of the application: always the same one.
  public var connectedScenes: Set<UIScene> { [UIScene.only] }
}

/// Tells of the scene after the application was told, from the first use of a name on.
private enum SceneNotifications {
  static func name(
    _ name: String, after notification: Notification.Name,
    _ tellDelegate: @escaping @MainActor @Sendable (any UISceneDelegate) -> Void
  ) -> Notification.Name {
    let name = Notification.Name(name)
    _ = NotificationCenter.default.addObserver(forName: notification, object: nil, queue: nil) {
      _ in
      // An application posts on the main queue; a test may post from anywhere.
      let tell: @MainActor @Sendable () -> Void = {
        if let delegate = UIScene.only.delegate { tellDelegate(delegate) }
        NotificationCenter.default.post(name: name, object: UIScene.only)
      }
      if MainQueueMark.isHere {
        MainActor.assumeIsolated(tell)
      } else {
        DispatchQueue.main.async(execute: tell)
      }
    }
    return name
  }
}

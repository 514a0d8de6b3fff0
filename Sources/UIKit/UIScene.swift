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

  /// What the scene belongs to; always the same one.
  public let session = UISceneSession()

  /// What a scene is connected with: nothing, because nothing opens one.
  open class ConnectionOptions: NSObject {}

  // Code of iOS takes the only scene for one with windows.
  fileprivate static let only: UIScene = UIWindowScene()

  fileprivate override init() {
    super.init()
  }
}

/// A scene with windows; there is no display, so it shows nothing.
@preconcurrency
@MainActor
open class UIWindowScene: UIScene {
  fileprivate override init() {
    super.init()
  }
}

/// What a scene belongs to, beyond its connection.
@preconcurrency
@MainActor
open class UISceneSession: NSObject {
  /// What a scene is for.
  public struct Role: RawRepresentable, Hashable, Sendable {
    /// The role's name.
    public let rawValue: String

    /// Creates a role from its name.
    ///
    /// - Parameter rawValue: The role's name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Windows on the display.
    public static let windowApplication = Self(rawValue: "UIWindowSceneSessionRoleApplication")
  }

  /// What the scene is for.
  public let role = Role.windowApplication
  /// Names the session.
  public let persistentIdentifier = "org.stint.scene"
  /// How the scene was made.
  public var configuration: UISceneConfiguration {
    UISceneConfiguration(name: nil, sessionRole: role)
  }
  /// The scene.
  public var scene: UIScene? { UIScene.only }

  fileprivate override init() {
    super.init()
  }
}

/// How a scene is to be made; nothing asks for one, because the only scene is always there.
@preconcurrency
@MainActor
open class UISceneConfiguration: NSObject {
  /// Its name.
  public let name: String?
  /// What the scene is for.
  public let role: UISceneSession.Role
  /// The class of the scene.
  open var sceneClass: AnyClass?
  /// The class of the scene's delegate.
  open var delegateClass: AnyClass?

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - sessionRole: What the scene is for.
  public init(name: String?, sessionRole: UISceneSession.Role) {
    self.name = name
    role = sessionRole
    super.init()
  }
}

/// Is told of the transitions of a scene; every method is optional.
@preconcurrency
@MainActor
public protocol UISceneDelegate: AnyObject {
  /// A scene is connected; not called, because the only scene is there from the beginning.
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions)
  /// A scene is gone; not called, because the only scene stays.
  func sceneDidDisconnect(_ scene: UIScene)
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
  public func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {}
  /// Does nothing.
  public func sceneDidDisconnect(_ scene: UIScene) {}
  /// Does nothing.
  public func sceneDidBecomeActive(_ scene: UIScene) {}
  /// Does nothing.
  public func sceneWillResignActive(_ scene: UIScene) {}
  /// Does nothing.
  public func sceneWillEnterForeground(_ scene: UIScene) {}
  /// Does nothing.
  public func sceneDidEnterBackground(_ scene: UIScene) {}
}

/// Is told of the transitions of a scene with windows.
@preconcurrency
@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
  /// The window that the delegate keeps.
  var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
  /// Nil; what is set is dropped.
  public var window: UIWindow? {
    get { nil }
    set {}
  }
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

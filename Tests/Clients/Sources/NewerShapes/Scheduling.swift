import BackgroundTasks
import UIKit

/// Asks for a refresh unless one waits, and tells the refusals apart.
enum Refreshes {
  static let identifier = "org.example.newer-refresh"

  static func register() -> Bool {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { task in
      guard let refresh = task as? BGAppRefreshTask else { return }
      let work = Task { @MainActor in
        refresh.setTaskCompleted(success: !Task.isCancelled)
      }
      refresh.expirationHandler = { work.cancel() }
    }
  }

  static func schedule() -> String {
    let request = BGAppRefreshTaskRequest(identifier: identifier)
    request.earliestBeginDate = Date(timeIntervalSinceNow: 900)
    do {
      try BGTaskScheduler.shared.submit(request)
      return "submitted"
    } catch BGTaskScheduler.Error.notPermitted {
      return "not permitted"
    } catch let error as BGTaskScheduler.Error where error.code == .unavailable {
      return "unavailable"
    } catch {
      return "\(error)"
    }
  }

  static func waiting() async -> [String] {
    await BGTaskScheduler.shared.pendingTaskRequests().map(\.identifier)
  }
}

/// Asks to go on with an export in the background, on a graphics processor if there is one.
enum Exports {
  static let identifier = "org.example.newer-export"

  static func schedule() -> String {
    let request = BGContinuedProcessingTaskRequest(
      identifier: identifier, title: "Export", subtitle: "1 of 2")
    request.strategy = .fail
    if BGTaskScheduler.supportedResources.contains(.gpu) { request.requiredResources = .gpu }
    do {
      try BGTaskScheduler.shared.submit(request)
      return "submitted"
    } catch {
      let error = error as NSError
      return error.domain == BGTaskScheduler.errorDomain ? "refused (\(error.code))" : "\(error)"
    }
  }

  /// Work waits while the machine is hot or its battery nearly empty.
  static var mayWork: Bool {
    let process = ProcessInfo.processInfo
    return process.thermalState.rawValue < ProcessInfo.ThermalState.serious.rawValue
      && !process.isLowPowerModeEnabled
  }
}

/// Makes the scene's configuration, as the template of newer projects does.
@MainActor
func configuration(for session: UISceneSession) -> UISceneConfiguration {
  let made = UISceneConfiguration(name: "Default", sessionRole: session.role)
  made.delegateClass = SceneDelegate.self
  return made
}

/// What libraries declare to test themselves: only methods of exactly these signatures satisfy it.
protocol ActivityHost: Sendable {
  func beginActivity(
    options: ProcessInfo.ActivityOptions, reason: String
  ) -> any NSObjectProtocol
  func endActivity(_ activity: any NSObjectProtocol)
  func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (Bool) -> Void)
}

extension ProcessInfo: ActivityHost {}

/// The application as a protocol of the main actor.
@MainActor
protocol ApplicationHost {
  func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)?
  ) -> UIBackgroundTaskIdentifier
  func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
}

extension UIApplication: ApplicationHost {}

/// The delegate of the one scene.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?
  private(set) var told: [String] = []

  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {
    guard let windowScene = scene as? UIWindowScene else { return }
    window = UIWindow(windowScene: windowScene)
  }

  func sceneDidBecomeActive(_ scene: UIScene) { told.append("active") }
  func sceneDidEnterBackground(_ scene: UIScene) {
    told.append(scene.activationState == .background ? "background" : "not in the background")
  }
}

/// Is of the main actor without a word, as every responder is, so two tasks may have it at a time.
final class Refresher: UIResponder {
  private(set) var refreshes = 0

  override init() { super.init() }

  nonisolated func refresh(_ task: BGTask) {
    Task { @MainActor in
      self.refreshes += 1
      task.setTaskCompleted(success: true)
    }
    task.expirationHandler = { Task { @MainActor in self.refreshes = 0 } }
  }
}

public import Foundation
import StintCore

extension Application {
  /// Posted when the application is launched; the state seen then is inactive, or background.
  public nonisolated static let didFinishLaunchingNotification =
    Notification.Name("UIApplicationDidFinishLaunchingNotification")
  /// Posted when the application is about to leave the active state.
  public nonisolated static let willResignActiveNotification =
    Notification.Name("UIApplicationWillResignActiveNotification")
  /// Posted when the background was entered.
  public nonisolated static let didEnterBackgroundNotification =
    Notification.Name("UIApplicationDidEnterBackgroundNotification")
  /// Posted when the application is about to leave the background.
  public nonisolated static let willEnterForegroundNotification =
    Notification.Name("UIApplicationWillEnterForegroundNotification")
  /// Posted when the application is active.
  public nonisolated static let didBecomeActiveNotification =
    Notification.Name("UIApplicationDidBecomeActiveNotification")
  /// Posted when the application is about to be ended in order.
  public nonisolated static let willTerminateNotification =
    Notification.Name("UIApplicationWillTerminateNotification")
  /// Posted when memory is short, at most once in ten seconds (L10).
  ///
  /// Whether it is short is found out from the first use of this name on, or while there is a
  /// delegate.
  public nonisolated static var didReceiveMemoryWarningNotification: Notification.Name {
    SharedApplication.observeMemory()
    return memoryWarningName
  }
  /// Posted when ``backgroundRefreshStatus`` has changed (L11).
  public nonisolated static let backgroundRefreshStatusDidChangeNotification =
    Notification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
  /// Posted at midnight, in another time zone, or when the clock was set.
  public nonisolated static let significantTimeChangeNotification =
    Notification.Name("UIApplicationSignificantTimeChangeNotification")
  /// Posted when protected files are about to be locked away.
  public nonisolated static let protectedDataWillBecomeUnavailableNotification =
    Notification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
  /// Posted when protected files can be read again.
  public nonisolated static let protectedDataDidBecomeAvailableNotification =
    Notification.Name("UIApplicationProtectedDataDidBecomeAvailable")

  fileprivate nonisolated static let memoryWarningName =
    Notification.Name("UIApplicationDidReceiveMemoryWarningNotification")
}

extension Notification.Name {
  /// See `Application.willResignActiveNotification`.
  public static let applicationWillResignActive = Application.willResignActiveNotification
  /// See `Application.didEnterBackgroundNotification`.
  public static let applicationDidEnterBackground = Application.didEnterBackgroundNotification
  /// See `Application.willEnterForegroundNotification`.
  public static let applicationWillEnterForeground = Application.willEnterForegroundNotification
  /// See `Application.didBecomeActiveNotification`.
  public static let applicationDidBecomeActive = Application.didBecomeActiveNotification
  /// See `Application.willTerminateNotification`.
  public static let applicationWillTerminate = Application.willTerminateNotification
}

/// Tells the delegate, then posts the notification of the same name with the application as object
/// (L2, L9).
final class ApplicationTeller: TransitionTeller {
  private struct Link {
    weak var application: Application?
    weak var delegate: AnyObject?
  }

  private let link = Protected(Link())

  /// Whether there is a delegate still; nobody says when it goes away.
  var hasDelegate: Bool { link.withLock { $0.delegate } != nil }

  var hearsOfMemory: Bool {
    guard let application = link.withLock({ $0.application }) else { return false }
    return hasDelegate || SharedApplication.isMemoryObserved(of: application)
  }

  func adopt(_ application: Application) {
    link.withLock { $0.application = application }
  }

  func setDelegate(_ delegate: AnyObject?) {
    link.withLock { $0.delegate = delegate }
  }

  func onMainQueue(_ body: @escaping @MainActor @Sendable () -> Void) {
    // Not DispatchQueue.main.async: after dispatchMain() the main queue runs on threads that
    // Foundation does not know as main, and an observer on `OperationQueue.main` would be waited
    // for on the very queue that it needs.
    OperationQueue.main.addOperation { MainActor.assumeIsolated { body() } }
  }

  @MainActor
  func tell(_ transition: Transition) {
    guard let application = link.withLock({ $0.application }) else { return }
    Self.tellDelegate(of: application, transition)
    guard let name = Self.name(of: transition) else { return }
    NotificationCenter.default.post(name: name, object: application)
  }

  @MainActor
  func tell(_ news: ApplicationNews) {
    guard let application = link.withLock({ $0.application }) else { return }
    let delegate = application.delegate
    let name: Notification.Name
    switch news {
    case .backgroundRefreshStatusChanged:
      name = Application.backgroundRefreshStatusDidChangeNotification
    case .significantTimeChange:
      delegate?.applicationSignificantTimeChange(application)
      name = Application.significantTimeChangeNotification
    case .protectedDataWillBecomeUnavailable:
      delegate?.applicationProtectedDataWillBecomeUnavailable(application)
      name = Application.protectedDataWillBecomeUnavailableNotification
    case .protectedDataDidBecomeAvailable:
      delegate?.applicationProtectedDataDidBecomeAvailable(application)
      name = Application.protectedDataDidBecomeAvailableNotification
    case .fetch(let task):
      guard task.claimLaunch() else { return }
      let complete = task.completionHandler
      guard let delegate else { return complete(.noData) }
      return delegate.application(application, performFetchWithCompletionHandler: complete)
    case .sessionEvents(let task):
      guard task.claimLaunch() else { return }
      let complete = task.completionHandler
      guard let delegate else { return complete(.newData) }
      return delegate.application(
        application, handleEventsForBackgroundURLSession: task.identifier
      ) { complete(.newData) }
    }
    NotificationCenter.default.post(name: name, object: application)
  }

  @MainActor
  private static func tellDelegate(of application: Application, _ transition: Transition) {
    guard let delegate = application.delegate else { return }
    switch transition {
    case .willFinishLaunching:
      _ = delegate.application(application, willFinishLaunchingWithOptions: nil)
    case .didFinishLaunching:
      _ = delegate.application(application, didFinishLaunchingWithOptions: nil)
    case .willResignActive: delegate.applicationWillResignActive(application)
    case .didEnterBackground: delegate.applicationDidEnterBackground(application)
    case .willEnterForeground: delegate.applicationWillEnterForeground(application)
    case .didBecomeActive: delegate.applicationDidBecomeActive(application)
    case .willTerminate: delegate.applicationWillTerminate(application)
    case .didReceiveMemoryWarning: delegate.applicationDidReceiveMemoryWarning(application)
    }
  }

  /// The notification of a transition; before the launch is finished there is none.
  private static func name(of transition: Transition) -> Notification.Name? {
    switch transition {
    case .willFinishLaunching: nil
    case .didFinishLaunching: Application.didFinishLaunchingNotification
    case .willResignActive: Application.willResignActiveNotification
    case .didEnterBackground: Application.didEnterBackgroundNotification
    case .willEnterForeground: Application.willEnterForegroundNotification
    case .didBecomeActive: Application.didBecomeActiveNotification
    case .willTerminate: Application.willTerminateNotification
    case .didReceiveMemoryWarning: Application.memoryWarningName
    }
  }
}

public import Foundation
import StintCore
import Synchronization

extension Application {
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
/// (L2).
final class ApplicationTeller: TransitionTeller {
  private struct Link {
    weak var application: Application?
  }

  private let link = Protected(Link())
  private let isJudged = Atomic<Bool>(false)

  var hasDelegate: Bool { isJudged.load(ordering: .acquiring) }

  func adopt(_ application: Application) {
    link.withLock { $0.application = application }
  }

  func setHasDelegate(_ hasDelegate: Bool) {
    isJudged.store(hasDelegate, ordering: .releasing)
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
    NotificationCenter.default.post(name: Self.name(of: transition), object: application)
  }

  @MainActor
  private static func tellDelegate(of application: Application, _ transition: Transition) {
    guard let delegate = application.delegate else { return }
    switch transition {
    case .willResignActive: delegate.applicationWillResignActive(application)
    case .didEnterBackground: delegate.applicationDidEnterBackground(application)
    case .willEnterForeground: delegate.applicationWillEnterForeground(application)
    case .didBecomeActive: delegate.applicationDidBecomeActive(application)
    case .willTerminate: delegate.applicationWillTerminate(application)
    }
  }

  private static func name(of transition: Transition) -> Notification.Name {
    switch transition {
    case .willResignActive: Application.willResignActiveNotification
    case .didEnterBackground: Application.didEnterBackgroundNotification
    case .willEnterForeground: Application.willEnterForegroundNotification
    case .didBecomeActive: Application.didBecomeActiveNotification
    case .willTerminate: Application.willTerminateNotification
    }
  }
}

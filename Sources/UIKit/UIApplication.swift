@_exported public import Foundation
public import Stint

@_exported public import class Stint.Application
@_exported public import protocol Stint.ApplicationDelegate
@_exported public import enum StintCore.ApplicationState
@_exported public import struct StintCore.BackgroundTaskIdentifier

/// The application, under UIKit's name.
public typealias UIApplication = Application
/// The application's delegate, under UIKit's name.
public typealias UIApplicationDelegate = ApplicationDelegate
/// A task's identifier, under UIKit's name.
public typealias UIBackgroundTaskIdentifier = BackgroundTaskIdentifier
/// Whether the system would begin work in the background, under UIKit's name.
public typealias UIBackgroundRefreshStatus = BackgroundRefreshStatus
/// What came of a background fetch, under UIKit's name.
public typealias UIBackgroundFetchResult = BackgroundFetchResult
/// The key of a launch option, under its older name.
public typealias UIApplicationLaunchOptionsKey = Application.LaunchOptionsKey
/// The state of an application, under its older name.
public typealias UIApplicationState = ApplicationState

/// The identifier of no task, under its older name.
public let UIBackgroundTaskInvalid = BackgroundTaskIdentifier.invalid
/// The least minimum of the time between two fetches, under its older name.
public let UIApplicationBackgroundFetchIntervalMinimum =
  UIApplication.backgroundFetchIntervalMinimum
/// No fetches, under its older name.
public let UIApplicationBackgroundFetchIntervalNever = UIApplication.backgroundFetchIntervalNever

extension Application {
  /// The state that code observes.
  public typealias State = ApplicationState

  /// As often as the system likes, as a minimum interval of fetches.
  public nonisolated static let backgroundFetchIntervalMinimum: TimeInterval = 0
  /// No fetches at all, as a minimum interval of fetches.
  public nonisolated static let backgroundFetchIntervalNever: TimeInterval =
    .greatestFiniteMagnitude

  /// Says how often the delegate may fetch (B1).
  ///
  /// - Parameter interval: The least time between two fetches, in seconds;
  ///   ``backgroundFetchIntervalMinimum`` for as often as the system likes, and
  ///   ``backgroundFetchIntervalNever``, which holds until this is called, for no fetches.
  public func setMinimumBackgroundFetchInterval(_ interval: TimeInterval) {
    taskScheduler.fetchInterval =
      switch interval {
      case _ where interval.isNaN: .minimum
      case Self.backgroundFetchIntervalNever...: .never
      case ...Self.backgroundFetchIntervalMinimum: .minimum
      default: .atLeast(Duration(clampingSeconds: interval))
      }
  }

  /// Whether the display stays on; there is none, so this is only kept.
  public var isIdleTimerDisabled: Bool {
    get { IdleTimer.isDisabled }
    set { IdleTimer.isDisabled = newValue }
  }
}

/// The names of notifications as Swift 3 and 4.1 spelled them.
extension NSNotification.Name {
  /// See `UIApplication.didFinishLaunchingNotification`.
  public static var UIApplicationDidFinishLaunching: Self {
    UIApplication.didFinishLaunchingNotification
  }
  /// See `UIApplication.willResignActiveNotification`.
  public static var UIApplicationWillResignActive: Self {
    UIApplication.willResignActiveNotification
  }
  /// See `UIApplication.didEnterBackgroundNotification`.
  public static var UIApplicationDidEnterBackground: Self {
    UIApplication.didEnterBackgroundNotification
  }
  /// See `UIApplication.willEnterForegroundNotification`.
  public static var UIApplicationWillEnterForeground: Self {
    UIApplication.willEnterForegroundNotification
  }
  /// See `UIApplication.didBecomeActiveNotification`.
  public static var UIApplicationDidBecomeActive: Self { UIApplication.didBecomeActiveNotification }
  /// See `UIApplication.willTerminateNotification`.
  public static var UIApplicationWillTerminate: Self { UIApplication.willTerminateNotification }
  /// See `UIApplication.didReceiveMemoryWarningNotification`.
  public static var UIApplicationDidReceiveMemoryWarning: Self {
    UIApplication.didReceiveMemoryWarningNotification
  }
  /// See `UIApplication.backgroundRefreshStatusDidChangeNotification`.
  public static var UIApplicationBackgroundRefreshStatusDidChange: Self {
    UIApplication.backgroundRefreshStatusDidChangeNotification
  }
  /// See `UIApplication.significantTimeChangeNotification`.
  public static var UIApplicationSignificantTimeChange: Self {
    UIApplication.significantTimeChangeNotification
  }
  /// See `UIApplication.protectedDataWillBecomeUnavailableNotification`.
  public static var UIApplicationProtectedDataWillBecomeUnavailable: Self {
    UIApplication.protectedDataWillBecomeUnavailableNotification
  }
  /// See `UIApplication.protectedDataDidBecomeAvailableNotification`.
  public static var UIApplicationProtectedDataDidBecomeAvailable: Self {
    UIApplication.protectedDataDidBecomeAvailableNotification
  }
}

/// What is kept for ``UIApplication/isIdleTimerDisabled``.
@MainActor
private enum IdleTimer {
  static var isDisabled = false
}

/// Runs a program with a delegate of a class, and never returns.
///
/// - Parameters:
///   - argc: Not looked at.
///   - argv: Not looked at.
///   - principalClassName: Not looked at: the application is ``UIApplication/shared``.
///   - delegateClassName: The name of the delegate's class, as `NSStringFromClass` gives it.
/// - Returns: Nothing, ever.
@MainActor
@discardableResult
public func UIApplicationMain(
  _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
  _ principalClassName: String?, _ delegateClassName: String?
) -> Int32 {
  guard let name = delegateClassName, let type = NSClassFromString(name) as? NSObject.Type else {
    preconditionFailure("There is no class \(delegateClassName ?? "nil") for the delegate.")
  }
  Application.run(type)
}

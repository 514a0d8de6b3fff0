public import StintCore

/// Is told of the application's transitions, with UIKit's names; every method is optional (L2, L9).
///
/// The delegate is called first, on the main queue; then the notification of the same name is
/// posted.
@preconcurrency
@MainActor
public protocol ApplicationDelegate: AnyObject {
  /// The application is about to be launched; what is returned does not matter here.
  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool
  /// The application is launched; what is returned does not matter here.
  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool
  /// The application is launched; not called if the form with options is there.
  func applicationDidFinishLaunching(_ application: Application)
  /// The application is about to leave the active state.
  func applicationWillResignActive(_ application: Application)
  /// The background was entered; must return within the policy's grace (L4).
  func applicationDidEnterBackground(_ application: Application)
  /// The application is about to leave the background.
  func applicationWillEnterForeground(_ application: Application)
  /// The application is active.
  func applicationDidBecomeActive(_ application: Application)
  /// The application is about to be ended in order.
  func applicationWillTerminate(_ application: Application)
  /// Memory is short: drop what can be made again (L10).
  func applicationDidReceiveMemoryWarning(_ application: Application)
  /// It is midnight, the time zone is another one, or the clock was set.
  func applicationSignificantTimeChange(_ application: Application)
  /// Protected files are about to be locked away.
  func applicationProtectedDataWillBecomeUnavailable(_ application: Application)
  /// Protected files can be read again.
  func applicationProtectedDataDidBecomeAvailable(_ application: Application)
  /// The application may fetch, and says once what came of it (B2).
  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void)
  /// The application may fetch, and returns what came of it (B2); not called if the form with a
  /// completion handler is there.
  func applicationPerformFetch(_ application: Application) async -> BackgroundFetchResult
  /// A session of transfers has events, and the application says once that it has handled them.
  func application(
    _ application: Application, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void)
}

extension ApplicationDelegate {
  /// Does nothing.
  public func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  /// Calls the form without options.
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    applicationDidFinishLaunching(application)
    return true
  }
  /// Does nothing.
  public func applicationDidFinishLaunching(_ application: Application) {}
  /// Does nothing.
  public func applicationWillResignActive(_ application: Application) {}
  /// Does nothing.
  public func applicationDidEnterBackground(_ application: Application) {}
  /// Does nothing.
  public func applicationWillEnterForeground(_ application: Application) {}
  /// Does nothing.
  public func applicationDidBecomeActive(_ application: Application) {}
  /// Does nothing.
  public func applicationWillTerminate(_ application: Application) {}
  /// Does nothing.
  public func applicationDidReceiveMemoryWarning(_ application: Application) {}
  /// Does nothing.
  public func applicationSignificantTimeChange(_ application: Application) {}
  /// Does nothing.
  public func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {}
  /// Does nothing.
  public func applicationProtectedDataDidBecomeAvailable(_ application: Application) {}
  /// Calls the form without a completion handler.
  public func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    application.driver.environment.onMainActor {
      completionHandler(await self.applicationPerformFetch(application))
    }
  }
  /// Says that there is no data.
  public func applicationPerformFetch(
    _ application: Application
  ) async -> BackgroundFetchResult { .noData }
  /// Says that the events are handled.
  public func application(
    _ application: Application, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    completionHandler()
  }
}

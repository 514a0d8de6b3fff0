/// Is told of the application's transitions, with UIKit's names; every method is optional (L2).
///
/// The delegate is called first, on the main queue; then the notification of the same name is
/// posted.
@preconcurrency
@MainActor
public protocol ApplicationDelegate: AnyObject {
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
}

extension ApplicationDelegate {
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
}

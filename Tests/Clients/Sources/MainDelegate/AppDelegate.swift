import UIKit

/// A whole program: a delegate that `@main` starts, as the templates of iOS have it.
///
/// With a word it goes on, and prints what it hears of its end (`Listening`).
@main
class AppDelegate: NSObject, UIApplicationDelegate {
  var window: UIWindow?
  private var told = ["made"]

  override init() {
    super.init()
    Listening.handleSignals("before")
  }

  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
  ) -> Bool {
    told.append("willFinishLaunching \(application.applicationState.rawValue)")
    return true
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    told.append("didFinishLaunching \(application.applicationState.rawValue)")
    return true
  }

  func applicationDidBecomeActive(_ application: UIApplication) {
    told.append("didBecomeActive \(application.applicationState.rawValue)")
    if Listening.word != nil {
      if told.count == 4 {
        Listening.handleSignals("after")
        Listening.begin(application)
      }
      return Listening.becameActive(application)
    }
    // A timer of the main run loop has to fire.
    _ = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: false) { _ in
      MainActor.assumeIsolated { self.finish() }
    }
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    if Listening.word == "idle" { application.suspendWhenIdle() }
  }

  func applicationWillTerminate(_ application: UIApplication) {
    Listening.willTerminate()
  }

  private func finish() {
    let expected = [
      "made", "willFinishLaunching 1", "didFinishLaunching 1", "didBecomeActive 0",
    ]
    guard told == expected, window == nil else {
      print("main delegate: told \(told)")
      exit(1)
    }
    print("main delegate: all is as on iOS")
    exit(0)
  }
}

import Stint
import UIKit

/// One program with four tabs: audio, location, a finite task, and fetches.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  /// The command line makes them, as a storyboard does on iOS, or a test before the launch.
  var tabs: [any Tab] = []

  /// What `UIBackgroundModes` in `Info.plist` says on iOS, with the reasons.
  private let modes: [BackgroundMode: String] = [
    .audio: "It plays the pieces that you gave it.",
    .location: "It keeps the way that you walk.",
  ]

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplicationLaunchOptionsKey: Any]?
  ) -> Bool {
    application.setMinimumBackgroundFetchInterval(UIApplicationBackgroundFetchIntervalMinimum)
    // Only an empty reason is refused.
    for (mode, reason) in modes { try? application.declareMode(mode, because: reason) }
    if tabs.isEmpty {
      let arguments = Arguments.ofThisProcess
      tabs = arguments.tabs
      Person(with: tabs, for: arguments.length).begin()
    }
    return true
  }

  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    guard let tab = tabs.lazy.compactMap({ $0 as? FetchController }).first else {
      return completionHandler(.noData)
    }
    tab.fetch { result in
      tab.updateTime()
      completionHandler(result)
    }
  }
}

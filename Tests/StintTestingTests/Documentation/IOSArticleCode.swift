import StintTesting
import Testing
import UIKit

// The code of the article on iOS code, compiled and run: every block of it stands here line by
// line.

extension SharedPlace {
  @Suite("The code of the article on iOS code")
  @MainActor
  struct IOSArticleCode {
    private final class AppDelegate: UIResponder, UIApplicationDelegate {
      var warnings = 0

      func applicationDidReceiveMemoryWarning(_ application: UIApplication) { warnings += 1 }
      func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
          @escaping @Sendable (UIBackgroundFetchResult) -> Void
      ) {
        completionHandler(.newData)
      }
    }

    @MainActor
    private final class Saver {
      private var task = UIBackgroundTaskIdentifier.invalid
      private(set) var expirations = 0

      func begin() {
        task = UIApplication.shared.beginBackgroundTask {
          self.expirations += 1
          UIApplication.shared.endBackgroundTask(self.task)
        }
      }
    }

    @Test("A24 L9 the shared application in virtual time")
    func shared() throws {
      let system = VirtualSystem(policy: .iOS7)
      try system.becomeShared()
      let delegate = AppDelegate()
      UIApplication.shared.delegate = delegate
      system.launch()
      let saver = Saver()
      saver.begin()
      system.enterBackground()
      system.expire()
      #expect(saver.expirations == 1)
      #expect(system.openTasks.isEmpty)
      withExtendedLifetime(delegate) {}
    }

    @Test("L7 L10 L11 what else happens to an application")
    func events() throws {
      let system = VirtualSystem()
      try system.becomeShared()
      let delegate = AppDelegate()
      UIApplication.shared.delegate = delegate
      let fetch = system.simulateFetch()
      #expect(fetch?.result == .newData)
      system.enterForeground()
      system.simulateMemoryWarning()
      system.backgroundRefreshStatus = .denied
      #expect(UIApplication.shared.backgroundRefreshStatus == .denied)
      #expect(delegate.warnings == 1)
    }
  }
}

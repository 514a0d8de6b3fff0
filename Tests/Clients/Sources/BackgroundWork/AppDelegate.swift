import BackgroundTasks
import UIKit

/// Everything that public code does with work in the background, in one program and in real time: a
/// refresh that submits the next one first, a processing task that needs network and power, an
/// export that goes on with its progress, and a fetch with each result.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  private let refresher = Refresher()
  private let results: [UIBackgroundFetchResult] = [.newData, .noData, .failed]
  private var fetches = 0
  private var hasStarted = false

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
    refresher.register()
    Cleaning.register()
    Export.register()
    return true
  }

  func applicationDidBecomeActive(_ application: UIApplication) {
    if hasStarted { return }
    hasStarted = true
    Export.start()
    Cleaning.schedule()
    refresher.scheduleAppRefresh()
    refresher.whenDone = { [weak self] in
      DispatchQueue.main.async { self?.finish() }
    }
    // The home button.
    DispatchQueue.main.async { application.enterBackground() }
    _ = Timer.scheduledTimer(withTimeInterval: 0.2, repeats: true) { _ in
      MainActor.assumeIsolated { self.fetchOnce() }
    }
  }

  /// The debugger's menu simulates a fetch until each result was given.
  private func fetchOnce() {
    guard UIApplication.shared.applicationState == .background, fetches < results.count else {
      return
    }
    UIApplication.shared.taskScheduler.simulateFetch()
  }

  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    guard fetches < results.count else { return completionHandler(.noData) }
    require(application.backgroundTimeRemaining <= 30, "\(application.backgroundTimeRemaining) s")
    let result = results[fetches]
    fetches += 1
    DispatchQueue.global().async { completionHandler(result) }
  }

  private func finish() {
    require(fetches == results.count, "\(fetches) fetches")
    require(Cleaning.runs == 1, "\(Cleaning.runs) cleanings")
    require(Export.units == 100, "\(Export.units) units of the export")
    print("background work: ten refreshes in \(refresher.seconds) s, and all is as on iOS")
    exit(0)
  }
}

func require(_ isTrue: Bool, _ what: String) {
  guard !isTrue else { return }
  print("background work: \(what)")
  exit(1)
}

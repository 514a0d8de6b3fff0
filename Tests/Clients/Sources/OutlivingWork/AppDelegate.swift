import BackgroundTasks
import UIKit

/// A program whose requests outlive it: it is left, suspended and killed, and `stint serve`
/// launches it for its refresh, its cleaning and its fetches.
///
/// What it hears it writes into the file `heard` in its folder. Its word says what goes wrong.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  static let refresh = "org.example.outliving.refresh"
  static let cleaning = "org.example.outliving.cleaning"

  var window: UIWindow?
  private let word = CommandLine.arguments.dropFirst().first ?? ""

  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    hear("willFinishLaunching \(application.applicationState.rawValue)")
    return true
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    hear("didFinishLaunching \(application.applicationState.rawValue)")
    if word == "dead-at-launch", application.applicationState == .background { abort() }
    if word != "without-fetches" { application.setMinimumBackgroundFetchInterval(2) }
    let isCrashing = word == "crashing"
    BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.refresh, using: nil) { task in
      hear("refresh")
      if isCrashing { abort() }
      task.setTaskCompleted(success: true)
    }
    BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.cleaning, using: nil) { task in
      task.expirationHandler = {
        hear("cleaning expired")
        task.setTaskCompleted(success: false)
      }
      hear("cleaning")
      task.setTaskCompleted(success: true)
    }
    return true
  }

  func applicationDidBecomeActive(_ application: UIApplication) {
    hear("didBecomeActive")
    submit(BGAppRefreshTaskRequest(identifier: Self.refresh))
    submit(BGProcessingTaskRequest(identifier: Self.cleaning))
    // The home button.
    DispatchQueue.main.async {
      application.enterBackground()
      hear("left")
    }
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    hear("didEnterBackground")
  }

  private func submit(_ request: BGTaskRequest) {
    request.earliestBeginDate = Date(timeIntervalSinceNow: 3)
    do {
      try BGTaskScheduler.shared.submit(request)
    } catch {
      hear("refused: \(error)")
    }
  }

  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    hear("fetch")
    completionHandler(.newData)
  }
}

/// Writes a line at the end of the file, before anything can end the process.
func hear(_ words: String) {
  let file = open("heard", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
  let line = Array("\(words)\n".utf8)
  _ = write(file, line, line.count)
  close(file)
}

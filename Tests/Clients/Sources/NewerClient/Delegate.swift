import Stint

final class Delegate: ApplicationDelegate {
  private(set) var told: [String] = []

  func applicationWillResignActive(_ application: Application) {
    told.append("willResignActive \(application.applicationState)")
  }

  func applicationDidEnterBackground(_ application: Application) {
    let isLimited = application.backgroundTimeRemaining <= 30
    told.append(
      "didEnterBackground \(application.applicationState)\(isLimited ? ", limited" : "")")
  }

  func applicationWillEnterForeground(_ application: Application) {
    told.append("willEnterForeground \(application.applicationState)")
  }
}

import Foundation
import Stint
import StintTesting
import Testing

@Suite("Launch and events in virtual time")
@MainActor
struct LaunchTests {
  /// Writes down everything that a delegate can be told.
  final class Delegate: ApplicationDelegate {
    var seen: [String] = []
    var onLaunch: (@MainActor (Application) -> Void)?
    var onFetch: (@MainActor (@escaping @Sendable (BackgroundFetchResult) -> Void) -> Void)?

    private func note(_ name: String, _ application: Application) {
      seen.append("\(name):\(application.applicationState)")
    }

    func application(
      _ application: Application,
      willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      note("willFinishLaunching", application)
      return true
    }
    func applicationDidFinishLaunching(_ application: Application) {
      note("didFinishLaunching", application)
      onLaunch?(application)
    }
    func applicationWillEnterForeground(_ application: Application) {
      note("willEnterForeground", application)
    }
    func applicationDidEnterBackground(_ application: Application) {
      note("didEnterBackground", application)
    }
    func applicationDidBecomeActive(_ application: Application) {
      note("didBecomeActive", application)
    }
    func applicationDidReceiveMemoryWarning(_ application: Application) {
      note("didReceiveMemoryWarning", application)
    }
    func applicationSignificantTimeChange(_ application: Application) {
      note("significantTimeChange", application)
    }
    func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {
      seen.append("protected data: \(application.isProtectedDataAvailable)")
    }
    func applicationProtectedDataDidBecomeAvailable(_ application: Application) {
      seen.append("protected data: \(application.isProtectedDataAvailable)")
    }
    func application(
      _ application: Application,
      performFetchWithCompletionHandler completionHandler:
        @escaping @Sendable (BackgroundFetchResult) -> Void
    ) {
      note("performFetch", application)
      onFetch?(completionHandler)
    }
    func application(
      _ application: Application, handleEventsForBackgroundURLSession identifier: String,
      completionHandler: @escaping @Sendable () -> Void
    ) {
      note("events of \(identifier)", application)
      completionHandler()
    }
  }

  private let system = VirtualSystem()
  private let delegate = Delegate()

  private func makeApplication() -> Application {
    let application = Application(system: system)
    application.delegate = delegate
    return application
  }

  /// What observers of all of an application are posted, with the state that they see.
  private final class Posts {
    private var observers: [any NSObjectProtocol] = []
    private let lines = Protected<[String]>([])

    init(of application: Application, _ names: [Notification.Name]) {
      observers = names.map { [lines] name in
        NotificationCenter.default.addObserver(forName: name, object: application, queue: nil) {
          let line = $0.name.rawValue
          lines.withLock { $0.append("\(line):\(application.applicationState)") }
        }
      }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    var all: [String] { lines.withLock { $0 } }
  }

  @Test("L9 a delegate that is set first hears of the launch, and the notification follows")
  func launch() {
    let application = makeApplication()
    let posts = Posts(
      of: application,
      [Application.didFinishLaunchingNotification, Application.didBecomeActiveNotification])
    #expect(application.applicationState == .inactive)
    #expect(application.beginTask(onExpiry: { _ in }) == .denied(.notRunning))
    #expect(application.launch())
    system.run()
    #expect(
      delegate.seen == [
        "willFinishLaunching:inactive", "didFinishLaunching:inactive", "didBecomeActive:active",
      ])
    #expect(
      posts.all == [
        "UIApplicationDidFinishLaunchingNotification:inactive",
        "UIApplicationDidBecomeActiveNotification:active",
      ])
    #expect(!application.launch(), "once")
    system.run()
    #expect(delegate.seen.count == 3)
  }

  @Test("L9 the form of didFinishLaunching with options takes the place of the one without")
  func options() {
    final class WithOptions: ApplicationDelegate {
      var seen = 0
      func application(
        _ application: Application,
        didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
      ) -> Bool {
        seen += launchOptions == nil ? 1 : 100
        return false
      }
      func applicationDidFinishLaunching(_ application: Application) { seen += 10 }
    }
    let (application, delegate) = (Application(system: system), WithOptions())
    application.delegate = delegate
    system.launch()
    #expect(delegate.seen == 1)
  }

  @Test("L7 launched for an event: told in the background, then the event comes")
  func event() {
    let application = makeApplication()
    delegate.onFetch = { $0(.newData) }
    let fetch = system.simulateFetch()
    #expect(
      delegate.seen == [
        "willFinishLaunching:background", "didFinishLaunching:background",
        "didEnterBackground:background", "performFetch:background",
      ])
    #expect(fetch?.result == .newData)
    #expect(system.lifeState == .suspended)
    #expect(system.record.diagnostics.isEmpty)
    withExtendedLifetime(application) {}
  }

  @Test("L7 a delegate that ends its own task when it is launched does not cost the event its own")
  func ownTask() {
    let application = makeApplication()
    delegate.onLaunch = { application in
      application.endBackgroundTask(application.beginBackgroundTask(withName: "own") {})
    }
    let hold = Protected<(@Sendable (BackgroundFetchResult) -> Void)?>(nil)
    delegate.onFetch = { complete in hold.withLock { $0 = complete } }
    let fetch = system.simulateFetch()
    #expect(delegate.seen.last == "performFetch:background")
    #expect(system.openTasks.map(\.name) == ["background fetch"])
    system.advance(by: .seconds(20))
    #expect(system.lifeState == .background)
    hold.withLock { $0 }?(.newData)
    system.run()
    #expect(fetch?.result == .newData)
    #expect(system.lifeState == .suspended)
    #expect(system.record.diagnostics.isEmpty)

    let other = VirtualSystem()
    let second = Application(system: other)
    second.delegate = delegate
    let direct = other.simulateFetch()
    #expect(other.openTasks.map(\.name) == ["background fetch"])
    direct?.complete(.noData)
    other.run()
    #expect(other.lifeState == .suspended)
    withExtendedLifetime((application, second)) {}
  }

  @Test("L7 a suspended application is resumed for an event, and one that runs goes on")
  func eventLater() {
    let application = makeApplication()
    system.launch()
    system.enterBackground()
    system.advance(by: .seconds(6))
    #expect(system.lifeState == .suspended)
    let hold = Protected<(@Sendable (BackgroundFetchResult) -> Void)?>(nil)
    delegate.onFetch = { complete in hold.withLock { $0 = complete } }
    let fetch = system.simulateFetch()
    #expect(delegate.seen.last == "performFetch:background")
    #expect(system.openTasks.map(\.name) == ["background fetch"])
    hold.withLock { $0 }?(.noData)
    system.run()
    #expect(fetch?.result == .noData)
    #expect(system.lifeState == .suspended)
    system.enterForeground()
    let events = system.simulateEvent(.sessionEvents(identifier: "s"))
    #expect(delegate.seen.last == "events of s:active")
    #expect(events?.result == .newData)
    #expect(application.openTasks.isEmpty)
  }

  @Test("L7 events that wake nobody are told to an application that runs, and to no other")
  func news() {
    let application = makeApplication()
    system.simulateEvent(.significantTimeChange)
    #expect(delegate.seen.isEmpty && system.lifeState == .notRunning)
    system.launch()
    delegate.seen = []
    let posts = Posts(
      of: application,
      [
        Application.significantTimeChangeNotification,
        Application.protectedDataWillBecomeUnavailableNotification,
        Application.protectedDataDidBecomeAvailableNotification,
      ])
    system.simulateEvent(.significantTimeChange)
    system.simulateEvent(.protectedDataWillBecomeUnavailable)
    system.simulateEvent(.protectedDataWillBecomeUnavailable)
    system.simulateEvent(.protectedDataDidBecomeAvailable)
    #expect(
      delegate.seen == [
        "significantTimeChange:active", "protected data: false", "protected data: true",
      ])
    #expect(
      posts.all == [
        "UIApplicationSignificantTimeChangeNotification:active",
        "UIApplicationProtectedDataWillBecomeUnavailable:active",
        "UIApplicationProtectedDataDidBecomeAvailable:active",
      ])
  }

  @Test("L10 memory warnings reach the delegate and the observers, at most once in ten seconds")
  func memory() {
    let application = makeApplication()
    system.launch()
    delegate.seen = []
    let posts = Posts(of: application, [Application.didReceiveMemoryWarningNotification])
    system.simulateMemoryWarning()
    system.advance(by: .seconds(9))
    system.simulateMemoryWarning()
    system.advance(by: .seconds(1))
    system.simulateMemoryWarning()
    #expect(delegate.seen == Array(repeating: "didReceiveMemoryWarning:active", count: 2))
    #expect(
      posts.all
        == Array(repeating: "UIApplicationDidReceiveMemoryWarningNotification:active", count: 2))
  }

  @Test("L11 whether the system would begin requests, and its change is posted once")
  func refreshStatus() {
    let application = makeApplication()
    system.launch()
    let posts = Posts(of: application, [Application.backgroundRefreshStatusDidChangeNotification])
    #expect(application.backgroundRefreshStatus == .available)
    for status in [BackgroundRefreshStatus.denied, .denied, .available] {
      system.backgroundRefreshStatus = status
      #expect(application.backgroundRefreshStatus == status)
    }
    let name = "UIApplicationBackgroundRefreshStatusDidChangeNotification:active"
    #expect(posts.all == [name, name])
  }
}

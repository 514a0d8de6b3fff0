import StintTesting
import UIKit

// The same kinds of code in Swift 6, where every data race is an error.

func require(_ isTrue: Bool, _ what: String) {
  guard !isTrue else { return }
  print("newer shapes: \(what)")
  exit(1)
}

/// Keeps an identifier on the main actor, where handlers are called.
@MainActor
final class Upload {
  private var task = UIBackgroundTaskIdentifier.invalid
  private(set) var expirations = 0

  func start() {
    task = UIApplication.shared.beginBackgroundTask(withName: "upload") { [weak self] in
      self?.expirations += 1
      self?.finish()
    }
  }

  func finish() {
    guard task != .invalid else { return }
    UIApplication.shared.endBackgroundTask(task)
    task = .invalid
  }
}

/// A bridge to Swift's tasks: the work is cancelled when its time is up.
@MainActor
func withBackgroundTime<Value: Sendable>(
  _ name: String, _ work: @escaping @Sendable () async -> Value
) async -> Value {
  let running = Task { await work() }
  let identifier = UIApplication.shared.beginBackgroundTask(withName: name) { running.cancel() }
  defer { UIApplication.shared.endBackgroundTask(identifier) }
  return await running.value
}

/// A background task that expires, and completes a moment later.
actor SlowSave {
  private(set) var isCompleted = false

  nonisolated func run() async {
    let (expiries, expire) = AsyncStream.makeStream(of: Void.self)
    let task = UIApplication.shared.beginBackgroundTask(withName: "save") { expire.finish() }
    for await _ in expiries {}
    await complete()
    UIApplication.shared.endBackgroundTask(task)
  }

  private func complete() { isCompleted = true }
}

// In Swift 5 mode the compiler prefers UIKit's own form for this protocol, and warns.
#if swift(>=6)
/// Older code that says nothing of actors and is compiled in Swift 6 mode.
protocol TaskBeginning {
  func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (() -> Void)?
  ) -> UIBackgroundTaskIdentifier
  func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
}

extension UIApplication: TaskBeginning {}

/// A variable of its own that the handler changes, and the forms that a protocol asks for.
func beginForOlderCode(_ begins: any TaskBeginning) {
  var task = UIBackgroundTaskIdentifier.invalid
  task = begins.beginBackgroundTask(withName: "older") {
    begins.endBackgroundTask(task)
    task = .invalid
  }
}
#endif

final class OlderUpload {
  private var task = UIBackgroundTaskIdentifier.invalid
  private(set) var expirations = 0
  private(set) var activations = 0
  private var observer: (any NSObjectProtocol)?

  func start() {
    observer = NotificationCenter.default.addObserver(
      forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
    ) { _ in self.activations += 1 }
    task = UIApplication.shared.beginBackgroundTask { self.expire() }
  }

  private func expire() {
    expirations += 1
    UIApplication.shared.endBackgroundTask(task)
  }
}

final class AppDelegate: NSObject, UIApplicationDelegate {
  var told: [String] = []

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
  ) -> Bool {
    told.append("didFinishLaunching")
    return true
  }
  func applicationDidBecomeActive(_ application: UIApplication) { told.append("didBecomeActive") }
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    told.append("fetch")
    completionHandler(.noData)
  }
}

// MARK: Virtual time

let system = VirtualSystem(policy: .iOS7)
try system.becomeShared()
let delegate = AppDelegate()
UIApplication.shared.delegate = delegate
let fetch = system.simulateFetch()
require(delegate.told == ["didFinishLaunching", "fetch"], "told \(delegate.told)")
require(fetch?.result == .noData, "the fetch has no result")

system.enterForeground()
let upload = Upload()
upload.start()
let older = OlderUpload()
older.start()
#if swift(>=6)
beginForOlderCode(UIApplication.shared)
require(system.openTasks.count == 3, "\(system.openTasks) are open")
#endif
system.enterBackground()
system.expire()
require(upload.expirations == 1 && system.openTasks.isEmpty, "the upload did not expire")
require(older.expirations == 1, "the older upload expired \(older.expirations) times")

system.enterForeground()
require(older.activations == 1, "the older upload heard of \(older.activations) activations")
let (started, start) = AsyncStream.makeStream(of: Void.self)
async let word = withBackgroundTime("bridge") { () async -> String in
  start.finish()
  let (never, hold) = AsyncStream.makeStream(of: Void.self)
  for await _ in never {}
  withExtendedLifetime(hold) {}
  return Task.isCancelled ? "cancelled" : "finished"
}
for await _ in started {}
while system.openTasks.isEmpty { await Task.yield() }
let save = SlowSave()
async let saving: Void = save.run()
while system.openTasks.count < 2 { await Task.yield() }
system.enterBackground()
system.expire()
let outcome = await word
await saving
let isCompleted = await save.isCompleted
require(outcome == "cancelled" && isCompleted, "\(outcome), saved \(isCompleted)")
system.run()
require(system.openTasks.isEmpty, "\(system.openTasks) are open")
require(system.record.terminations.isEmpty, "\(system.record.terminations)")

system.enterForeground()
require(Refreshes.schedule() == "not permitted", "submitted without a handler")
require(Refreshes.register(), "not registered")
require(Refreshes.schedule() == "submitted", "not submitted")
let waiting = await Refreshes.waiting()
require(waiting == [Refreshes.identifier], "\(waiting) wait")
system.backgroundRefreshStatus = .denied
require(Refreshes.schedule() == "unavailable", "submitted although it is denied")

let refusal = Exports.schedule()
require(refusal == "refused (1)", "an export that is denied: \(refusal)")
_ = Exports.mayWork

let scene = SceneDelegate()
for only in UIApplication.shared.connectedScenes {
  only.delegate = scene
  require(only is UIWindowScene, "the scene has no windows")
  require(configuration(for: only.session).role == .windowApplication, "another role")
}
let host: any ApplicationHost = UIApplication.shared
let task = host.beginBackgroundTask(expirationHandler: nil)
let activities: any ActivityHost = ProcessInfo.processInfo
let activity = activities.beginActivity(options: [.background], reason: "activity")
require(system.openTasks.count == 2, "\(system.openTasks) are open")
activities.endActivity(activity)
host.endBackgroundTask(task)
system.enterBackground()
system.enterForeground()
require(scene.told == ["background", "active"], "the scene was told \(scene.told)")

// MARK: Real time

// The virtual system gives the place back to the process's own application.
system.kill()
require(UIApplication.shared.applicationState == .inactive, "it is launched by its first use")
delegate.told = []
UIApplication.shared.delegate = delegate
let (activations, activated) = AsyncStream.makeStream(of: Void.self)
let observer = NotificationCenter.default.addObserver(
  forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
) { _ in activated.finish() }
// Nothing but the main queue launches it.
for await _ in activations {}
NotificationCenter.default.removeObserver(observer)
require(
  delegate.told.prefix(2) == ["didFinishLaunching", "didBecomeActive"], "told \(delegate.told)")
upload.start()
require(UIApplication.shared.openTasks.map(\.name) == ["upload"], "it has no task")
upload.finish()
let sum = await withBackgroundTime("sum") { (1...100).reduce(0, +) }
let (expiries, told) = AsyncStream.makeStream(of: Bool.self)
activities.performExpiringActivity(withReason: "block") { told.yield($0) }
for await isExpired in expiries {
  require(!isExpired, "the activity was denied")
  break
}
require(sum == 5_050, "the sum is \(sum)")
while !UIApplication.shared.openTasks.isEmpty { await Task.yield() }
print("newer shapes: all is as on iOS")

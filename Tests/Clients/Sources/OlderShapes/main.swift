import Foundation
import StintTesting
import UIKit

// Code as it was written for iOS, in Swift 5: every shape is run in virtual time, then the tutorial
// in real time under whoever started this process.

func require(_ isTrue: Bool, _ what: String) {
  guard !isTrue else { return }
  print("older shapes: \(what)")
  exit(1)
}

/// Lets the main queue go on until something holds.
func wait(_ what: String, _ holds: () -> Bool) {
  let end = Date() + 10
  while !holds() {
    require(Date() < end, "\(what) did not come")
    RunLoop.main.run(until: Date() + 0.01)
  }
}

/// Everything that a delegate of iOS can be told of its life.
class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?
  var told: [String] = []

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    told.append("didFinishLaunching \(application.applicationState)")
    return true
  }
  func applicationDidBecomeActive(_ application: UIApplication) {
    told.append("didBecomeActive \(application.applicationState)")
  }
  func applicationDidEnterBackground(_ application: UIApplication) {
    told.append("didEnterBackground \(application.applicationState)")
  }
  func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
    told.append("memory")
  }
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping (UIBackgroundFetchResult) -> Void
  ) {
    told.append("fetch")
    completionHandler(.newData)
  }
}

/// Counts what an observer hears; all of it comes on the main queue.
final class Notes: @unchecked Sendable {
  var count = 0
}

// MARK: Virtual time

@MainActor
func playVirtually() throws {
  let system = VirtualSystem(policy: .iOS7)
  try system.becomeShared()
  let delegate = AppDelegate()
  UIApplication.shared.delegate = delegate
  require(delegate.told.isEmpty, "told before the launch: \(delegate.told)")
  system.launch()
  require(
    delegate.told == ["didFinishLaunching inactive", "didBecomeActive active"],
    "told of the launch: \(delegate.told)")

  require(TimeLeft.words == "for ever", "the time is limited")
  let upload = Upload()
  upload.start()
  let notes = Notes()
  let scene = NotificationCenter.default.addObserver(
    forName: UIScene.didEnterBackgroundNotification, object: nil, queue: nil
  ) { _ in notes.count += 1 }
  let swift3 = observeBackground { notes.count += 100 }
  system.enterBackground()
  require(TimeLeft.words == "enough", "there is \(TimeLeft.words)")
  system.advance(by: .seconds(170))
  require(TimeLeft.words == "little", "there is \(TimeLeft.words)")
  system.advance(by: .milliseconds(5_500))
  require(upload.expirations == 1, "the upload expired \(upload.expirations) times")
  require(system.openTasks.isEmpty, "\(system.openTasks) are open")
  require(notes.count == 101, "the scene and the application were told \(notes.count)")
  NotificationCenter.default.removeObserver(swift3)
  NotificationCenter.default.removeObserver(scene)

  // It must be begun anew, and ends in another place.
  system.enterForeground()
  upload.start()
  upload.finish()
  system.simulateMemoryWarning()
  require(delegate.told.last == "memory", "no memory warning")
  let fetch = system.simulateFetch()
  require(fetch?.result == .newData, "the fetch gave \(String(describing: fetch?.result))")
  require(UIApplication.shared.applicationState == .background, "it fetched in the foreground")
  system.enterForeground()

  // Foreign sentinels are no tasks, and end nothing.
  UIApplication.shared.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: -1))
  UIApplication.shared.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: Int.max))
  UIApplication.shared.endBackgroundTask(UIBackgroundTaskInvalid)
  require(system.record.terminations.isEmpty, "\(system.record.terminations)")

  let host: BackgroundTaskHost = UIApplication.shared
  let task = host.beginBackgroundTask(withName: "host", expirationHandler: nil)
  require(host.backgroundTimeRemaining > 1e300 && task != .invalid, "the host has no task")
  host.endBackgroundTask(task)

  let activity = ProcessInfo.processInfo.beginActivity(options: .background, reason: "export")
  require(system.openTasks.map(\.name) == ["export"], "\(system.openTasks) are open")
  require(system.openTasks[0].origin.file.hasSuffix("OlderShapes/main.swift"), "not the caller's")
  ProcessInfo.processInfo.endActivity(activity)
  ProcessInfo.processInfo.performActivity(options: [.userInitiated], reason: "once") {
    require(system.openTasks.map(\.name) == ["once"], "\(system.openTasks) are open")
  }
  require(system.openTasks.isEmpty, "\(system.openTasks) are open")

  let refresh = Refresh()
  require(refresh.register() && !refresh.register(), "registered not once")
  try refresh.schedule()
  system.enterBackground()
  system.advance(by: .seconds(61))
  require(system.openTasks.map(\.name) == [Refresh.identifier], "\(system.openTasks) are open")
  RunLoop.main.run(until: Date() + 0.1)
  system.expire()
  wait("the end of the refresh") { refresh.result == false && system.openTasks.isEmpty }
  require(system.record.terminations.isEmpty, "\(system.record.terminations)")
  system.enterForeground()

  let waiting = WaitingActivity()
  waiting.start(reason: "wait")
  wait("the activity") { waiting.all == [false] }
  system.requestStop(grace: .seconds(5))
  wait("the activity's end") { waiting.all == [false, true] && system.openTasks.isEmpty }
}

// MARK: Real time

@MainActor
func playForReal() {
  let delegate = AppDelegate()
  UIApplication.shared.delegate = delegate
  require(UIApplication.shared.applicationState == .inactive, "it is launched by its first use")
  // Nothing but the main queue launches it.
  wait("the launch") { delegate.told.contains("didFinishLaunching inactive") }

  let shared = SharedTask()
  if UIApplication.shared.applicationState == .active {
    shared.enter()
    shared.leave()
    shared.enter()
    shared.leave()
    require(UIApplication.shared.openTasks.map(\.name) == ["shared"], "it was not kept")
    wait("the end of the shared task") { UIApplication.shared.openTasks.isEmpty }
    let assertion = Assertion()
    let notes = Notes()
    assertion.take { notes.count += 1 }
    wait("the assertion") { notes.count == 1 }
    assertion.giveBack()
  }

  let worker = TutorialWorker()
  worker.start()
  wait("two steps") { worker.lines.count >= 2 }
  worker.stop()
  require(UIApplication.shared.openTasks.isEmpty, "\(UIApplication.shared.openTasks) are open")
}

// MARK: Under a supervisor

/// The tutorial's worker through three trips: expired, suspended, active again, registered anew.
@MainActor
func playTrips() {
  let notes = Notes()
  let observer = NotificationCenter.default.addObserver(
    forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
  ) { _ in notes.count += 1 }
  // No code of an application runs before it is launched.
  wait("the launch") { UIApplication.shared.applicationState != .inactive }
  let worker = TutorialWorker()
  worker.start()
  for trip in 1...3 {
    wait("trip \(trip)") { notes.count == trip }
    let before = worker.lines.count
    wait("a step in trip \(trip)") { worker.lines.count > before }
    require(worker.lines.last?.hasPrefix("background") == true, "\(worker.lines)")
    require(UIApplication.shared.openTasks.count == 1, "\(UIApplication.shared.openTasks) are open")
  }
  worker.stop()
  NotificationCenter.default.removeObserver(observer)
  print("older shapes: three trips, \(worker.lines.count) steps")
  exit(0)
}

if CommandLine.arguments.contains("trips") { MainActor.assumeIsolated { playTrips() } }
try MainActor.assumeIsolated {
  try playVirtually()
  playForReal()
}
print("older shapes: all is as on iOS")

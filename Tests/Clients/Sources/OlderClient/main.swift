import Dispatch
import Foundation
import Stint

// Swift 5 code as it was written for iOS: it has to compile without a warning, and to do what it
// did there.

func require(_ isTrue: Bool, _ what: String) {
  guard !isTrue else { return }
  print("older client: \(what)")
  exit(1)
}

let app = Application.shared
let delegate = Delegate()
app.delegate = delegate
require(app.delegate === delegate, "the delegate was not kept")
require(app.applicationState == .inactive, "its first use has launched it")
app.launch()
require(app.applicationState == .active, "it is not active")
require(app.backgroundTimeRemaining == .greatestFiniteMagnitude, "its time is limited")

let uploader = Uploader()
uploader.observe()
uploader.begin()
require(uploader.task != .invalid, "a task was refused")

let forms = uploader.beginInEveryForm()
require(Set(forms).count == forms.count && !forms.contains(.invalid), "two tasks are one")

// Unapplied references, with and without a type to help.
let begin = app.beginBackgroundTask(withName:expirationHandler:)
let unnamed: ((@MainActor @Sendable () -> Void)?) -> BackgroundTaskIdentifier =
  app.beginBackgroundTask(expirationHandler:)
let end: (BackgroundTaskIdentifier) -> Void = app.endBackgroundTask
let ofType = Application.beginBackgroundTask(withName:expirationHandler:)
let referenced = [begin("referenced", nil), unnamed(nil), ofType(app)("of the type", nil)]
require(!referenced.contains(.invalid), "a reference began nothing")
require(app.openTasks.count == forms.count + 4, "\(app.openTasks.count) tasks are open")
referenced.forEach(end)
forms.forEach(app.endBackgroundTask)
require(app.openTasks.map(\.name) == ["upload"], "\(app.openTasks.map(\.name)) are open")

// From any thread, as UIKit allows.
DispatchQueue.global().sync {
  let task = app.beginBackgroundTask(withName: "elsewhere", expirationHandler: nil)
  app.endBackgroundTask(task)
}

// The transitions are told in turns of the main queue.
@MainActor
func check() {
  require(
    delegate.told == [
      "willResignActive active", "didEnterBackground background, limited",
      "willEnterForeground background",
    ], "the delegate was told \(delegate.told)")
  require(
    uploader.seen == [
      Application.willResignActiveNotification, Application.didEnterBackgroundNotification,
      Application.willEnterForegroundNotification, Application.didBecomeActiveNotification,
    ], "observers saw \(uploader.seen)")
  require(uploader.expirations == 0, "a handler was called in the foreground")
  require(app.applicationState == .active, "it is not active again")
  uploader.end()
  require(app.openTasks.isEmpty, "\(app.openTasks.map(\.name)) are open")
  print("older client: all is as on iOS")
  exit(0)
}
uploader.when(.applicationDidEnterBackground) {
  DispatchQueue.main.async { app.enterForeground() }
}
uploader.when(.applicationDidBecomeActive) { DispatchQueue.main.async { check() } }
app.enterBackground()
dispatchMain()

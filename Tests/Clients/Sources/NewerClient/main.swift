import Dispatch
import Foundation
import Stint
import Synchronization

// The same client in the Swift 6 language mode, where every data race is an error.

func require(_ isTrue: Bool, _ what: String) {
  guard !isTrue else { return }
  print("newer client: \(what)")
  exit(1)
}

/// What observers saw, on whatever thread.
final class Seen: Sendable {
  private let names = Mutex<[Notification.Name]>([])

  var all: [Notification.Name] { names.withLock { $0 } }

  func observe(_ name: Notification.Name) {
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      let name = $0.name
      self.names.withLock { $0.append(name) }
    }
  }
}

let app = Application.shared
let delegate = Delegate()
app.delegate = delegate
require(app.delegate === delegate, "the delegate was not kept")
require(app.applicationState == .inactive, "its first use has launched it")
app.launch()
require(app.applicationState == .active, "it is not active")
require(app.backgroundTimeRemaining == .greatestFiniteMagnitude, "its time is limited")

let seen = Seen()
[
  Notification.Name.applicationWillResignActive, .applicationDidEnterBackground,
  .applicationWillEnterForeground, .applicationDidBecomeActive,
].forEach(seen.observe)
let uploader = Uploader()
uploader.begin()
require(uploader.task != .invalid, "a task was refused")

let forms = uploader.beginInEveryForm()
require(Set(forms).count == forms.count && !forms.contains(.invalid), "two tasks are one")

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

// From any thread and from any task.
require(DispatchQueue.global().sync { Job().run() }, "no task on another thread")
require(await Task.detached { Job().run() }.value, "no task in another task")

// The transitions are told in turns of the main queue.
func notifications(named name: Notification.Name) -> AsyncStream<Void> {
  let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  _ = NotificationCenter.default.addObserver(forName: name, object: app, queue: nil) { _ in
    continuation.finish()
  }
  return stream
}
let entries = notifications(named: .applicationDidEnterBackground)
let activations = notifications(named: .applicationDidBecomeActive)
app.enterBackground()
for await _ in entries {}
app.enterForeground()
for await _ in activations {}

require(
  delegate.told == [
    "willResignActive active", "didEnterBackground background, limited",
    "willEnterForeground background",
  ], "the delegate was told \(delegate.told)")
require(
  seen.all == [
    Application.willResignActiveNotification, Application.didEnterBackgroundNotification,
    Application.willEnterForegroundNotification, Application.didBecomeActiveNotification,
  ], "observers saw \(seen.all)")
require(uploader.expirations == 0, "a handler was called in the foreground")
require(app.applicationState == .active, "it is not active again")
uploader.end()
require(app.openTasks.isEmpty, "\(app.openTasks.map(\.name)) are open")
print("newer client: all is as on iOS")

import Dispatch
import Foundation
import Stint

/// A class as it was written before Swift knew of actors.
///
/// There is no isolation, nothing is Sendable, and handlers capture it. Swift 6 wants to know where
/// it lives.
#if swift(>=6)
@MainActor
#endif
final class Uploader: NSObject {
  let provider: TaskProvider
  var task = BackgroundTaskIdentifier.invalid
  var expirations = 0
  var seen: [Notification.Name] = []

  init(provider: TaskProvider = Application.shared) {
    self.provider = provider
    super.init()
  }

  /// The usual idiom: the handler ends the task and forgets it.
  func begin() {
    task = Application.shared.beginBackgroundTask(withName: "upload") {
      self.expirations += 1
      Application.shared.endBackgroundTask(self.task)
      self.task = .invalid
    }
  }

  /// The handler as an argument, the handler as nil, no handler, no name.
  func beginInEveryForm() -> [BackgroundTaskIdentifier] {
    [
      Application.shared.beginBackgroundTask(expirationHandler: { self.expirations += 1 }),
      Application.shared.beginBackgroundTask { [weak self] in self?.expirations += 1 },
      Application.shared.beginBackgroundTask(expirationHandler: nil),
      Application.shared.beginBackgroundTask(),
      Application.shared.beginBackgroundTask(withName: "named"),
      Application.shared.beginBackgroundTask(withName: nil, expirationHandler: nil),
      provider.beginBackgroundTask(withName: "provided", expirationHandler: nil),
      provider.beginBackgroundTask(expirationHandler: nil),
    ]
  }

  func end() {
    if task != .invalid {
      provider.endBackgroundTask(task)
      task = .invalid
    }
  }

  func observe() {
    let names: [Notification.Name] = [
      Application.willResignActiveNotification, Application.didEnterBackgroundNotification,
      Application.willEnterForegroundNotification, Application.didBecomeActiveNotification,
    ]
    for name in names {
      // Also after dispatchMain() an operation of OperationQueue.main runs on the main queue.
      _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { note in
        dispatchPrecondition(condition: .onQueue(.main))
        let name = note.name
        MainActor.assumeIsolated { self.seen.append(name) }
      }
    }
  }

  func when(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
    _ = NotificationCenter.default.addObserver(
      forName: name, object: Application.shared, queue: nil
    ) { _ in body() }
  }
}

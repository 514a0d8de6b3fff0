import Foundation
import UIKit

/// Keeps an identifier and ends it in three places.
#if swift(>=6)
@MainActor
#endif
final class Upload {
  private var backgroundTask: UIBackgroundTaskIdentifier = .invalid
  private(set) var expirations = 0

  func start() {
    guard backgroundTask == .invalid else { return }
    backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "upload") { [weak self] in
      self?.expirations += 1
      self?.endTask()
    }
  }

  func finish() { endTask() }

  private func endTask() {
    guard backgroundTask != .invalid else { return }
    UIApplication.shared.endBackgroundTask(backgroundTask)
    backgroundTask = .invalid
  }

  deinit {
    if backgroundTask != .invalid { UIApplication.shared.endBackgroundTask(backgroundTask) }
  }
}

/// An assertion that is taken and given back on one queue, and expires on the main queue.
///
/// Its author knows that the queue guards it, and says so, as Dispatch asks on Linux.
final class Assertion: @unchecked Sendable {
  private let queue = DispatchQueue(label: "assertions")
  private var identifier = UIBackgroundTaskIdentifier(rawValue: -1)
  private(set) var expired = false

  func take(_ done: @escaping @Sendable () -> Void) {
    queue.async {
      dispatchPrecondition(condition: .onQueue(self.queue))
      self.identifier = UIApplication.shared.beginBackgroundTask(withName: "assertion") {
        dispatchPrecondition(condition: .onQueue(.main))
        self.expired = true
        self.giveBack()
      }
      DispatchQueue.main.async(execute: done)
    }
  }

  func giveBack() {
    // A sentinel of its own: no identifier is negative.
    guard identifier.rawValue != -1 else { return }
    UIApplication.shared.endBackgroundTask(identifier)
    identifier = UIBackgroundTaskIdentifier(rawValue: -1)
  }
}

/// What a library declares to test itself without an application.
protocol BackgroundTaskHost: NSObjectProtocol {
  var applicationState: UIApplication.State { get }
  var backgroundTimeRemaining: TimeInterval { get }
  func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
  ) -> UIBackgroundTaskIdentifier
  func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
}

extension UIApplication: BackgroundTaskHost {}

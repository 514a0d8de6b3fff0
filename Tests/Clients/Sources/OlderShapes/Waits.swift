import Foundation
import UIKit

/// Compares the remaining time with the numbers that clients compare it with.
enum TimeLeft {
  static var words: String {
    let left = UIApplication.shared.backgroundTimeRemaining
    if left == Double.greatestFiniteMagnitude { return "for ever" }
    if left < 5 { return "too little" }
    return left < 15 ? "little" : "enough"
  }
}

/// Holds the process by an activity whose block waits for a semaphore; its queue guards the rest.
final class WaitingActivity: @unchecked Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let calls = DispatchQueue(label: "calls")
  private var heard: [Bool] = []

  func start(reason: String) {
    ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { expired in
      self.calls.sync { self.heard.append(expired) }
      if expired {
        self.semaphore.signal()
      } else {
        self.semaphore.wait()
      }
    }
  }

  func stop() { semaphore.signal() }
  var all: [Bool] { calls.sync { heard } }
}

/// One task for many users, kept for a quarter of a second after the last one has gone, in case
/// that another comes.
#if swift(>=6)
@MainActor
#endif
final class SharedTask {
  static let continuity = 0.25
  private var users = 0
  private var task = UIBackgroundTaskIdentifier.invalid
  private var pending: DispatchWorkItem?

  func enter() {
    users += 1
    pending?.cancel()
    pending = nil
    guard task == .invalid else { return }
    task = UIApplication.shared.beginBackgroundTask(withName: "shared", expirationHandler: end)
  }

  func leave() {
    users -= 1
    guard users == 0 else { return }
    let item = DispatchWorkItem(block: end)
    pending = item
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.continuity, execute: item)
  }

  private func end() {
    guard task != .invalid else { return }
    UIApplication.shared.endBackgroundTask(task)
    task = .invalid
  }
}

/// The worker of the tutorial: Fibonacci numbers from a timer of half a second.
///
/// Nothing says on which thread it lives, as in code of old; Swift 6 wants to know.
#if swift(>=6)
@MainActor
#endif
final class TutorialWorker: NSObject {
  private var previous = NSDecimalNumber.one
  private var current = NSDecimalNumber.one
  private var position = 1
  private var timer: Timer?
  private var task = UIBackgroundTaskIdentifier.invalid
  private(set) var lines: [String] = []

  override init() {
    super.init()
    _ = NotificationCenter.default.addObserver(
      forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
    ) { [weak self] _ in
      dispatchPrecondition(condition: .onQueue(.main))
      MainActor.assumeIsolated { self?.reinstate() }
    }
  }

  func start() {
    timer = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { [weak self] _ in
      MainActor.assumeIsolated { self?.step() }
    }
    register()
  }

  func stop() {
    timer?.invalidate()
    timer = nil
    endTask()
  }

  private func reinstate() {
    if timer != nil, task == .invalid { register() }
  }

  private func register() {
    task = UIApplication.shared.beginBackgroundTask { [weak self] in self?.endTask() }
    precondition(task != .invalid)
  }

  private func endTask() {
    guard task != .invalid else { return }
    UIApplication.shared.endBackgroundTask(task)
    task = .invalid
  }

  private func step() {
    (previous, current) = (current, previous.adding(current))
    position += 1
    switch UIApplication.shared.applicationState {
    case .active: lines.append("active \(position) \(current)")
    case .background: lines.append("background \(position)")
    case .inactive: break
    @unknown default: break
    }
  }
}

/// Clients print states.
extension UIApplication.State: @retroactive CustomStringConvertible {
  /// The word that the client prints.
  public var description: String {
    switch self {
    case .active: return "active"
    case .inactive: return "inactive"
    case .background: return "background"
    }
  }
}

/// Hears of the background under the name that Swift 3 had for it.
func observeBackground(_ heard: @escaping @Sendable () -> Void) -> any NSObjectProtocol {
  NotificationCenter.default.addObserver(
    forName: NSNotification.Name.UIApplicationDidEnterBackground, object: nil, queue: nil
  ) { _ in heard() }
}

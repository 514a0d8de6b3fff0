import Stint
import UIKit

/// Computes a Fibonacci number each half second, for as long as a task gives it time.
final class WhateverController: Tab {
  /// From here on `NSDecimalNumber`, which has 38 digits, would round.
  private static let limit = NSDecimalNumber(mantissa: 1, exponent: 38, isNegative: false)

  private(set) var position = 1
  private var previous = NSDecimalNumber.zero
  private(set) var current = NSDecimalNumber.one
  private var timer: PeriodicObserver?
  private var task = UIBackgroundTaskInvalid
  private var observer: (any NSObjectProtocol)?
  private let show: (String) -> Void

  /// Creates the tab.
  ///
  /// - Parameter show: Shows a line.
  init(show: @escaping (String) -> Void = { print($0) }) {
    self.show = show
    observer = NotificationCenter.default.addObserver(
      forName: .UIApplicationDidBecomeActive, object: nil, queue: nil
    ) { [weak self] _ in
      // It is posted on the main queue.
      MainActor.assumeIsolated { self?.reinstateTask() }
    }
  }

  isolated deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  func start(_ elapsed: @escaping @Sendable () -> Duration) {
    timer = UIApplication.shared.addPeriodicObserver(every: .milliseconds(500)) { [weak self] in
      self?.computeNext()
    }
    registerTask()
  }

  func end(trip: ClosedRange<Duration>?) {
    timer?.remove()
    timer = nil
    endTask()
  }

  private func computeNext() {
    let next = previous.adding(current)
    if next.compare(Self.limit) == .orderedAscending {
      (previous, current) = (current, next)
      position += 1
    } else {
      (previous, current, position) = (.zero, .one, 1)
    }
    let words = "F(\(position)) = \(current)"
    switch UIApplication.shared.applicationState {
    case .active: show(words)
    case .background: show("\(words), in the background, \(timeLeft) left")
    case .inactive: break
    @unknown default: break
    }
  }

  private var timeLeft: String {
    let left = UIApplication.shared.backgroundTimeRemaining
    return left == .greatestFiniteMagnitude ? "all time" : String(format: "%.1f s", left)
  }

  private func reinstateTask() {
    if timer != nil, task == UIBackgroundTaskInvalid { registerTask() }
  }

  private func registerTask() {
    task = UIApplication.shared.beginBackgroundTask { [weak self] in
      self?.show("the time is up")
      self?.endTask()
    }
    if task == UIBackgroundTaskInvalid { show("there is no time in the background") }
  }

  private func endTask() {
    guard task != UIBackgroundTaskInvalid else { return }
    UIApplication.shared.endBackgroundTask(task)
    task = UIBackgroundTaskInvalid
  }
}

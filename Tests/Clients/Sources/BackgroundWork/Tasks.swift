import BackgroundTasks
import Foundation

/// Refreshes, each of which submits the next one first, as Apple's own sample does.
final class Refresher: @unchecked Sendable {
  static let identifier = "org.example.background.refresh"

  private let lock = NSLock()
  private var begins: [Date] = []
  var whenDone: () -> Void = {}

  var seconds: Int {
    lock.lock()
    defer { lock.unlock() }
    return Int(begins.last?.timeIntervalSince(begins[0]) ?? 0)
  }

  func register() {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) { task in
      guard let task = task as? BGAppRefreshTask else { return }
      self.handleAppRefresh(task: task)
    }
  }

  func scheduleAppRefresh() {
    let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
    request.earliestBeginDate = Date(timeIntervalSinceNow: 0.3)
    do {
      try BGTaskScheduler.shared.submit(request)
    } catch {
      require(false, "could not schedule app refresh: \(error)")
    }
  }

  private func handleAppRefresh(task: BGAppRefreshTask) {
    scheduleAppRefresh()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let operation = BlockOperation { self.note() }
    task.expirationHandler = { queue.cancelAllOperations() }
    operation.completionBlock = { task.setTaskCompleted(success: !operation.isCancelled) }
    queue.addOperation(operation)
  }

  private func note() {
    lock.lock()
    let distance = begins.last.map { Date().timeIntervalSince($0) }
    begins.append(Date())
    let count = begins.count
    lock.unlock()
    require(distance.map { $0 > 0.9 } ?? true, "\(distance ?? 0) s between two refreshes")
    if count == 10 { whenDone() }
  }
}

/// A processing task that needs the network and external power.
enum Cleaning {
  static let identifier = "org.example.background.cleaning"
  private static let counter = Counter()

  static var runs: Int { counter.value }

  static func register() {
    let isNew = BGTaskScheduler.shared.register(
      forTaskWithIdentifier: identifier, using: DispatchQueue.global()
    ) { task in
      guard let task = task as? BGProcessingTask else { return }
      task.expirationHandler = { task.setTaskCompleted(success: false) }
      counter.add(1)
      task.setTaskCompleted(success: true)
    }
    require(isNew, "it was registered before")
  }

  static func schedule() {
    let request = BGProcessingTaskRequest(identifier: identifier)
    request.requiresNetworkConnectivity = true
    request.requiresExternalPower = true
    request.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
    do {
      try BGTaskScheduler.shared.submit(request)
    } catch {
      require(false, "could not schedule the cleaning: \(error)")
    }
    // e -l objc -- (void)[[BGTaskScheduler sharedScheduler] _simulateLaunch...]
    BGTaskScheduler.shared._simulateLaunchForTaskWithIdentifier(identifier)
  }
}

/// A continued task: begun in the foreground, it goes on in the background while it moves.
enum Export {
  static let identifier = "org.example.background.export"
  private static let counter = Counter()

  static var units: Int { counter.value }

  static func register() {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { task in
      guard let task = task as? BGContinuedProcessingTask else { return }
      task.progress.totalUnitCount = 100
      let isExpired = Counter()
      task.expirationHandler = { isExpired.add(1) }
      DispatchQueue.global().async {
        for unit in 1...100 where isExpired.value == 0 {
          counter.add(1)
          task.progress.completedUnitCount = Int64(unit)
          task.updateTitle("Export", subtitle: "\(unit) of 100")
        }
        task.setTaskCompleted(success: isExpired.value == 0)
      }
    }
  }

  static func start() {
    let request = BGContinuedProcessingTaskRequest(
      identifier: identifier, title: "Export", subtitle: "about to start")
    request.strategy = .fail
    do {
      try BGTaskScheduler.shared.submit(request)
    } catch {
      require(false, "the export could not begin: \(error)")
    }
  }
}

/// A number that several threads add to.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0

  var value: Int {
    lock.lock()
    defer { lock.unlock() }
    return number
  }

  func add(_ count: Int) {
    lock.lock()
    defer { lock.unlock() }
    number += count
  }
}

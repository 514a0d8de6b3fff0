import BackgroundTasks
import Foundation

/// A background task that expires, and completes a moment later.
final class Refresh: @unchecked Sendable {
  static let identifier = "org.example.refresh"
  private let lock = NSLock()
  private var finished: Bool?

  var result: Bool? {
    lock.lock()
    defer { lock.unlock() }
    return finished
  }

  func register() -> Bool {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) { task in
      guard let task = task as? BGProcessingTask else { return }
      self.handle(task)
    }
  }

  func schedule() throws {
    let request = BGProcessingTaskRequest(identifier: Self.identifier)
    request.requiresNetworkConnectivity = false
    request.earliestBeginDate = Date(timeIntervalSinceNow: 60)
    try BGTaskScheduler.shared.submit(request)
  }

  private func handle(_ task: BGProcessingTask) {
    task.expirationHandler = {
      DispatchQueue.main.async {
        self.lock.lock()
        self.finished = false
        self.lock.unlock()
        task.setTaskCompleted(success: false)
      }
    }
  }
}

import Foundation
import Stint

/// The same class in Swift 6: what handlers touch belongs to the main actor, where they are called.
@MainActor
final class Uploader {
  private let provider: any TaskProvider
  private(set) var task = BackgroundTaskIdentifier.invalid
  private(set) var expirations = 0

  init(provider: any TaskProvider = Application.shared) {
    self.provider = provider
  }

  func begin() {
    task = Application.shared.beginBackgroundTask(withName: "upload") {
      self.expirations += 1
      Application.shared.endBackgroundTask(self.task)
      self.task = .invalid
    }
  }

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
    guard task != .invalid else { return }
    provider.endBackgroundTask(task)
    task = .invalid
  }
}

/// A worker that is no actor's: begin and end need neither main nor `await`.
struct Job: Sendable {
  func run() -> Bool {
    let task = Application.shared.beginBackgroundTask(withName: "job") {
      print("time is up")
    }
    defer { Application.shared.endBackgroundTask(task) }
    return task != .invalid
  }
}

import Foundation
import Stint
import StintTesting
import Testing

/// What code written for iOS does with the task functions: it must compile as it is.
@Suite("Source compatibility with UIKit's clients")
@MainActor
struct SourceCompatibilityTests {
  /// A client's own protocol, for its own tests.
  protocol TaskHost: NSObjectProtocol {
    func beginBackgroundTask(
      withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> BackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: BackgroundTaskIdentifier)
    var backgroundTimeRemaining: Double { get }
  }

  /// The system ends with the test, and lets go of what still waits then.
  private let system = VirtualSystem()

  private func makeActive() -> Application {
    let application = Application(system: system)
    system.launch()
    return application
  }

  @Test("A1 a client's protocol is met without a line")
  func conformance() {
    let host: any TaskHost = makeActive()
    let task = host.beginBackgroundTask(withName: "t", expirationHandler: nil)
    #expect(task.rawValue == 1)
    #expect(host.backgroundTimeRemaining == .greatestFiniteMagnitude)
    host.endBackgroundTask(task)
  }

  @Test("A1 the functions can be referred to without being called")
  func references() {
    let application = makeActive()
    let begin: (String?, (@MainActor @Sendable () -> Void)?) -> BackgroundTaskIdentifier =
      application.beginBackgroundTask(withName:expirationHandler:)
    let end: (BackgroundTaskIdentifier) -> Void = application.endBackgroundTask(_:)
    let task = begin("t", nil)
    #expect(application.openTasks.map(\.identifier) == [task])
    end(task)
    #expect(application.openTasks.isEmpty)
  }

  @Test("A2 every spelling that UIKit allows")
  func spellings() {
    let application = makeActive()
    var task: BackgroundTaskIdentifier = .invalid
    task = application.beginBackgroundTask {
      application.endBackgroundTask(task)
      task = .invalid
    }
    #expect(application.openTasks.map(\.name) == ["spellings()"])
    _ = application.beginBackgroundTask(expirationHandler: nil)
    _ = application.beginBackgroundTask(withName: "n")
    _ = application.beginBackgroundTask(withName: "n") {}
    _ = application.beginBackgroundTask()
    #expect(application.openTasks.count == 5)
  }
}

extension Application: SourceCompatibilityTests.TaskHost {}

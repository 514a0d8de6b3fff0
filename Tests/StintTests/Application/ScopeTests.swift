import Dispatch
import Stint
import StintTesting
import Synchronization
import Testing

@Suite("Scopes, tokens and activities")
@MainActor
struct ScopeTests {
  private struct Failure: Error {}

  private func makeActive() -> (system: VirtualSystem, application: Application) {
    let system = VirtualSystem(policy: .iOS7)
    let application = Application(system: system)
    system.launch()
    return (system, application)
  }

  /// Expires a system from a thread that is not held up by the test.
  private func expire(_ system: VirtualSystem) {
    system.requestStop(grace: .seconds(5))
  }

  @Test("A21 a scope ends its task exactly once, returned or thrown")
  func paths() throws {
    let (system, application) = makeActive()
    let value = try application.withBackgroundTask(named: "sum") { _ in
      #expect(application.openTasks.map(\.name) == ["sum"])
      return 5
    }
    #expect(value == 5)
    #expect(throws: Failure.self) {
      try application.withBackgroundTask { _ in throw Failure() }
    }
    #expect(application.openTasks.isEmpty)
    #expect(system.record.diagnostics.isEmpty)
  }

  @Test("A21 at expiry the flag of a scope is raised while its work still runs")
  func flag() throws {
    let (system, application) = makeActive()
    try application.withBackgroundTask { flag in
      #expect(!flag.isRaised)
      expire(system)
      #expect(flag.isRaised)
      #expect(application.openTasks.count == 1, "waits for the work")
    }
    #expect(application.openTasks.isEmpty)
  }

  @Test("A21 work that does not stop costs only the task")
  func stubborn() throws {
    let (system, application) = makeActive()
    try application.withBackgroundTask(named: "stubborn") { _ in
      system.enterBackground()
      system.advance(by: .seconds(180))
      #expect(system.driver.lifeState == .suspended)
    }
    #expect(system.record.terminations.isEmpty)
    #expect(system.record.diagnostics.contains(.scopeOverran(name: "stubborn")))
  }

  @Test("A21 asynchronous work is cancelled at expiry, waited for, and its task ended")
  func asynchronous() async throws {
    let (system, application) = makeActive()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    async let outcome = application.withBackgroundTask(named: "async") { () async -> String in
      start.finish()
      let (never, hold) = AsyncStream.makeStream(of: Void.self)
      for await _ in never {}
      withExtendedLifetime(hold) {}
      return Task.isCancelled ? "cancelled" : "finished"
    }
    for await _ in started {}
    #expect(application.openTasks.map(\.name) == ["async"])
    expire(system)
    #expect(try await outcome == "cancelled")
    #expect(application.openTasks.isEmpty)
  }

  @Test("A21 asynchronous work that throws ends its task, too")
  func asynchronousFailure() async {
    let (_, application) = makeActive()
    await #expect(throws: Failure.self) {
      try await application.withBackgroundTask { () async throws -> Int in throw Failure() }
    }
    #expect(application.openTasks.isEmpty)
  }

  @Test("A21 a scope is refused with the reason when its task is denied")
  func deniedScope() {
    let system = VirtualSystem()
    let application = Application(system: system)
    let error = #expect(throws: StintError.self) {
      try application.withBackgroundTask(named: "early") { _ in }
    }
    #expect(error?.code == .unavailable)
  }

  @Test("A21 a token that goes away ends its task and says so; one that was ended is silent")
  func token() throws {
    let (system, application) = makeActive()
    do {
      let token = try BackgroundTaskAssertion(application, named: "kept", onExpiry: { _ in })
      #expect(application.openTasks.map(\.identifier) == [token.identifier])
      #expect(token.end() == .ended)
    }
    #expect(system.record.diagnostics.isEmpty)
    do {
      let token = try BackgroundTaskAssertion(application, named: "lost", onExpiry: { _ in })
      #expect(application.openTasks.map(\.identifier) == [token.identifier])
    }
    #expect(application.openTasks.isEmpty)
    let said = system.record.diagnostics
    #expect(said.count == 1)
    guard case .tokenDropped("lost", _)? = said.first else {
      Issue.record("it was not said: \(said)")
      return
    }
  }

  @Test("A20 denied: once with true")
  func activityDenied() async {
    let system = VirtualSystem()
    let application = Application(system: system)
    let calls = Calls()
    application.performExpiringActivity(withReason: "r") { calls.note($0) }
    #expect(await calls.next() == true)
    #expect(calls.count == 1)
  }

  @Test("A20 an activity with an empty reason is refused: once with true, and it is said")
  func activityWithoutReason() async {
    let (system, application) = makeActive()
    let calls = Calls()
    application.performExpiringActivity(withReason: "") { calls.note($0) }
    #expect(await calls.next() == true)
    await application.performExpiringActivity(withReason: "") { expired async in #expect(expired) }
    #expect(calls.count == 1)
    #expect(application.openTasks.isEmpty)
    let said = system.record.diagnostics.map(\.description)
    #expect(said.count == 2 && said.allSatisfy { $0.contains("ScopeTests.swift") })
  }

  @Test("A20 granted and finished: once with false, and the task is ended")
  func activityFinished() async {
    let (system, application) = makeActive()
    await application.performExpiringActivity(withReason: "r") { expired async in
      #expect(!expired)
      #expect(application.openTasks.map(\.name) == ["r"])
    }
    #expect(application.openTasks.isEmpty)
    #expect(system.record.diagnostics.isEmpty)
  }

  @Test("A20 expired: false, then true on another thread while the first call still runs")
  func activityExpired() async {
    let (system, application) = makeActive()
    let calls = Calls()
    let finish = DispatchSemaphore(value: 0)
    application.performExpiringActivity(withReason: "r") { expired in
      calls.note(expired)
      if expired { finish.signal() } else { finish.wait() }
    }
    #expect(await calls.next() == false)
    #expect(application.openTasks.count == 1)
    expire(system)
    #expect(await calls.next() == true, "while the first call still waits")
    #expect(calls.count == 2)
  }

  @Test("A20 the asynchronous form is told of expiry while its first call still runs")
  func asynchronousActivity() async {
    let (system, application) = makeActive()
    let calls = Calls()
    let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
    async let activity: Void = application.performExpiringActivity(withReason: "r") {
      expired async in
      calls.note(expired)
      if expired {
        stop.finish()
      } else {
        for await _ in stopped {}
      }
    }
    #expect(await calls.next() == false)
    expire(system)
    await activity
    #expect(await calls.next() == true)
    #expect(application.openTasks.isEmpty)
  }

  /// Calls of a block, in order, to be waited for.
  private final class Calls: Sendable {
    private let stream: AsyncStream<Bool>
    private let continuation: AsyncStream<Bool>.Continuation
    private let total = Atomic<Int>(0)

    init() {
      (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    }

    var count: Int { total.load(ordering: .acquiring) }

    func note(_ expired: Bool) {
      total.add(1, ordering: .acquiringAndReleasing)
      continuation.yield(expired)
    }

    @MainActor
    func next() async -> Bool? {
      for await expired in stream { return expired }
      return nil
    }
  }
}

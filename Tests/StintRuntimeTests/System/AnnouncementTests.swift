import StintCore
import StintRuntime
import Testing

@Suite("The record of an expiry")
struct AnnouncementTests {
  /// A system whose record of an expiry takes until a given instant, while its timers go on.
  private final class SlowDisk: SystemEnvironment {
    struct State {
      var now = Instant(nanoseconds: 1_000_000_000_000)
      var wake: (@Sendable () -> Void)?
      var terminations: [TerminationCause] = []
    }

    let state = Protected(State())
    let recordedAt: Instant

    init(recordedAt: Instant) { self.recordedAt = recordedAt }

    var now: Instant { state.withLock { $0.now } }
    var isOnMain: Bool { false }
    func setWake(at instant: Instant?, _ fire: @escaping @Sendable () -> Void) {
      state.withLock { $0.wake = instant == nil ? nil : fire }
    }
    func armHardStop(at instant: Instant?) throws(StintError) {}
    func onSystemThread(_ work: @escaping @Sendable () -> Void) { work() }
    func onMain(_ work: @escaping @MainActor @Sendable () -> Void) {}
    func onMainActor(_ work: @escaping @MainActor @Sendable () async -> Void) {}
    func onAnyThread(_ work: @escaping @Sendable () -> Void) {}
    func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) {}
    func announceExpiry(_ reason: ExpiryReason, deadline: Instant, openTasks: [String]) {
      let wake = state.withLock { state in
        state.now = recordedAt
        return state.wake
      }
      wake?()
    }
    func terminate(_ cause: TerminationCause) { state.withLock { $0.terminations.append(cause) } }
    func exit(_ status: Int32) {}
    func stopProcess() {}
    func diagnose(_ diagnostic: Diagnostic) {}
  }

  @Test("L4 a record that waits for the disk does not count as a didEnterBackground that hangs")
  func slowRecord() {
    let start = Instant(nanoseconds: 999_200_000_000)
    let disk = SlowDisk(recordedAt: start.advanced(by: .seconds(2)))
    let policy = SystemPolicy.commandLine.withBudget(.seconds(1))
    let driver = SystemDriver(policy: policy, environment: disk)
    driver.launch(.foreground)
    driver.becomeActive()
    let task = Protected(BackgroundTaskIdentifier.invalid)
    let begun = driver.begin(
      named: "loading", origin: .here(),
      handler: .direct { _ in
        driver.end(task.withLock { $0 }, origin: .here())
      })
    task.withLock { $0 = begun.grant.identifier }
    driver.resignActive()
    // Entered late, inside the lead: warned at once, and the task ends in its handler.
    driver.enterBackground(since: start, granting: .seconds(1))
    #expect(disk.state.withLock { $0.terminations }.isEmpty)
    #expect(driver.lifeState == .suspended)
  }
}

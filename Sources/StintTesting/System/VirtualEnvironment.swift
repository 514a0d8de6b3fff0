import Foundation
import Stint
import StintCore

/// The effects of a system in virtual time: everything waits in queues until the test lets it run.
final class VirtualEnvironment: SystemEnvironment {
  struct Scheduled {
    let number: Int
    let at: Instant
    let work: @Sendable () -> Void
  }

  struct State {
    var wake: (at: Instant, fire: @Sendable () -> Void)?
    var hardStop: Instant?
    var scheduled: [Scheduled] = []
    var nextNumber = 0
    var systemWork: [@Sendable () -> Void] = []
    var mainWork: [@MainActor @Sendable () -> Void] = []
    var isMainServed = true
    var record = VirtualSystem.Record()
  }

  let clock: VirtualClock
  let state = Protected(State())

  init(clock: VirtualClock) {
    self.clock = clock
  }

  var now: Instant { clock.now }

  var isOnMain: Bool { Thread.isMainThread && state.withLock { $0.isMainServed } }

  func setWake(at instant: Instant?, _ fire: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = instant.map { ($0, fire) } }
  }

  func armHardStop(at instant: Instant?) throws(StintError) {
    state.withLock { $0.hardStop = instant }
  }

  func onSystemThread(_ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.systemWork.append(work) }
  }

  func onMain(_ work: @escaping @MainActor @Sendable () -> Void) {
    state.withLock { $0.mainWork.append(work) }
  }

  func onMainActor(_ work: @escaping @MainActor @Sendable () async -> Void) {
    Task { @MainActor in await work() }
  }

  func onAnyThread(_ work: @escaping @Sendable () -> Void) {
    // A thread, not a pool: a block that waits for another must not keep that one from starting.
    Thread.detachNewThread(work)
  }

  func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.nextNumber += 1
      state.scheduled.append(Scheduled(number: state.nextNumber, at: instant, work: work))
    }
  }

  func announceExpiry(_ reason: ExpiryReason, deadline: Instant, openTasks: [String]) {
    state.withLock { state in
      state.record.announcements.append(
        VirtualSystem.Announcement(reason: reason, deadline: deadline, openTasks: openTasks))
    }
  }

  func terminate(_ cause: TerminationCause) {
    state.withLock { $0.record.terminations.append(cause) }
  }

  func exit(_ status: Int32) {
    state.withLock { $0.record.exits.append(status) }
  }

  func stopProcess() {
    state.withLock { $0.record.stops += 1 }
  }

  func diagnose(_ diagnostic: Diagnostic) {
    state.withLock { $0.record.diagnostics.append(diagnostic) }
  }

  /// Forgets everything that waits.
  func dropWork() {
    // Released outside the lock: what the closures hold may be anything.
    let dropped = state.withLock { state in
      defer {
        state.wake = nil
        state.scheduled = []
        state.systemWork = []
        state.mainWork = []
      }
      return state
    }
    withExtendedLifetime(dropped) {}
  }

  /// Takes the earliest thing that is due by an instant: a scheduled call or the driver's wake-up.
  func takeDue(by instant: Instant) -> (at: Instant, work: @Sendable () -> Void)? {
    state.withLock { state in
      let first = state.scheduled.min { ($0.at, $0.number) < ($1.at, $1.number) }
      if let wake = state.wake, wake.at <= (first?.at ?? .distantFuture), wake.at <= instant {
        state.wake = nil
        return (wake.at, wake.fire)
      }
      guard let first, first.at <= instant else { return nil }
      state.scheduled.removeAll { $0.number == first.number }
      return (first.at, first.work)
    }
  }

  /// Takes the next thing that waits for no time.
  func takeSystemWork() -> (@Sendable () -> Void)? {
    state.withLock { $0.systemWork.isEmpty ? nil : $0.systemWork.removeFirst() }
  }

  /// Takes the next turn of the main queue.
  func takeMainWork() -> (@MainActor @Sendable () -> Void)? {
    state.withLock { state in
      state.mainWork.isEmpty || !state.isMainServed ? nil : state.mainWork.removeFirst()
    }
  }
}

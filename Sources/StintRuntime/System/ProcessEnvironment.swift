import CStint
import Dispatch
import StintCore

/// The real effects: kernel timers, the main queue, signals to this process.
///
/// While another process enforces the deadline, none that ends this one.
final class ProcessEnvironment: SystemEnvironment {
  private struct State {
    var isEnforcing: Bool
    var hardStop: Instant?
  }

  private let termination: InProcessSystem.Termination
  private let hooks: InProcessSystem.Hooks
  private let wake = Protected<EventLoop.Token?>(nil)
  private let state: Protected<State>

  init(
    termination: InProcessSystem.Termination, hooks: InProcessSystem.Hooks,
    isEnforcing: Bool = true
  ) {
    self.termination = termination
    self.hooks = hooks
    state = Protected(State(isEnforcing: isEnforcing))
  }

  deinit {
    MemoryWatch.shared.set(nil, for: self)
    // Nobody is left who could end the tasks that it was for.
    if termination == .terminate { try? HardStop.shared.set(nil, for: self) }
  }

  private var isEnforcing: Bool { state.withLock { $0.isEnforcing } }

  /// From now on this process enforces its deadline itself, because the one that did has gone.
  func takeOver() {
    let hardStop = state.withLock { state in
      state.isEnforcing = true
      return state.hardStop
    }
    do throws(StintError) {
      try armHardStop(at: hardStop)
    } catch {
      diagnose(.hardStopNotArmed(errno: error.errno))
    }
  }

  var now: Instant { BootClock.now }

  var isOnMain: Bool { stint_is_main_thread() == 1 }

  func setWake(at instant: Instant?, _ fire: @escaping @Sendable () -> Void) {
    let old = wake.withLock { token in
      exchange(&token, with: instant.map { BootTimers.shared.schedule(at: $0, fire) })
    }
    if let old { BootTimers.shared.cancel(old) }
  }

  func armHardStop(at instant: Instant?) throws(StintError) {
    state.withLock { $0.hardStop = instant }
    if termination == .terminate, isEnforcing { try HardStop.shared.set(instant, for: self) }
  }

  func onSystemThread(_ work: @escaping @Sendable () -> Void) {
    BootTimers.shared.post(work)
  }

  func onMain(_ work: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated { work() } }
  }

  /// The one place that starts an unstructured task: an asynchronous handler has no parent.
  func onMainActor(_ work: @escaping @MainActor @Sendable () async -> Void) {
    Task { @MainActor in await work() }
  }

  func onAnyThread(_ work: @escaping @Sendable () -> Void) {
    // Not a pool: blocks that are parked in it would keep the next one from starting (A20). A
    // user's code, so with the process's mask.
    SerialThread(name: "stint-activity", blocksSignals: false).enqueue(work)
  }

  func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
    BootTimers.clients.schedule(at: instant, work)
  }

  func watchMemory(_ onLook: (@Sendable (_ isShort: Bool) -> Void)?) {
    MemoryWatch.shared.set(onLook, for: self)
  }

  func announceExpiry(_ reason: ExpiryReason, deadline: Instant, openTasks: [String]) {
    hooks.expiryAnnounced(reason, deadline, openTasks)
  }

  func terminate(_ cause: TerminationCause) {
    guard isEnforcing else { return }
    hooks.terminating(cause)
    if termination == .terminate { stint_kill_self() }
  }

  func exit(_ status: Int32) {
    hooks.exit(status)
  }

  func stopProcess() {
    stint_stop_self()
  }

  func diagnose(_ diagnostic: Diagnostic) {
    // The other process ends this one, or suspends it; it says which.
    if case .terminationReported = diagnostic, !isEnforcing { return }
    hooks.diagnose(diagnostic)
  }
}

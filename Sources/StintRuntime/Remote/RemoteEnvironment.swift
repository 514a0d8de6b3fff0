import StintCore

/// The effects of a child's system while another process enforces the deadline: none that ends this
/// one.
///
/// When the other process has gone, this one ends itself like any other, if that was chosen.
final class RemoteEnvironment: SystemEnvironment {
  private struct State {
    var isOwn = false
    var hardStop: Instant?
  }

  private let own: ProcessEnvironment
  private let diagnose: @Sendable (Diagnostic) -> Void
  private let state = Protected(State())

  init(termination: InProcessSystem.Termination, hooks: InProcessSystem.Hooks) {
    own = ProcessEnvironment(termination: termination, hooks: hooks)
    diagnose = hooks.diagnose
  }

  /// From now on this process enforces its deadline itself.
  func takeOver() {
    let hardStop = state.withLock { state in
      state.isOwn = true
      return state.hardStop
    }
    do throws(StintError) {
      try own.armHardStop(at: hardStop)
    } catch {
      diagnose(.hardStopNotArmed(errno: error.errno))
    }
  }

  var now: Instant { own.now }
  var isOnMain: Bool { own.isOnMain }

  func setWake(at instant: Instant?, _ fire: @escaping @Sendable () -> Void) {
    own.setWake(at: instant, fire)
  }

  func armHardStop(at instant: Instant?) throws(StintError) {
    let isOwn = state.withLock { state in
      state.hardStop = instant
      return state.isOwn
    }
    if isOwn { try own.armHardStop(at: instant) }
  }

  func onSystemThread(_ work: @escaping @Sendable () -> Void) { own.onSystemThread(work) }
  func onMain(_ work: @escaping @MainActor @Sendable () -> Void) { own.onMain(work) }
  func onMainActor(_ work: @escaping @MainActor @Sendable () async -> Void) {
    own.onMainActor(work)
  }
  func onAnyThread(_ work: @escaping @Sendable () -> Void) { own.onAnyThread(work) }
  func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
    own.schedule(at: instant, work)
  }

  func watchMemory(_ onLook: (@Sendable (_ isShort: Bool) -> Void)?) { own.watchMemory(onLook) }

  func announceExpiry(_ reason: ExpiryReason, deadline: Instant, openTasks: [String]) {
    own.announceExpiry(reason, deadline: deadline, openTasks: openTasks)
  }

  func terminate(_ cause: TerminationCause) {
    if state.withLock({ $0.isOwn }) { own.terminate(cause) }
  }

  func exit(_ status: Int32) { own.exit(status) }
  func stopProcess() { own.stopProcess() }

  func diagnose(_ diagnostic: Diagnostic) {
    // The other process ends this one, or suspends it; it says which.
    if case .terminationReported = diagnostic, !state.withLock({ $0.isOwn }) { return }
    diagnose(diagnostic)
  }
}

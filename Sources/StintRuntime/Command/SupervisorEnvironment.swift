package import StintCore

/// The effects of a system that rules over a command: everything on the supervisor's loop, nothing
/// upon this process.
package final class SupervisorEnvironment: SystemEnvironment {
  /// What the system decides and the supervisor performs; all are called on the loop's thread.
  struct Orders: Sendable {
    /// The deadline has come with a task open.
    var deadlineCame: @Sendable (TerminationCause) -> Void = { _ in }
    /// An expiry is about to be told.
    var expiryAnnounced: @Sendable (ExpiryReason, Instant, [String]) -> Void = { _, _, _ in }
    /// Something that the user should know.
    var diagnose: @Sendable (Diagnostic) -> Void = { _ in }
  }

  private let loop: EventLoop
  private let wake = Protected<EventLoop.Token?>(nil)
  private let orders = Protected(Orders())

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Says who carries out what the system decides.
  func obey(_ orders: Orders) {
    self.orders.withLock { $0 = orders }
  }

  package var now: Instant { BootClock.now }

  /// The loop's thread is main, and everything happens there.
  package var isOnMain: Bool { true }

  package func setWake(at instant: Instant?, _ fire: @escaping @Sendable () -> Void) {
    let old = wake.withLock { token in
      exchange(&token, with: instant.map { loop.schedule(at: $0, fire) })
    }
    if let old { loop.cancel(old) }
  }

  /// Nothing: the kernel is to end the command and not this process, which wakes for that by
  /// itself.
  package func armHardStop(at instant: Instant?) throws(StintError) {}

  package func onSystemThread(_ work: @escaping @Sendable () -> Void) {
    loop.post(work)
  }

  package func onMain(_ work: @escaping @MainActor @Sendable () -> Void) {
    loop.post { MainActor.assumeIsolated { work() } }
  }

  package func onMainActor(_ work: @escaping @MainActor @Sendable () async -> Void) {
    preconditionFailure("A supervisor's tasks have direct handlers.")
  }

  package func onAnyThread(_ work: @escaping @Sendable () -> Void) {
    SerialThread(name: "stint-any").enqueue(work)
  }

  package func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
    loop.schedule(at: instant, work)
  }

  package func announceExpiry(_ reason: ExpiryReason, deadline: Instant, openTasks: [String]) {
    orders.withLock { $0 }.expiryAnnounced(reason, deadline, openTasks)
  }

  /// Ends or suspends the command; this process lives on, so for the system it was only reported.
  package func terminate(_ cause: TerminationCause) {
    orders.withLock { $0 }.deadlineCame(cause)
  }

  package func exit(_ status: Int32) {
    preconditionFailure("What follows a suspension is the supervisor's to say.")
  }

  package func stopProcess() {
    preconditionFailure("What follows a suspension is the supervisor's to say.")
  }

  package func diagnose(_ diagnostic: Diagnostic) {
    // The command was terminated indeed.
    if case .terminationReported = diagnostic { return }
    orders.withLock { $0 }.diagnose(diagnostic)
  }
}

package import Dispatch
package import StintCore

/// The effects of a system: real in ``InProcessSystem``, virtual in `StintTesting`.
package protocol SystemEnvironment: AnyObject, Sendable {
  /// The time. May be read under the driver's lock.
  var now: Instant { get }

  /// The wall clock, by which requests begin (Q3).
  var wallTime: WallInstant { get }

  /// What the machine offers to tasks that the system begins (Q3); nil if the machine and the wall
  /// clock have to be asked, because nobody tells of a change.
  var toldConditions: MachineConditions? { get }

  /// How long the whole machine was suspended since it was booted.
  var machineSuspended: Duration { get }

  /// Whether the caller is on the main thread.
  var isOnMain: Bool { get }

  /// Sets the one wake-up of the driver, or takes it back.
  func setWake(at instant: Instant?, _ fire: @escaping @Sendable () -> Void)

  /// Lets the kernel end the process at an instant, or never.
  func armHardStop(at instant: Instant?) throws(StintError)

  /// Runs on the system's own thread, after the caller has gone on.
  func onSystemThread(_ work: @escaping @Sendable () -> Void)

  /// Runs in a later turn of the main queue.
  func onMain(_ work: @escaping @MainActor @Sendable () -> Void)

  /// Runs in a later turn of the main queue in which a teller may tell.
  func onMain(of teller: any TransitionTeller, _ work: @escaping @MainActor @Sendable () -> Void)

  /// Runs in a later turn of a queue.
  func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void)

  /// Runs on the main actor and may suspend there.
  func onMainActor(_ work: @escaping @MainActor @Sendable () async -> Void)

  /// Runs on some other thread that may be parked.
  func onAnyThread(_ work: @escaping @Sendable () -> Void)

  /// Runs at an instant, once.
  func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void)

  /// Says about once a second whether memory is short; nil for no more (L10).
  func watchMemory(_ onLook: (@Sendable (_ isShort: Bool) -> Void)?)

  /// Makes the record that explains a kill at the deadline (L8). Returns when it is durable.
  func announceExpiry(_ reason: ExpiryReason, deadline: Instant, openTasks: [String])

  /// Ends the process with a cause; returns only if it was merely reported.
  func terminate(_ cause: TerminationCause)

  /// Leaves the process with a status.
  func exit(_ status: Int32)

  /// Stops the process until it is continued.
  func stopProcess()

  /// Tells the owner of the program.
  func diagnose(_ diagnostic: Diagnostic)
}

extension SystemEnvironment {
  package var wallTime: WallInstant { BootClock.wallTime }

  package var toldConditions: MachineConditions? { nil }

  package var machineSuspended: Duration { BootClock.suspended }

  package func onMain(
    of teller: any TransitionTeller, _ work: @escaping @MainActor @Sendable () -> Void
  ) {
    teller.onMainQueue(work)
  }

  package func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Only a process of its own asks the kernel.
  package func watchMemory(_ onLook: (@Sendable (_ isShort: Bool) -> Void)?) {}
}

import CStint
import Glibc
public import StintCore

/// This process plays the system for itself.
///
/// Timers run on the boot-time clock, and the kernel ends the process at the deadline, so no stuck
/// thread can outlive it. Suspension is a state of Stint's own machinery: code that is not Stint's
/// is not stopped.
public final class InProcessSystem: Sendable {
  /// What happens when the process should be terminated.
  public enum Termination: Hashable, Sendable {
    /// It is killed, by the kernel's timer if need be.
    case terminate
    /// It is told to the diagnostics, and the application is suspended without its tasks.
    case report
  }

  /// Where the system's records and messages go.
  ///
  /// They may be called on any thread, but never under a lock.
  public struct Hooks: Sendable {
    /// Receives diagnostics; by default they go to standard error, as far as that takes them.
    public var diagnose: @Sendable (Diagnostic) -> Void
    /// Makes a durable record of an expiry before its handlers are called.
    public var expiryAnnounced: @Sendable (ExpiryReason, Instant, [String]) -> Void
    /// Makes a durable record of the cause before the process is ended.
    public var terminating: @Sendable (TerminationCause) -> Void
    /// Leaves the process after a suspension, where that was chosen.
    public var exit: @Sendable (Int32) -> Void

    /// Creates hooks that write diagnostics to standard error and record nothing.
    public init() {
      diagnose = { diagnostic in
        // Not FileHandle, which ends the process where standard error is closed or its disk full.
        let sentence = "\(diagnostic)".showingControlCharacters
        Array("stint: \(sentence)\n".utf8).withUnsafeBytes { line in
          let standardError = OpenFile(descriptor: STDERR_FILENO, path: "the standard error")
          try? standardError.writeStream(line)
        }
      }
      expiryAnnounced = { _, _, _ in }
      terminating = { _ in }
      exit = { status in Glibc.exit(status) }
    }
  }

  package let driver: SystemDriver

  /// Creates the system of a process that has not been launched.
  ///
  /// - Parameters:
  ///   - policy: The numbers by which time is granted.
  ///   - termination: What happens when the process should be terminated.
  ///   - hooks: Where records and messages go.
  /// - Throws: ``StintError``: `usage` if the policy cannot be kept, `unavailable` if the kernel's
  ///   timer cannot be made.
  public init(
    policy: SystemPolicy, termination: Termination = .report, hooks: Hooks = Hooks()
  ) throws(StintError) {
    try policy.validate()
    let environment = ProcessEnvironment(termination: termination, hooks: hooks)
    if termination == .terminate {
      let result = stint_hard_stop_open()
      guard result == 0 else {
        throw StintError(
          .unavailable,
          "The kernel gives no timer for the hard stop, so no deadline could be enforced; "
            + "check the limit of pending signals (ulimit -i).", errno: -result)
      }
    }
    driver = SystemDriver(policy: policy, environment: environment)
  }
}

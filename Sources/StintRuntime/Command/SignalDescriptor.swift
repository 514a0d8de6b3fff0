import CStint
import Glibc
package import StintCore

/// The signals of a supervisor, read from a descriptor; nothing ever runs in a handler.
package final class SignalDescriptor: Sendable {
  /// A signal that came.
  package struct Arrival: Hashable, Sendable {
    /// Its number.
    package var number: Int32
    /// Whether the kernel sent it, as it does for a terminal's keys, and so to a whole group.
    package var isFromKernel: Bool
    /// The process that sent it, if one did.
    package var sender: Int32
  }

  /// What a supervisor takes note of: what ends it, what it passes on, and news of its children.
  ///
  /// Except signals that a timer or a fault of this process itself would raise.
  static let taken: [Int32] =
    [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGTSTP,
      SIGIO, SIGPWR, SIGURG, SIGXCPU, SIGCHLD,
    ] + Array(34...64)

  package let descriptor: Int32

  /// Blocks all signals of this thread and of those that it will make; one that was ignored at the
  /// start stays ignored.
  ///
  /// If this process already has children, because a shell with jobs has replaced itself by it, the
  /// caller continues in a child process, so that only the command's own descendants are taken for
  /// such.
  ///
  /// - Parameter stepsAside: False for a process that knows its own children by their numbers.
  /// - Throws: ``StintError`` with the code `unavailable`.
  package init(stepsAside: Bool = true) throws(StintError) {
    let error = stepsAside ? stint_step_aside() : 0
    guard error == 0 else {
      throw StintError(.unavailable, "No process can be made for the supervisor.", errno: -error)
    }
    let numbers = Self.taken.filter { $0 == SIGCHLD || stint_signal_is_ignored($0) == 0 }
    descriptor = stint_signals_open(numbers, Int32(numbers.count))
    guard descriptor >= 0 else { throw .noDescriptor(for: "signals", -descriptor) }
  }

  deinit { close(descriptor) }

  /// Takes the next one; nil if there is none.
  package func next() -> Arrival? {
    var isFromKernel: Int32 = 0
    var sender: Int32 = 0
    let number = stint_signals_next(descriptor, &isFromKernel, &sender)
    guard number > 0 else { return nil }
    return Arrival(number: number, isFromKernel: isFromKernel == 1, sender: sender)
  }
}

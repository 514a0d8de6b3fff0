import CStint
import Glibc
import StintCore
import StintRuntime

/// Waits for the signals of a run on a thread of its own.
///
/// The signals are blocked before the first thread is made, so every thread inherits that; one
/// thread takes them out with `sigwaitinfo`, where any code may run. A signal that was ignored at
/// the start stays ignored.
package final class SignalWatch: Sendable {
  /// What ends a process, or stops it and lets it go on.
  package static let watched = [SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT]
  /// What tells that the process is ended soon: batch systems and the limit of processor time.
  package static let warnings = [SIGUSR1, SIGUSR2, SIGXCPU]
  /// A process of the background is not stopped because it uses its terminal: it would miss its
  /// deadline.
  private static let unheard = [SIGTTIN, SIGTTOU]

  /// Whether SIGINT was taken, before anything is done about it.
  private static let isInterrupted = Protected(false)

  private let thread = SerialThread(name: "stint-signals")
  private let waited: [Int32]
  /// What this process ignores and the one that started it did not: programs that it starts should
  /// not.
  package let ignoredHere: [Int32]

  /// Blocks the watched signals in this thread and all that it will make; call it before any thread
  /// is made.
  ///
  /// SIGPIPE and SIGXFSZ are ignored: a write then fails with an error that names what could not be
  /// written.
  package init() {
    ignoredHere = [SIGPIPE, SIGXFSZ].filter { !Self.isIgnored($0) }
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    waited = (Self.watched + Self.warnings).filter { !Self.isIgnored($0) }
    var set = Self.set(of: waited + Self.unheard)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Begins to hand signals to the body, one at a time.
  package func start(_ body: @escaping @Sendable (Int32) -> Void) {
    let waited = waited
    guard !waited.isEmpty else { return }
    thread.enqueue {
      var set = Self.set(of: waited)
      while true {
        var information = siginfo_t()
        let number = sigwaitinfo(&set, &information)
        guard number > 0 else { continue }
        // So Swift's runtime holds the threads of a process that crashes; nobody warns.
        if Self.warnings.contains(number), information.si_code == SI_TKILL { continue }
        if number == SIGINT { Self.isInterrupted.withLock { $0 = true } }
        body(number)
      }
    }
  }

  /// Ends the process by a signal's default action, so that the parent sees what ended it.
  package static func die(of number: Int32) -> Never { stint_die_of(number) }

  /// Ends the process with a status that asks for another run, or by SIGINT if that has come.
  ///
  /// A shell's loop continues unless its command died of the signal. So a signal that arrives while
  /// the process is already ending must not be lost either (W11).
  package static func leave(unfinished status: Int32) -> Never {
    if isInterrupted.withLock({ $0 }) { die(of: SIGINT) }
    stint_leave_unless_interrupted(status)
  }

  /// A signal that asks the process to end and that nobody has taken yet, before ``start(_:)``.
  package static func pending() -> Int32? { pending(of: [SIGINT, SIGTERM, SIGHUP]) }

  /// The same, or one that warns of the end.
  package static func pendingOrWarned() -> Int32? { pending() ?? pending(of: warnings) }

  private static func pending(of numbers: [Int32]) -> Int32? {
    var set = sigset_t()
    guard sigpending(&set) == 0 else { return nil }
    return numbers.first { sigismember(&set, $0) == 1 }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }
}

extension SignalWatch {
  /// Gives every signal back its default action, for a verb that has nothing to save.
  package static func restoreDefaults() {
    unblock(watched + warnings + unheard)
    signal(SIGPIPE, SIG_DFL)
    signal(SIGXFSZ, SIG_DFL)
  }

  /// Lets signals end the process again, unless they were ignored at the start.
  static func unblock(_ numbers: [Int32]) {
    var set = Self.set(of: numbers)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}

extension SupervisorExit {
  /// Ends the process so; with the status that asks for another run, by SIGINT if that has come.
  func leave(unfinished: Int32) -> Never {
    switch self {
    case .status(unfinished): SignalWatch.leave(unfinished: unfinished)
    // No destructors: a chunk may still be running.
    case .status(let status): _exit(status)
    case .signal(let number): SignalWatch.die(of: number)
    }
  }
}

import Glibc

/// The signals that the process as a whole blocks: those of its main thread.
///
/// The mask of any other thread says little: threads of Dispatch block nearly everything, and a
/// child that is started from one inherits that and cannot be told to end.
enum ProcessSignalMask {
  /// The main thread's mask, or the calling thread's if the main thread has ended (`dispatchMain()`
  /// ends it).
  static func current() -> sigset_t {
    for attempt in 1...attempts {
      // Of a process that file shows its main thread.
      let status = KernelFile.text("/proc/self/status")
      guard let mask = status.flatMap(parse) else { break }
      if !isNearlyFull(mask) || attempt == attempts { return mask }
      // While a thread makes another one, it blocks everything for some microseconds.
      sched_yield()
    }
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return mask
  }

  /// How often a mask that may be a passing one is read: a few milliseconds.
  private static let attempts = 100

  /// Whether a mask blocks so much that nobody chose it signal by signal.
  private static func isNearlyFull(_ mask: sigset_t) -> Bool {
    var mask = mask
    return [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGWINCH]
      .allSatisfy { sigismember(&mask, $0) == 1 }
  }

  /// Reads the blocked signals of a thread from its status file (proc_pid_status(5)).
  ///
  /// - Returns: Its mask, or nil if it is not told or the thread is a zombie, which shows none.
  static func parse(_ status: String) -> sigset_t? {
    guard let state = KernelFile.field("State", ofStatus: status)?.first, state != "Z",
      state != "X",
      let bits = KernelFile.field("SigBlk", ofStatus: status).flatMap({ UInt64($0, radix: 16) })
    else { return nil }
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in 1...64 where bits >> (number - 1) & 1 == 1 { sigaddset(&mask, Int32(number)) }
    return mask
  }
}

import Glibc

/// Processes that were killed and have not given everything back yet.
///
/// A process that holds gigabytes needs a moment for that after SIGKILL, and its locks are among
/// the last to go.
enum DyingProcess {
  /// PF_EXITING of the kernel's `sched.h`, which the ninth field of a thread's status shows
  /// (proc_pid_stat(5)).
  private static let exiting: UInt64 = 0x4
  /// SIGKILL among pending signals, as proc_pid_status(5) shows them: the lowest bit is signal 1.
  private static let killed: UInt64 = 1 << UInt64(SIGKILL - 1)

  /// Whether each of its threads is about to end or will be as soon as it runs, so that nothing of
  /// the process works any more.
  ///
  /// - Returns: False too if that cannot be seen, and for a process that lives on without its main
  ///   thread.
  static func isDying(_ pid: Int32) -> Bool {
    let threads = KernelFile.numbers(in: "/proc/\(pid)/task")
    return !threads.isEmpty
      && threads.allSatisfy { thread in
        let folder = "/proc/\(pid)/task/\(thread)"
        // One that is not there any more has ended.
        guard let stat = KernelFile.text(folder + "/stat") else { return true }
        return isExiting(stat: stat) || KernelFile.text(folder + "/status").map(isKilled) ?? true
      }
  }

  /// Whether a thread is on its way out.
  static func isExiting(stat: String) -> Bool {
    let fields = KernelFile.statFields(stat)
    return fields.count > 6 && UInt64(fields[6]).map { $0 & exiting != 0 } ?? false
  }

  /// Whether SIGKILL has been sent to a thread, which has not run since.
  static func isKilled(status: String) -> Bool {
    ["SigPnd", "ShdPnd"].contains { name in
      let mask = KernelFile.field(name, ofStatus: status).flatMap { UInt64($0, radix: 16) }
      return (mask ?? 0) & killed != 0
    }
  }
}

import CStint
import Glibc
import StintCore
import StintRuntime

/// The limit of address space of this process (`ulimit -v`), in which threads and what the C
/// library sets aside count as if they were used.
package enum AddressSpace {
  /// The stack of a thread of ours and what lies around it.
  static let threadBytes = SerialThread.stackBytes + (1 << 20)
  /// The threads of a run beside those that compute; one of them helps to load a large checkpoint.
  static let threadsOfRun = 11
  /// The threads of a batch.
  static let threadsOfBatch = 8
  /// Those of a command that only looks.
  static let threadsOfAny = 2
  /// With a limit of processes above this, nobody looks whether threads can be had: that takes
  /// time.
  private static let ampleProcesses: UInt = 4096
  /// Below this the libraries of a helper program cannot be loaded, which the loader would tell.
  private static let librariesBytes = 150_000_000
  /// For what grows in small pieces.
  private static let roomBytes = 16 << 20

  /// The limit in bytes; nil if there is none.
  static func limit() -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur < UInt(Int.max)
    else { return nil }
    return Int(limit.rlim_cur)
  }

  /// What is left of the limit after that many more threads have started; nil without a limit.
  static func left(threadsToCome: Int) -> Int? {
    guard let limit = limit() else { return nil }
    return max(0, limit - used() - threadsToCome * threadBytes)
  }

  /// What is taken now, in bytes (proc(5), the first field of `statm`).
  private static func used() -> Int {
    let pages = KernelFile.text("/proc/self/statm")?.split(separator: " ").first
      .flatMap { Int($0) }
    return (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Prepares the process for the limit, if there is one: called before there are threads.
  static func begin() {
    if limit() != nil { MemoryPools.share(1) }
  }

  /// Refuses to start where a run would find no room for a thread on the way, which nothing can go
  /// on from.
  ///
  /// - Parameter threads: How many are still to start.
  /// - Throws: ``StintError`` with the code `unavailable`.
  static func check(threads: Int) throws {
    var processes = rlimit()
    if getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &processes) == 0,
      processes.rlim_cur < ampleProcesses
    {
      try SerialThread.check(count: threads)
    }
    guard let limit = limit() else { return }
    let used = used()
    let needed = threads * threadBytes + roomBytes
    guard limit - used < needed else { return }
    throw tooSmall(limit, needed: used + needed)
  }

  /// Refuses to become a program whose libraries find no room.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  static func checkLibraries() throws {
    guard let limit = limit(), limit < librariesBytes else { return }
    throw tooSmall(limit, needed: librariesBytes)
  }

  private static func tooSmall(_ limit: Int, needed: Int) -> StintError {
    StintError(
      .unavailable,
      "This process may have \(ReportText.grouped(limit)) bytes of address space and needs "
        + "\(ReportText.grouped(needed)) before any work; raise the limit (ulimit -v).")
  }
}

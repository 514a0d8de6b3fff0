import Glibc
package import StintCore
import StintRuntime

/// Hands the start of a trip from one program to the one that this process becomes by exec.
///
/// A budget counts from the first instruction of the program that the user started, whatever the
/// process becomes later.
package enum LaunchTime {
  /// The environment variable: nanoseconds of the boot-time clock.
  package static let variable = "STINT_LAUNCHED_AT"

  /// The start that the program before handed over, if it was this very process; the variable is
  /// gone afterwards.
  ///
  /// - Returns: The instant, or nil if there is none or it cannot be this process's.
  package static func taken(now: Instant) -> Instant? {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
    unsetenv(variable)
    return checked(text, now: now, processStart: KernelFile.text("/proc/self/stat").flatMap(start))
  }

  /// The value as an instant, if it lies between the start of the process and now.
  ///
  /// Exec keeps the start of a process. A value from before belongs to another process that left it
  /// in its environment, and would cost this one its budget.
  static func checked(_ text: String, now: Instant, processStart: Instant?) -> Instant? {
    guard let nanoseconds = Int64(text), let processStart else { return nil }
    let instant = Instant(nanoseconds: nanoseconds)
    return processStart <= instant && instant <= now ? instant : nil
  }

  /// The start of a process from its line in `/proc/PID/stat` (proc(5), field 22), rounded down to
  /// a tick.
  static func start(stat line: String) -> Instant? {
    let fields = KernelFile.statFields(line)
    let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
    guard fields.count > 19, let ticks = Int64(fields[19]), ticks >= 0, ticksPerSecond > 0
    else { return nil }
    let (nanoseconds, overflow) = ticks.multipliedReportingOverflow(
      by: 1_000_000_000 / ticksPerSecond)
    return overflow ? nil : Instant(nanoseconds: nanoseconds)
  }
}

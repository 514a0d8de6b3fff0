import CStint
import Glibc
import StintCore
import StintRuntime

/// Clocks, limits, memory, processors.
enum DoctorMachine {
  static func findings() -> [DoctorFinding] {
    [clock(), hardStop(), pendingSignals(), openFiles(), fileSize(), addressSpace()]
      + [memory(), processors()]
  }

  private static func clock() -> DoctorFinding {
    let resolution = stint_probe_clock_resolution_ns()
    guard resolution >= 0 else {
      return DoctorFinding(
        "boot clock", .missing, reason(Int32(clamping: -resolution)),
        advice: "a Linux kernel with CLOCK_BOOTTIME is needed")
    }
    let text = "resolution \(Duration.nanoseconds(resolution).compactText)"
    guard resolution <= 1_000_000 else {
      return DoctorFinding(
        "boot clock", .warning, text, advice: "deadlines are kept no better than that")
    }
    return DoctorFinding("boot clock", .ok, text)
  }

  private static func hardStop() -> DoctorFinding {
    let result = stint_probe_hard_stop()
    guard result < 0 else {
      return DoctorFinding("hard stop", .ok, "a kernel timer on the boot clock can be armed")
    }
    return DoctorFinding(
      "hard stop", .missing, "the kernel timer cannot be armed: \(reason(-result))",
      advice: "raise the limit on pending signals (ulimit -i) or allow timer_create")
  }

  private static func pendingSignals() -> DoctorFinding {
    let used =
      KernelFile.text("/proc/self/status")?.split(separator: "\n")
      .first { $0.hasPrefix("SigQ:") }?.split(whereSeparator: { $0 == "\t" || $0 == "/" })
      .dropFirst().compactMap { Int($0) } ?? []
    return pendingSignals(limit: limit(__RLIMIT_SIGPENDING.rawValue), used: used.first ?? 0)
  }

  /// Every kernel timer takes one from the user's limit on pending signals.
  static func pendingSignals(limit: Int?, used: Int) -> DoctorFinding {
    let name = "pending signals"
    guard let limit else { return DoctorFinding(name, .ok, "\(used) used, no limit") }
    let text = "\(used) of \(limit) used"
    if used >= limit {
      return DoctorFinding(
        name, .missing, text, advice: "no timer can be made; raise the limit with ulimit -i")
    }
    if limit - used < 16 {
      return DoctorFinding(
        name, .warning, text, advice: "each run needs one for its hard stop; raise it (ulimit -i)")
    }
    return DoctorFinding(name, .ok, text)
  }

  private static func openFiles() -> DoctorFinding {
    openFiles(limit: limit(RLIMIT_NOFILE.rawValue))
  }

  static func openFiles(limit: Int?) -> DoctorFinding {
    guard let limit else { return DoctorFinding("open files", .ok, "no limit") }
    guard limit >= 64 else {
      return DoctorFinding(
        "open files", .warning, "at most \(limit)", advice: "64 are enough; raise it (ulimit -n)")
    }
    return DoctorFinding("open files", .ok, "at most \(limit)")
  }

  private static func fileSize() -> DoctorFinding {
    guard let limit = limit(RLIMIT_FSIZE.rawValue) else {
      return DoctorFinding("file size", .ok, "no limit")
    }
    return DoctorFinding(
      "file size", .warning, "at most \(ReportText.grouped(limit)) bytes",
      advice: "a larger checkpoint or result cannot be written (ulimit -f)")
  }

  private static func addressSpace() -> DoctorFinding {
    guard let limit = limit(RLIMIT_AS.rawValue) else {
      return DoctorFinding("address space", .ok, "no limit")
    }
    return DoctorFinding(
      "address space", .warning, "at most \(ReportText.grouped(limit)) bytes",
      advice: "GMP ends the process when it is used up (ulimit -v)")
  }

  private static func memory() -> DoctorFinding {
    guard let bytes = Memory.available() else {
      return DoctorFinding("memory", .warning, "unknown", advice: "/proc cannot be read")
    }
    let text = "\(ReportText.grouped(bytes)) bytes available"
    guard bytes >= 64 << 20 else {
      return DoctorFinding("memory", .warning, text, advice: "larger numbers will be refused")
    }
    return DoctorFinding("memory", .ok, text)
  }

  private static func processors() -> DoctorFinding {
    let allowed = Int(stint_processor_count())
    let usable = Processors.available()
    let text = "\(usable) usable" + (usable < allowed ? " by quota, \(allowed) by affinity" : "")
    return DoctorFinding("processors", .ok, text)
  }

  /// A limit of this process; nil if there is none.
  private static func limit(_ resource: UInt32) -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource), &limit) == 0, limit.rlim_cur < UInt(Int.max)
    else { return nil }
    return Int(limit.rlim_cur)
  }

  static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

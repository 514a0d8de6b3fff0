import CStint
import Glibc
import StintCore
import StintRuntime

/// Clocks, limits, memory, processors.
enum DoctorMachine {
  static func findings() -> [DoctorFinding] {
    [
      clock(), hardStop(), pendingSignals(), openFiles(limit: limit(RLIMIT_NOFILE.rawValue)),
      bytes(
        "file size", limit(RLIMIT_FSIZE.rawValue),
        advice: "a larger checkpoint or result cannot be written (ulimit -f)"),
      bytes(
        "address space", limit(RLIMIT_AS.rawValue),
        advice: "GMP ends the process when it is used up (ulimit -v)"),
      memory(), processors(),
    ]
  }

  private static func clock() -> DoctorFinding {
    let resolution = stint_probe_clock_resolution_ns()
    guard resolution >= 0 else {
      return DoctorFinding(
        "boot clock", .missing, reason(Int32(clamping: -resolution)),
        advice: "a Linux kernel with CLOCK_BOOTTIME is needed")
    }
    let text = "resolution \(Duration.nanoseconds(resolution).compactText)"
    return DoctorFinding(
      "boot clock", text, warnsIf: resolution > 1_000_000,
      advice: "deadlines are kept no better than that")
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
    return DoctorFinding(
      name, text, warnsIf: limit - used < 16,
      advice: "each run needs one for its hard stop; raise it (ulimit -i)")
  }

  static func openFiles(limit: Int?) -> DoctorFinding {
    guard let limit else { return DoctorFinding("open files", .ok, "no limit") }
    return DoctorFinding(
      "open files", "at most \(limit)", warnsIf: limit < 64,
      advice: "64 are enough; raise it (ulimit -n)")
  }

  private static func bytes(_ name: String, _ limit: Int?, advice: String) -> DoctorFinding {
    guard let limit else { return DoctorFinding(name, .ok, "no limit") }
    return DoctorFinding(
      name, .warning, "at most \(ReportText.grouped(limit)) bytes", advice: advice)
  }

  private static func memory() -> DoctorFinding {
    guard let bytes = Memory.available() else {
      return DoctorFinding("memory", .warning, "unknown", advice: "/proc cannot be read")
    }
    return DoctorFinding(
      "memory", "\(ReportText.grouped(bytes)) bytes available", warnsIf: bytes < 64 << 20,
      advice: "larger numbers will be refused")
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

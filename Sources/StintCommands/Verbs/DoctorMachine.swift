import CStint
import Glibc
import StintCore
import StintFibonacci
import StintRuntime

/// What the program is made of, clocks, limits, memory, processors, cgroup, terminal.
enum DoctorMachine {
  /// What is told before the file system of the jobs.
  static func findings(_ programs: [HelperProgram]) -> [Finding] {
    versions() + programs.flatMap { $0.findings() } + [
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

  /// What is told after it.
  static func ofProcess(_ environment: [String: String]) -> [Finding] {
    [freezer(triedFreezer()), processOne(), terminal(.current(environment: environment))]
  }

  // MARK: Versions

  private static func versions() -> [Finding] {
    var system = utsname()
    uname(&system)
    let release = withUnsafePointer(to: &system.release) { field in
      field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
        String(cString: $0)
      }
    }
    return [
      Finding("stint", .ok, ProductVersion.text),
      Finding("swift", .ok, swift),
      Finding("gmp", .ok, GMPVersion.text),
      Finding("xxhash", .ok, XXH3Checksum.libraryVersion),
      Finding("glibc", .ok, String(cString: stint_probe_libc_version())),
      kernel(release),
    ]
  }

  static func kernel(_ release: String) -> Finding {
    let numbers = release.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else {
      return Finding("kernel", .warning, release, advice: "its version cannot be read")
    }
    // openat2 has a substitute. pidfd_open has none: with it a batch waits for its lines, and stop
    // signals the right process.
    let version = (numbers[0], numbers[1])
    return Finding(
      "kernel", release, warnsIf: version < (5, 6),
      advice: version < (5, 3)
        ? "a batch and stint stop need Linux 5.3" : "from 5.6 on every safeguard is there")
  }

  /// The compiler that built this; the runtime of the same release is linked or beside it.
  private static var swift: String {
    #if compiler(>=6.4)
    "6.4 or later"
    #elseif compiler(>=6.3)
    "6.3"
    #else
    "before 6.3"
    #endif
  }

  // MARK: Clocks and limits

  private static func clock() -> Finding {
    let resolution = stint_probe_clock_resolution_ns()
    guard resolution >= 0 else {
      return Finding(
        "boot clock", .missing, reason(Int32(clamping: -resolution)),
        advice: "a Linux kernel with CLOCK_BOOTTIME is needed")
    }
    let text = "resolution \(Duration.nanoseconds(resolution).compactText)"
    return Finding(
      "boot clock", text, warnsIf: resolution > 1_000_000,
      advice: "deadlines are kept no better than that")
  }

  private static func hardStop() -> Finding {
    let result = stint_probe_hard_stop()
    guard result < 0 else {
      return Finding("hard stop", .ok, "a kernel timer on the boot clock can be armed")
    }
    return Finding(
      "hard stop", .missing, "the kernel timer cannot be armed: \(reason(-result))",
      advice: "raise the limit on pending signals (ulimit -i) or allow timer_create")
  }

  private static func pendingSignals() -> Finding {
    let used =
      KernelFile.text("/proc/self/status")?.split(separator: "\n")
      .first { $0.hasPrefix("SigQ:") }?.split(whereSeparator: { $0 == "\t" || $0 == "/" })
      .dropFirst().compactMap { Int($0) } ?? []
    return pendingSignals(limit: limit(__RLIMIT_SIGPENDING.rawValue), used: used.first ?? 0)
  }

  /// Every kernel timer takes one from the user's limit on pending signals.
  static func pendingSignals(limit: Int?, used: Int) -> Finding {
    let name = "pending signals"
    guard let limit else { return Finding(name, .ok, "\(used) used, no limit") }
    let text = "\(used) of \(limit) used"
    if used >= limit {
      return Finding(
        name, .missing, text, advice: "no timer can be made; raise the limit with ulimit -i")
    }
    return Finding(
      name, text, warnsIf: limit - used < 16,
      advice: "each run needs one for its hard stop; raise it (ulimit -i)")
  }

  static func openFiles(limit: Int?) -> Finding {
    guard let limit else { return Finding("open files", .ok, "no limit") }
    return Finding(
      "open files", "at most \(limit)", warnsIf: limit < 64,
      advice: "64 are enough; raise it (ulimit -n)")
  }

  private static func bytes(_ name: String, _ limit: Int?, advice: String) -> Finding {
    guard let limit else { return Finding(name, .ok, "no limit") }
    return Finding(name, .warning, "at most \(ReportText.grouped(limit)) bytes", advice: advice)
  }

  private static func memory() -> Finding {
    guard let bytes = Memory.available() else {
      return Finding("memory", .warning, "unknown", advice: "/proc cannot be read")
    }
    return Finding(
      "memory", "\(ReportText.grouped(bytes)) bytes available", warnsIf: bytes < 64 << 20,
      advice: "larger numbers will be refused")
  }

  private static func processors() -> Finding {
    let allowed = Int(stint_processor_count())
    let usable = Processors.available()
    let text = "\(usable) usable" + (usable < allowed ? " by quota, \(allowed) by affinity" : "")
    return Finding("processors", .ok, text)
  }

  /// A limit of this process; nil if there is none.
  private static func limit(_ resource: UInt32) -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource), &limit) == 0, limit.rlim_cur < UInt(Int.max)
    else { return nil }
    return Int(limit.rlim_cur)
  }

  static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  // MARK: Process

  /// Makes a freezer like that of `stint exec --suspend`: the path of its cgroup, or nil if it
  /// cannot be made.
  private static func triedFreezer() -> String? {
    guard let freezer = CommandFreezer() else { return nil }
    defer { freezer.remove() }
    return freezer.setFrozen(true) ? freezer.path : nil
  }

  static func freezer(_ path: String?) -> Finding {
    guard let path else {
      return Finding(
        "freezer", .ok,
        "no cgroup v2 can be made here; stint exec --suspend stops a group by signals")
    }
    return Finding("freezer", .ok, "cgroup v2 at \(path) can be made and frozen")
  }

  private static func processOne() -> Finding {
    // As process 1, stint has left that place to its parent before any verb.
    func program(_ process: String) -> FilePath? {
      try? FilePath("/proc/\(process)/exe").resolved()
    }
    guard getppid() == 1, let own = program("self"), program("1") == own else {
      return Finding("process 1", .ok, "no, deadlines are enforced by the kernel as usual")
    }
    return Finding("process 1", .ok, "yes; a child does the work, where SIGKILL works")
  }

  static func terminal(_ state: TerminalState) -> Finding {
    if state.showsLiveLine {
      return Finding(
        "terminal", .ok,
        "live line, \(state.columns) columns" + (state.style.color ? ", colours" : "")
          + (state.style.unicode ? ", Unicode" : ""))
    }
    let why =
      !state.isTerminal
      ? "standard error is not a terminal"
      : !state.isForeground ? "not the foreground group" : "TERM cannot rewrite a line"
    return Finding("terminal", .ok, "plain lines: \(why)")
  }
}

extension HelperProgram {
  /// What `stint doctor` says of the program.
  func findings() -> [Finding] {
    findings(at: path(besides: Self.ownPath())) { HelperVersion.ask($0, of: library) }
  }

  /// The findings on a program, wherever it is: one on itself, and one on its library if it starts
  /// when it is asked for its version.
  func findings(at path: String?, ask: (String) -> HelperVersion?) -> [Finding] {
    guard let path else {
      return [Finding(name, .warning, "not installed", advice: remedy)]
    }
    guard let found = ask(path) else {
      return [
        Finding(
          name, .warning, "\(path) does not start",
          advice: "run \(path) --version to see why; the library \(library) may be missing")
      ]
    }
    return [
      Finding(
        name, "\(found.version) at \(path)", warnsIf: found.version != ProductVersion.text,
        advice: "stint is \(ProductVersion.text); install both again"),
      Finding(
        library, found.library ?? "built without", warnsIf: found.library == nil, advice: remedy),
    ]
  }
}

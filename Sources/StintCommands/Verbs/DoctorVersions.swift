import CStint
import Glibc
import StintFibonacci
import StintRuntime

/// What the program is made of.
enum DoctorVersions {
  static func findings() -> [DoctorFinding] {
    var system = utsname()
    uname(&system)
    let release = withUnsafePointer(to: &system.release) { field in
      field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
        String(cString: $0)
      }
    }
    return [
      DoctorFinding("stint", .ok, ProductVersion.text),
      DoctorFinding("swift", .ok, swift),
      DoctorFinding("gmp", .ok, GMPVersion.text),
      DoctorFinding("xxhash", .ok, XXH3Checksum.libraryVersion),
      DoctorFinding("glibc", .ok, String(cString: stint_probe_libc_version())),
      kernel(release),
    ]
  }

  static func kernel(_ release: String) -> DoctorFinding {
    let numbers = release.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else {
      return DoctorFinding("kernel", .warning, release, advice: "its version cannot be read")
    }
    // openat2 has a substitute. pidfd_open has none: with it a batch waits for its lines, and stop
    // signals the right process.
    let version = (numbers[0], numbers[1])
    return DoctorFinding(
      "kernel", release, warnsIf: version < (5, 6),
      advice: version < (5, 3)
        ? "a batch and stint stop need Linux 5.3"
        : "from 5.6 on every safeguard is there")
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
}

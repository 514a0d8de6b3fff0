import Glibc
package import StintCore

extension MachineConditions {
  /// What this machine offers now.
  package static func read() -> MachineConditions {
    var status = statvfs()
    let hasRoom = statvfs(".", &status) == 0
    return MachineConditions(
      power: MachinePower(), processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      freeDisk: hasRoom ? Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize)) : .max,
      read: { KernelFile.text($0) })
  }

  /// Looks through a reader of files.
  ///
  /// The files are those of proc(5). What cannot be read is taken to be there.
  init(
    power: MachinePower, processors: Int, freeDisk: Int64, read: (String) -> String?
  ) {
    self.init()
    hasExternalPower = power.hasExternalPower
    self.freeDisk = freeDisk
    let routes = (read("/proc/net/route"), read("/proc/net/ipv6_route"))
    if routes != (nil, nil) {
      hasNetwork = Self.hasDefaultRoute(routes.0 ?? "") || Self.hasDefaultRoute6(routes.1 ?? "")
    }
    if let load = read("/proc/loadavg")?.split(separator: " ").first.flatMap({ Double($0) }) {
      self.load = load / Double(processors)
    }
    let available = read("/proc/meminfo")?.split(separator: "\n").first {
      $0.hasPrefix("MemAvailable:")
    }
    if let available, let kilobytes = Int64(available.split(separator: " ").dropFirst().first ?? "")
    {
      let (bytes, overflow) = kilobytes.multipliedReportingOverflow(by: 1_024)
      freeMemory = overflow ? .max : bytes
    }
  }

  /// A line of `/proc/net/route`: interface, destination, gateway, flags (of which 1 is RTF_UP),
  /// and more; the mask is the eighth.
  private static func hasDefaultRoute(_ text: String) -> Bool {
    text.split(separator: "\n").dropFirst().contains { line in
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 7, let flags = UInt32(fields[3], radix: 16) else { return false }
      return fields[0] != "lo" && fields[1] == "00000000" && fields[7] == "00000000"
        && flags & 1 != 0
    }
  }

  /// A line of `/proc/net/ipv6_route`: destination, length of its prefix, and more; the flags (of
  /// which 0x200 is RTF_REJECT) are the ninth field, the interface the last.
  private static func hasDefaultRoute6(_ text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 9, let flags = UInt32(fields[8], radix: 16) else { return false }
      return fields[9] != "lo" && fields[1] == "00" && fields[0].allSatisfy { $0 == "0" }
        && flags & 1 != 0 && flags & 0x200 == 0
    }
  }
}

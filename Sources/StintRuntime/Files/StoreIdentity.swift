import CStint
import Glibc
package import StintCore

/// Who writes: the machine, the boot, the process, and the clocks that label what is written.
///
/// One value is injected into everything that needs any of it, so that tests can play another
/// machine or boot.
package struct StoreIdentity: Sendable {
  /// The machine's name.
  package var host: String
  /// The kernel's name for this boot.
  ///
  /// Instants of two boots cannot be compared.
  package var bootID: String
  /// The process.
  package var pid: Int32
  /// When the process started, in clock ticks since the machine's boot: tells it from a later one
  /// with the same number.
  package var processStart: UInt64
  /// The user whose files these are.
  package var userID: UInt32
  /// Nanoseconds since 1970.
  ///
  /// For labels only.
  package var wallClock: @Sendable () -> Int64
  /// The boot-time clock of the machine, which is ahead of or behind this process's own in some
  /// containers.
  package var bootClock: @Sendable () -> Instant
  /// How far this process's own boot-time clock is ahead of the machine's.
  package var clockOffset = Duration.zero
  /// Where an engine runs this process; nil outside of any.
  package var engineJob: EngineJob?
  /// When a process of this machine started, in clock ticks since its boot, or nil if no process
  /// has the number.
  package var startOfProcess: @Sendable (Int32) -> UInt64?
  /// Whether a process of this machine was killed and only has to give back what it holds.
  package var isDying: @Sendable (Int32) -> Bool

  package init(
    host: String, bootID: String, pid: Int32, processStart: UInt64, userID: UInt32,
    wallClock: @escaping @Sendable () -> Int64, bootClock: @escaping @Sendable () -> Instant,
    startOfProcess: @escaping @Sendable (Int32) -> UInt64?,
    isDying: @escaping @Sendable (Int32) -> Bool = { _ in false }
  ) {
    self.host = host
    self.bootID = bootID
    self.pid = pid
    self.processStart = processStart
    self.userID = userID
    self.wallClock = wallClock
    self.bootClock = bootClock
    self.startOfProcess = startOfProcess
    self.isDying = isDying
  }

  /// What names this boot of the machine; nil where `/proc` does not say it.
  package static var bootID: String? {
    KernelFile.text("/proc/sys/kernel/random/boot_id").map { String($0.prefix { $0 != "\n" }) }
  }

  /// The name of this machine.
  static var hostName: String {
    var name = [UInt8](repeating: 0, count: 256)
    name.withUnsafeMutableBytes { _ = gethostname($0.baseAddress!, $0.count - 1) }
    let host = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    return host.isEmpty ? "unknown" : host
  }

  /// This process on this machine.
  package static func current() -> StoreIdentity {
    let offset = TimeNamespace.offset
    var identity = StoreIdentity(
      host: hostName, bootID: bootID ?? "unknown",
      pid: getpid(), processStart: startTicks(of: getpid()) ?? 0, userID: geteuid(),
      wallClock: { stint_wall_ns() }, bootClock: { BootClock.now.advanced(by: .zero - offset) },
      startOfProcess: { startTicks(of: $0) }, isDying: DyingProcess.isDying)
    identity.clockOffset = offset
    identity.engineJob = EngineJob { name in getenv(name).map { String(cString: $0) } }
    return identity
  }

  /// The bits that this process withholds from new files, without changing them in between as
  /// umask(2) would.
  package static var fileModeMask: UInt32 {
    KernelFile.text("/proc/self/status").flatMap { KernelFile.field("Umask", ofStatus: $0) }
      .flatMap { UInt32($0, radix: 8) } ?? 0o077
  }

  /// Field 22 of /proc/PID/stat (proc(5)), which the kernel gives by the clock of the process that
  /// reads it.
  private static func startTicks(of pid: Int32) -> UInt64? {
    let fields = KernelFile.statFields(KernelFile.text("/proc/\(pid)/stat"))
    guard fields.count > 19, let ticks = UInt64(fields[19]) else { return nil }
    let ahead =
      TimeNamespace.offset.nanoseconds / (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
    return UInt64(max(0, Int64(clamping: ticks) - ahead))
  }
}

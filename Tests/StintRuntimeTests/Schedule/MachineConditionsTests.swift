import StintCore
import Testing

@testable import StintRuntime

@Suite("What the machine offers")
struct MachineConditionsTests {
  private static let head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\n"
  private static let zeros = String(repeating: "0", count: 32)

  private func conditions(_ files: [String: String], processors: Int = 2) -> MachineConditions {
    MachineConditions(
      power: MachinePower(read: { _ in nil }, names: { _ in [] }), processors: processors,
      freeDisk: 7, read: { files[$0] })
  }

  @Test(
    "Q3 a default route that is up is a network",
    arguments: [
      ("eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\n", true),
      ("eth0\t00000000\t0101A8C0\t0002\t0\t0\t100\t00000000\t0\n", false),
      ("eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\n", false),
      ("eth0\t00000000\t00000000\t0001\t0\t0\t100\t000000FE\t0\n", false),
      ("lo\t00000000\t00000000\t0001\t0\t0\t100\t00000000\t0\n", false),
      ("eth0\t00000000\n", false), ("", false),
      ("eth0\t00000000\tx\ty\t0\t0\t0\t00000000\n", false),
    ])
  func route(lines: String, hasNetwork: Bool) {
    #expect(conditions(["/proc/net/route": Self.head + lines]).hasNetwork == hasNetwork)
  }

  @Test(
    "Q3 so is one of the newer protocol, unless it refuses",
    arguments: [("00000003", true), ("00000203", false), ("00000002", false), ("zz", false)])
  func newerRoute(flags: String, hasNetwork: Bool) {
    let zeros = Self.zeros
    let line = "\(zeros) 00 \(zeros) 00 \(zeros) 00000400 00000001 00000000 \(flags) eth0\n"
    let other = "fe80\(zeros.dropLast(4)) 40 \(zeros) 00 \(zeros) 00000100 1 0 00000001 eth0\n"
    let files = ["/proc/net/route": Self.head, "/proc/net/ipv6_route": other + line]
    #expect(conditions(files).hasNetwork == hasNetwork)
  }

  @Test(
    "Q3 load is that of each processor, memory is what is available; what cannot be read is there")
  func numbers() {
    let all = conditions(
      [
        "/proc/loadavg": "3.00 2.00 1.00 1/100 1234\n",
        "/proc/meminfo": "MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable:   50 kB\n",
      ], processors: 4)
    #expect(all.load == 0.75 && all.freeMemory == 51_200 && all.freeDisk == 7)
    let none = conditions([:])
    #expect(none.hasNetwork && none.hasExternalPower && none.load == 0 && none.freeMemory == .max)
    let odd = conditions([
      "/proc/loadavg": "x\n", "/proc/meminfo": "MemAvailable: 99999999999999999999 kB\n",
    ])
    #expect(odd.load == 0 && odd.freeMemory == .max)
    let large = conditions(["/proc/meminfo": "MemAvailable: 9223372036854775807 kB\n"])
    #expect(large.freeMemory == .max)
  }

  @Test("Q3 this machine has memory, room, and a load that is no nonsense")
  func thisMachine() {
    let read = MachineConditions.read()
    #expect(read.freeMemory > 1 << 20 && read.freeMemory < 1 << 50)
    #expect(read.freeDisk > 0 && read.load >= 0)
  }
}

import Glibc
import Testing

@testable import StintRuntime

@Suite("Limits of cgroups")
struct ControlGroupTests {
  private static let unified = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
  private static let memory =
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
  private static let cpu = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"

  private static func group(
    _ own: String, mounts: String, _ files: [String: String]
  ) -> ControlGroup {
    var all = files
    all["/proc/self/cgroup"] = own
    all["/proc/self/mountinfo"] = mounts
    let known = all
    return ControlGroup { known[$0] }
  }

  @Test("version 2: the nearest limit counts, whichever ancestor has it")
  func ancestors() {
    let group = Self.group(
      "0::/a/b\n", mounts: Self.unified,
      [
        "/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/b/memory.current": "10\n",
        "/sys/fs/cgroup/a/memory.max": "1000\n", "/sys/fs/cgroup/a/memory.current": "400\n",
        "/sys/fs/cgroup/a/cpu.max": "150000 100000\n", "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
      ])
    #expect(group.memoryLeft == 600)
    #expect(group.processorQuota == 1.5)
  }

  @Test(
    "version 1: each controller has a tree of its own, and no limit is a number beyond all memory")
  func versionOne() {
    let group = Self.group(
      "4:memory:/jobs/1\n2:cpu,cpuacct:/jobs\n1:name=systemd:/\n0::/\n",
      mounts: Self.memory + Self.cpu,
      [
        "/sys/fs/cgroup/memory/jobs/1/memory.limit_in_bytes": "9223372036854771712\n",
        "/sys/fs/cgroup/memory/jobs/1/memory.usage_in_bytes": "5\n",
        "/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": "500\n",
        "/sys/fs/cgroup/memory/jobs/memory.usage_in_bytes": "450\n",
        "/sys/fs/cgroup/memory/jobs/memory.stat":
          "cache 200\ntotal_inactive_file 100\ntotal_active_file 50\n",
        "/sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us": "50000\n",
        "/sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us": "100000\n",
        "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
      ])
    #expect(group.memoryLeft == 200)
    #expect(group.processorQuota == 0.5)
  }

  @Test("where a part of the tree is mounted, the path begins there")
  func container() {
    let mounts = "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    let files = [
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "300\n",
      "/sys/fs/cgroup/memory/memory.usage_in_bytes": "100\n",
      "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "50\n",
      "/sys/fs/cgroup/memory/x/memory.usage_in_bytes": "10\n",
    ]
    #expect(Self.group("4:memory:/docker/1/x\n", mounts: mounts, files).memoryLeft == 40)
    #expect(Self.group("4:memory:/docker/1\n", mounts: mounts, files).memoryLeft == 200)
    #expect(Self.group("4:memory:/../other\n", mounts: mounts, files).memoryLeft == 200)
  }

  @Test("the mounts are read once; a process that was moved to another cgroup is found there")
  func moved() {
    let state = Protected((own: "0::/a\n", readings: 0))
    let group = ControlGroup { path in
      switch path {
      case "/proc/self/mountinfo":
        state.withLock { $0.readings += 1 }
        return Self.unified
      case "/proc/self/cgroup": return state.withLock { $0.own }
      case "/sys/fs/cgroup/a/memory.events": return "high 1\nmax 2\n"
      case "/sys/fs/cgroup/b/memory.events": return "max 7\n"
      default: return nil
      }
    }
    #expect(group.memoryEvents == 3)
    state.withLock { $0.own = "0::/b\n" }
    #expect(group.memoryEvents == 7)
    #expect(group.memoryPressure == nil && group.memoryLeft == nil)
    #expect(state.withLock { $0.readings } == 1)
  }

  @Test("without cgroups there is no limit")
  func none() {
    let group = ControlGroup { _ in nil }
    #expect(group.memoryLeft == nil)
    #expect(group.processorQuota == nil)
  }
}

import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("exec --suspend")
  struct ExecSuspensionTests {
    /// A leader and a child of it that count side by side, and one in a session of its own.
    private static let family = """
      count() { echo $$ >$1.pid; while :; do echo x >>$1; sleep 0.01; done; }
      export -f count
      bash -c 'count a' & setsid bash -c 'count b' & count c
      """

    private static let budget = ["--budget", "400ms", "--lead", "50ms", "--rest", "600ms"]

    private static func pids(_ scratch: Scratch) -> [pid_t]? {
      let pids = ["a", "b", "c"].compactMap { pid_t(scratch.text("\($0).pid").dropLast()) }
      return pids.count == 3 ? pids : nil
    }

    private static func sizes(_ scratch: Scratch) -> [Int] {
      ["a", "b", "c"].map { scratch.text($0).utf8.count }
    }

    /// Waits until what counts stands still, or until it goes on.
    private static func state(_ pids: [pid_t]) -> String {
      String(pids.map { StintProcess.state(of: $0) ?? "-" })
    }

    @Test(
      "A23 without a freezer SIGSTOP stops the whole group, its leader and its children, and SIGCONT lets it go on"
    )
    func signals() async throws {
      let scratch = try Scratch()
      let process = try Freezing.startWithout(
        ["exec", "--suspend"] + Self.budget + ["--", "bash", "-c", Self.family], in: scratch)
      try await process.wait(until: "the family") { Self.pids(scratch) != nil }
      let pids = try #require(Self.pids(scratch), "\(process.errorsSoFar)")
      #expect(getpgid(pids[0]) == pids[2] && getpgid(pids[1]) != pids[2])
      for _ in 1...2 {
        try await waitUntil("the group's stop") {
          StintProcess.state(of: pids[0]) == "T" && StintProcess.state(of: pids[2]) == "T"
        }
        let before = Self.sizes(scratch)
        try await waitUntil("the group to go on") {
          StintProcess.state(of: pids[0]) != "T" && StintProcess.state(of: pids[2]) != "T"
        }
        try await waitUntil("another step of each") {
          zip(Self.sizes(scratch), before).allSatisfy { $0 > $1 }
        }
      }
      process.send(SIGTERM)
      _ = try await process.wait(atMost: .seconds(15))
      #expect(pids.allSatisfy { !ExecFamilyTests.isAlive("\($0)") }, "\(Self.state(pids))")
    }

    @Test(
      "A23 the freezer suspends all descendants, whatever group they moved to, by no signal",
      .enabled(if: Freezing.isPossible, "no cgroup of version 2 can be made here"))
    func freezer() async throws {
      let scratch = try Scratch()
      let process = try scratch.start(
        ["exec", "--suspend"] + Self.budget + ["--", "bash", "-c", Self.family])
      try await process.wait(until: "the family") { Self.pids(scratch) != nil }
      let pids = try #require(Self.pids(scratch), "\(process.errorsSoFar)")
      for _ in 1...2 {
        try await waitUntil("the freeze") { pids.allSatisfy { Self.isFrozen($0) } }
        let before = Self.sizes(scratch)
        #expect(!Self.state(pids).contains("T"), "no signal stops them")
        try await waitUntil("the thaw") { !pids.contains { Self.isFrozen($0) } }
        try await waitUntil("another step of each") {
          zip(Self.sizes(scratch), before).allSatisfy { $0 > $1 }
        }
      }
      process.send(SIGTERM)
      _ = try await process.wait(atMost: .seconds(15))
      #expect(pids.allSatisfy { !ExecFamilyTests.isAlive("\($0)") }, "\(Self.state(pids))")
    }

    @Test(
      "A23 R9 a supervisor that is killed leaves nothing frozen behind, nor its cgroup",
      .enabled(if: Freezing.isPossible, "no cgroup of version 2 can be made here"))
    func killedWhileFrozen() async throws {
      let scratch = try Scratch()
      let process = try scratch.start(
        ["exec", "--suspend", "--budget", "1s", "--lead", "100ms", "--rest", "1h"]
          + ["--", "bash", "-c", Self.family])
      try await process.wait(until: "the family") { Self.pids(scratch) != nil }
      let pids = try #require(Self.pids(scratch), "\(process.errorsSoFar)")
      try await waitUntil("the freeze") { pids.allSatisfy { Self.isFrozen($0) } }
      process.send(SIGKILL)
      _ = try await process.wait()
      try await waitUntil("the end of all") { !pids.contains { ExecFamilyTests.isAlive("\($0)") } }
      let names = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map { "\($0)/stint-\(process.pid)" }
      try await waitUntil("the end of the cgroup") {
        !names.contains { FileManager.default.fileExists(atPath: $0) }
      }
    }

    /// Whether the process's cgroup of version 2 is frozen.
    static func isFrozen(_ pid: pid_t) -> Bool {
      guard let own = try? String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8),
        let path = own.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3)
      else { return false }
      return ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].contains {
        (try? String(contentsOfFile: "\($0)\(path)/cgroup.events", encoding: .utf8))?
          .contains("frozen 1") ?? false
      }
    }
  }
}

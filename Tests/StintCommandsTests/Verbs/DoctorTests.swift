import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint doctor")
struct DoctorTests {
  @Test("what is missing decides the exit status, a warning does not")
  func exitStatus() throws {
    let ok = Finding("a", .ok, "fine")
    let warning = Finding("b", .warning, "so so", advice: "do this")
    let missing = Finding("c", .missing, "not there")
    #expect(DoctorCommand.result([ok], json: false).exitStatus == 0)
    #expect(DoctorCommand.result([ok, warning], json: false).exitStatus == 0)
    let result = DoctorCommand.result([ok, warning, missing], json: false)
    #expect(result.exitStatus == ExitStatus.unavailable)
    #expect(result.output.contains("so so; do this"))
    let json = try VerbFixture.object(DoctorCommand.result([warning, missing], json: true).output)
    #expect(json["missing"] as? Int == 1)
    #expect(json["warnings"] as? Int == 1)
  }

  @Test("the mount of a path is the one with the longest mount point, the last of several")
  func mounts() {
    let table = MountTable(
      text: """
        22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        30 22 0:5 / /home rw - nfs4 server:/home rw
        31 22 0:6 / /home/with\\040blank rw shared:2 master:1 - tmpfs tmpfs rw
        32 22 0:7 / /home rw - xfs /dev/sdb rw
        garbage
        """)
    #expect(table.mounts.count == 4)
    #expect(table.mount(of: "/homework/x")?.kind == "ext4")
    #expect(table.mount(of: "/home")?.kind == "xfs")
    #expect(table.mount(of: "/home/somebody")?.kind == "xfs")
    #expect(table.mount(of: "/home/with blank/x")?.kind == "tmpfs")
  }

  @Test(
    "a file system that forgets or is shared is worth a warning",
    arguments: [("ext4", "ok"), ("tmpfs", "warning"), ("nfs4", "warning"), ("9p", "warning")])
  func kinds(kind: String, state: String) {
    #expect(DoctorFiles.kind(.init(point: "/", kind: kind)).state.rawValue == state)
  }

  private static let localMounts = [
    ("lustre", "rw,noatime - lustre mgs@tcp:/scratch rw,localflock,lazystatfs", "with flock"),
    ("nfs4", "rw - nfs4 server:/home rw,vers=4.2,local_lock=all,addr=10.0.0.1", "local_lock=all"),
    ("nfs", "rw - nfs server:/home rw,vers=3,nolock,local_lock=all", "nolock"),
    ("nfs", "rw - nfs server:/home rw,vers=3,local_lock=posix", "local_lock=posix"),
    ("cifs", "rw - cifs //server/home rw,vers=3.1.1,nobrl", "nobrl"),
  ]

  @Test(
    "C6 a mount whose locks work on one machine alone is missing something, and submit refuses it",
    arguments: localMounts)
  func localLocks(kind: String, fields: String, advice: String) throws {
    let table = MountTable(text: "30 22 0:5 / /home \(fields)")
    let mount = try #require(table.mount(of: "/home/jobs"))
    #expect(mount.kind == kind)
    let finding = DoctorFiles.kind(mount)
    #expect(finding.state == .missing)
    #expect(finding.advice?.contains(advice) == true)
    expectError(.unavailable, saying: "or give --output on another shared file system", advice) {
      try SharedStorage.check("/home/jobs", of: "--output", on: mount)
    }
  }

  @Test(
    "C6 a shared mount whose locks reach other nodes is refused by nobody",
    arguments: [
      "rw - lustre mgs@tcp:/scratch rw,flock,lazystatfs",
      "rw - nfs4 server:/home rw,vers=4.2,local_lock=none",
      "rw shared:7 - nfs server:/home rw,vers=3,local_lock=flock",
      "rw,noatime - beegfs beegfs_nodev rw",
    ])
  func sharedLocks(fields: String) throws {
    let table = MountTable(text: "30 22 0:5 / /home \(fields)")
    let mount = try #require(table.mount(of: "/home/jobs"))
    #expect(DoctorFiles.kind(mount).state != .missing)
    #expect(try SharedStorage.check("/home/jobs", on: mount) == [])
  }

  @Test(
    "a hard stop takes one of the pending signals",
    arguments: [
      (nil, 5, "ok"), (100, 5, "ok"), (20, 10, "warning"), (10, 10, "missing"), (0, 0, "missing"),
    ] as [(Int?, Int, String)])
  func pendingSignals(limit: Int?, used: Int, state: String) {
    #expect(DoctorMachine.pendingSignals(limit: limit, used: used).state.rawValue == state)
  }

  @Test(
    "the kernel's version is read as numbers",
    arguments: [
      ("6.1.0-18-amd64", "ok"), ("5.6.0", "ok"), ("5.10.3", "ok"), ("5.5.19", "warning"),
      ("5.3.0", "warning"), ("4.19.0", "warning"), ("unknown", "warning"),
    ])
  func kernel(release: String, state: String) {
    let finding = DoctorMachine.kernel(release)
    #expect(finding.state.rawValue == state)
    #expect(finding.advice?.contains("need Linux 5.3") ?? false == (release == "4.19.0"))
  }

  @Test("the file system is tried out and left as it was")
  func files() throws {
    let fixture = VerbFixture()
    let findings = DoctorFiles(jobsPath: fixture.path + "/not/there/yet").findings()
    #expect(findings.filter { $0.state == .missing }.map(\.text) == [])
    #expect(findings.map(\.name).contains("locks"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path) == [])
  }

  @Test(
    "stint-images: absent, of another version, unable to start, built without libvips, as it should be"
  )
  func images() {
    func findings(_ path: String?, _ version: HelperVersion?) -> [Finding] {
      HelperProgram.images.findings(at: path) { _ in version }
    }
    let absent = findings(nil, nil)
    #expect(absent.map(\.state) == [.warning])
    #expect(absent[0].text == "not installed" && absent[0].advice?.contains("make install") == true)
    let broken = findings("/l/stint-images", nil)
    #expect(broken.map(\.state) == [.warning])
    #expect(broken[0].text == "/l/stint-images does not start")
    let older = findings("/l/stint-images", HelperVersion(version: "0.0.1", library: "8.14.1"))
    #expect(older.map(\.state) == [.warning, .ok])
    #expect(older[0].text == "0.0.1 at /l/stint-images")
    #expect(older[0].advice == "stint is \(StintProgram.version); install both again")
    let without = findings("/l/stint-images", HelperVersion(version: StintProgram.version))
    #expect(without.map(\.state) == [.ok, .warning])
    let whole = findings(
      "/l/stint-images", HelperVersion(version: StintProgram.version, library: "8.14.1"))
    #expect(whole.map(\.state) == [.ok, .ok])
    #expect(whole[1].text == "8.14.1")
  }

  @Test("the freezer is the one that exec would use, or signals are")
  func freezer() {
    #expect(DoctorMachine.freezer("/c/stint-1").text.contains("/c/stint-1 can be made and frozen"))
    #expect(DoctorMachine.freezer(nil).text.contains("by signals"))
    let freezer = CommandFreezer()
    freezer?.remove()
    let found = DoctorMachine.ofProcess([:]).first { $0.name == "freezer" }
    #expect(found == DoctorMachine.freezer(freezer?.path))
  }

  @Test("a place that cannot be written is missing something")
  func unwritable() {
    let findings = DoctorFiles(jobsPath: "/proc/stint").findings()
    #expect(findings.contains { $0.name == "writing" && $0.state == .missing })
  }
}

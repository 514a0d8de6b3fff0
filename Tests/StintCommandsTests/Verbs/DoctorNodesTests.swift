import Foundation
import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Locks between nodes")
struct DoctorNodesTests {
  /// A folder with the files of two probes.
  private static func prepare(_ fixture: VerbFixture) throws -> PosixFileSystem {
    let fileSystem = PosixFileSystem()
    let folder = try fileSystem.openDirectory(at: fixture.path)
    defer { fileSystem.close(folder) }
    try LockProbe.prepare(2, in: folder, of: fileSystem)
    return fileSystem
  }

  private static func probe(_ rank: Int, in path: String) -> LockProbe {
    LockProbe(path: path, rank: rank, count: 2, node: "n\(rank)")
  }

  @Test("two that share a folder see each other's locks")
  func both() throws {
    let fixture = VerbFixture()
    _ = try Self.prepare(fixture)
    let (path, reports) = (fixture.path, Protected<[LockProbe.Report]>([]))
    DispatchQueue.concurrentPerform(iterations: 2) { rank in
      let report = Self.probe(rank, in: path).run()
      reports.withLock { $0.append(report) }
    }
    let all = reports.withLock { $0 }
    #expect(all.allSatisfy { $0.met == 1 && $0.seen == 1 && $0.problem == nil }, "\(all)")
    #expect(SlurmNodes.finding(all, of: 2, in: fixture.path).state == .ok)
  }

  @Test("one that is alone, or whose neighbour's lock is not seen, says so when its time is over")
  func alone() throws {
    for neighbour in [0, 2] {
      // A folder for each: a process that another test starts may hold a lock a little longer.
      let fixture = VerbFixture()
      _ = try Self.prepare(fixture)
      // With two bytes the neighbour says that it sees everything; it holds no lock that counts.
      let file = URL(fileURLWithPath: fixture.path + "/lock-1")
      try Data(repeating: 1, count: neighbour).write(to: file)
      var probe = Self.probe(0, in: fixture.path)
      probe.patience = .milliseconds(20)
      #expect(probe.run() == LockProbe.Report(node: "n0", met: neighbour / 2))
    }
  }

  @Test("a folder that is not there, and a lock that somebody holds, are a problem")
  func problems() throws {
    let fixture = VerbFixture()
    #expect(Self.probe(0, in: fixture.path + "/gone").run().problem?.contains("gone") == true)
    let fileSystem = try Self.prepare(fixture)
    let folder = try fileSystem.openDirectory(at: fixture.path)
    defer { fileSystem.close(folder) }
    let held = try fileSystem.openFile("lock-0", in: folder, .update)
    defer { fileSystem.close(held) }
    #expect(try fileSystem.lock(held))
    #expect(Self.probe(0, in: fixture.path).run().problem?.contains("held by") == true)
  }

  private typealias Report = LockProbe.Report
  private static let good = Report(node: "n1", met: 1, seen: 1)

  @Test(
    "what the nodes report decides",
    arguments: [
      ([good, Report(node: "n2", met: 1, seen: 1)], "ok", "n1 and n2 see each other's"),
      ([good], "warning", "only n1 answered"),
      ([], "warning", "none answered"),
      ([good, good], "warning", "only n1 answered"),
      ([good, Report(node: "n2")], "missing", "n2 does not see what"),
      ([good, Report(node: "n2", met: 1)], "missing", "n2 does not see a lock"),
      ([good, Report(node: "n2", problem: "no room")], "missing", "on n2: no room"),
    ] as [([LockProbe.Report], String, String)])
  func finding(reports: [LockProbe.Report], state: String, text: String) {
    let found = SlurmNodes.finding(reports, of: 2, in: "/j")
    #expect(found.state.rawValue == state)
    #expect(found.text.contains(text), "\(found)")
    #expect((found.advice == nil) == (state == "ok"))
  }

  @Test("a report goes through its line; what is none is left out")
  func lines() {
    let report = Report(node: "n1", met: 1, seen: 0, problem: "a \"word\"")
    #expect(Report(line: report.line.split(separator: "\n")[0]) == report)
    #expect(Report(line: "{\"node\":\"n1\",\"met\":-,\"seen\":1}") == nil)
    #expect(Report(line: "n1 sees everything") == nil)
  }

  /// Asks with a command in place of `srun`.
  private static func tried(
    _ script: String, in fixture: VerbFixture, environment: [String: String] = [:],
    patience: Duration = .seconds(30)
  ) throws -> Finding {
    let srun = fixture.path + "/srun"
    try Data(script.utf8).write(to: URL(fileURLWithPath: srun))
    var nodes = SlurmNodes(
      slurm: Slurm(environment: environment), jobsPath: fixture.jobsPath, program: "/p/stint")
    // Not the script itself: what another test starts meanwhile may hold it open for writing.
    nodes.srun = ["/bin/sh", srun]
    nodes.patience = patience
    return nodes.tried(2)
  }

  @Test(
    "srun that hangs, fails, lies or is none is a finding, and nothing is left behind",
    arguments: [
      ("exec sleep 60", "not tried: .* gave no answer within 1s"),
      ("echo 'srun: error: no partition' >&2; exit 1", "status 1: srun: error: no partition"),
      ("echo hello; echo '{\"node\":\"n1\",\"met\":1}'", "of 2 nodes none answered"),
      ("kill -SEGV $$", "ended with status 139"),
      ("exec 0</none", "ended with status"),
    ])
  func srun(script: String, text: String) throws {
    let fixture = VerbFixture()
    let found = try Self.tried(
      script, in: fixture, patience: script.contains("sleep") ? .seconds(1) : .seconds(30))
    #expect(found.state == .warning)
    #expect(found.text.range(of: text, options: .regularExpression) != nil, "\(found)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path) == ["srun"])
  }

  @Test("srun is given the program, a folder with a file for each node, and limits of its own")
  func command() throws {
    let fixture = VerbFixture()
    let script = """
      echo "$@" >\(fixture.path)/words
      for word; do [ ! -d "$word" ] || ls "$word" >\(fixture.path)/files; done
      """
    _ = try Self.tried(script, in: fixture)
    let words = try String(contentsOfFile: fixture.path + "/words", encoding: .utf8)
    #expect(words.contains("--nodes=2 --ntasks=2 --ntasks-per-node=1 --time=1 --immediate=30"))
    #expect(words.contains(" /p/stint lock-probe \(fixture.path)/stint-doctor-"))
    #expect(words.hasSuffix("-nodes 2\n"))
    let files = try String(contentsOfFile: fixture.path + "/files", encoding: .utf8)
    #expect(files == "lock-0\nlock-1\n")
  }

  @Test("inside of an allocation nothing is asked for")
  func inside() throws {
    let fixture = VerbFixture()
    let found = try Self.tried(
      "touch \(fixture.path)/asked", in: fixture,
      environment: ["SLURM_JOB_ID": "17", "SLURMD_NODENAME": "n1"])
    #expect(found.text == "not tried inside of Slurm job 17 on n1")
    #expect(!FileManager.default.fileExists(atPath: fixture.path + "/asked"))
  }

  @Test("what lies in the memory of a machine is not shared")
  func inMemory() {
    var nodes = SlurmNodes(
      slurm: Slurm(environment: [:]), jobsPath: "/dev/shm/jobs", program: "stint")
    nodes.srun = ["/none"]
    #expect(nodes.untried().state == .warning)
    #expect(nodes.untried().text.contains("/dev/shm"))
  }
}

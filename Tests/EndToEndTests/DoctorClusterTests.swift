import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Commands of a Slurm that is played by scripts in `PATH`.
  @Suite("What stint doctor finds of a cluster")
  struct DoctorClusterTests {
    private struct Answer: Decodable {
      struct Finding: Decodable {
        var name: String
        var state: String
        var text: String
        var advice: String?
      }
      var findings: [Finding]

      func callAsFunction(_ name: String) -> Finding? { findings.first { $0.name == name } }
    }

    private static func put(_ script: String, as name: String, in scratch: Scratch) throws {
      try scratch.makeFolder("bin")
      try scratch.write("#!/bin/bash\n\(script)\n", to: "bin/\(name)")
      chmod(scratch("bin/\(name)"), 0o755)
    }

    /// Runs the doctor where nothing but these scripts is in `PATH`.
    private static func ask(
      _ words: [String] = [], in scratch: Scratch, environment: [String: String] = [:]
    ) async throws -> Answer {
      let run = try await StintProcess(
        [Programs.stint(), "doctor", "--json"] + words, in: scratch,
        environment: environment.merging(["PATH": scratch("bin")]) { $1 }
      ).wait()
      #expect(run.end == .exited(0) || run.end == .exited(69), "\(run.errors)")
      return try JSONDecoder().decode(Answer.self, from: run.output)
    }

    private static let cluster = """
      [[ "$TZ$*" = "UTCshow config" ]] || exit 1
      printf 'Configuration data as of %(%Y-%m-%dT%H:%M:%S)T\\n' -1
      echo 'ClusterName = north'
      echo 'KillWait = 30 sec'
      echo 'ProctrackType = proctrack/cgroup'
      echo 'SlurmdTimeout = 300 sec'
      echo 'SLURM_VERSION = 22.05.8'
      """

    @Test("without Slurm on the machine there is no line of it")
    func none() async throws {
      let found = try await Self.ask(in: Scratch())
      #expect(found.findings.count > 10)
      for name in ["slurm", "KillWait", "locks between nodes"] { #expect(found(name) == nil) }
    }

    @Test("a cluster that answers is judged, and locks are not tried unasked")
    func answers() async throws {
      let scratch = try Scratch()
      try Self.put(Self.cluster, as: "scontrol", in: scratch)
      let found = try await Self.ask(in: scratch, environment: ["TZ": "Asia/Tokyo"])
      #expect(found("slurm")?.text == "22.05.8, cluster north")
      #expect(found("controller's clock")?.state == "ok", "\(String(describing: found))")
      #expect(found("batch_sched_delay")?.advice?.contains("SchedulerParameters") == true)
      let locks = found("locks between nodes")
      // Jobs in the memory of this machine are known to be not shared.
      if locks?.state == "ok" {
        #expect(locks?.text == "not tried")
        #expect(locks?.advice?.contains("stint doctor --nodes 2") == true)
      }
    }

    @Test(
      "commands that hang, fail or lie are one finding, and the rest is looked at",
      arguments: [
        ("while :; do read -t 1 <> <(:); done", "no answer within 10s"),
        ("echo 'error: no controller' >&2; exit 1", "status 1: error: no controller"),
        ("kill -KILL $$", "status 137"),
        ("echo hello", "says \"hello"),
        ("while echo nonsense; do :; done", ""),
      ])
    func troubled(script: String, text: String) async throws {
      let scratch = try Scratch()
      try Self.put(script, as: "scontrol", in: scratch)
      let found = try await Self.ask(in: scratch)
      #expect(found("slurm")?.state == "warning")
      #expect(text.isEmpty || found("slurm")?.text.contains(text) == true)
      #expect(found("KillWait") == nil && found("locks between nodes") != nil)
    }

    @Test("commands that are missing inside of an allocation, or where nodes are asked for")
    func missing() async throws {
      let scratch = try Scratch()
      let inside = try await Self.ask(in: scratch, environment: ["SLURM_JOB_ID": "17"])
      #expect(inside("slurm")?.text.hasSuffix("inside of Slurm job 17") == true)
      let asked = try await Self.ask(["--nodes", "2"], in: scratch)
      #expect(asked("locks between nodes")?.text.contains("srun cannot be started") == true)
    }

    @Test("two programs on what srun calls two nodes see each other's locks")
    func nodes() async throws {
      let scratch = try Scratch()
      try Self.put(Self.cluster, as: "scontrol", in: scratch)
      let srun = """
        PATH=/usr/bin:/bin
        while [[ $1 = --* ]]; do shift; done
        for rank in 0 1; do
          SLURM_PROCID=$rank "$@" | sed "s/\\"node\\":\\"[^\\"]*/\\"node\\":\\"n$rank/" &
        done
        wait
        """
      try Self.put(srun, as: "srun", in: scratch)
      let found = try await Self.ask(["--nodes", "2"], in: scratch)
      let locks = found("locks between nodes")
      #expect(locks?.state == "ok", "\(String(describing: locks))")
      #expect(locks?.text.hasPrefix("n0 and n1 see each other's locks in") == true)
      #expect(!scratch.names(in: ".").contains { $0.hasPrefix("stint-doctor") })
    }

    @Test("a number of nodes that cannot be tried is refused, and the probe is not for people")
    func refused() async throws {
      let scratch = try Scratch()
      #expect(try await scratch.stint("doctor", "--nodes", "1").end == .exited(64))
      #expect(try await scratch.stint("lock-probe", ".", "2").end == .exited(64))
      #expect(try await !scratch.stint("help").text.contains("lock-probe"))
    }
  }
}

import Foundation
import Testing

@testable import stint_bench

extension BriefBenchmarks {
  /// Real processes in budgets of some hundred milliseconds; what is asserted holds on any machine,
  /// however busy.
  @Suite("stint-bench on the real clock")
  struct RealScenarioTests {
    struct Report: Decodable {
      struct Scenario: Decodable {
        var name: String
        var trips: Int
        var grantedSeconds: Double
        var strategies: [Strategy]
      }

      struct Strategy: Decodable {
        struct Share: Decodable { var mean: Double }
        struct Overruns: Decodable {
          var count: Int
          var trips: Int
        }
        struct Finding: Decodable {
          var fault: String
          var sentence: String
        }
        struct Trip: Decodable {
          var end: String
          var endSeconds: Double
          var deadlineSeconds: Double
          var lostSeconds: Double
          var standstills: [Standstill]
        }
        struct Standstill: Decodable {
          var beginSeconds: Double
          var endSeconds: Double
        }

        var name: String
        var savedShare: Share
        var checkpoints: Int
        var tripsToFinish: Share?
        var falseClaims: Int
        var overruns: Overruns
        var findings: [Finding]
        var life: [Trip]
      }

      var format: String
      var mode: String
      var scenarios: [Scenario]
    }

    private static func report(_ arguments: [String], status: Int32? = 0) throws -> Report {
      let scratch = try Scratch()
      let run = try BenchTests.run(arguments + ["--json", scratch("report.json")])
      if let status { #expect(run.status == status, "\(run.errors)\n\(run.output)") }
      return try JSONDecoder().decode(Report.self, from: scratch.bytes("report.json"))
    }

    @Test("Stint's worker saves to the disk what is read there afterwards, and says nothing false")
    func stint() throws {
      let report = try Self.report(
        ["run", "fixed-5s", "--real", "--grants", "3", "--scale", "0.1"])
      #expect(report.mode == "real")
      let worker = try #require(report.scenarios.first?.strategies.first)
      #expect(worker.name == "stint")
      #expect(worker.falseClaims == 0)
      #expect(worker.overruns.trips == 3)
      #expect((0...1).contains(worker.savedShare.mean))
      #expect(!worker.findings.contains { $0.fault.hasPrefix("lying") })
      #expect(worker.life.count == 3)
    }

    @Test("the rules of the literature work as processes too, and what they say is on the disk")
    func rules() throws {
      let names = ["untilKilled", "every", "eightyPercent", "signal", "stint"]
      let report = try Self.report([
        "run", "fixed-5s", "--real", "--grants", "2", "--scale", "0.1", "--strategy",
        names.joined(separator: ","),
      ])
      let workers = try #require(report.scenarios.first?.strategies)
      #expect(workers.map(\.name) == names)
      for worker in workers {
        #expect(worker.life.count == 2)
        #expect(worker.falseClaims == 0)
        #expect((0...1).contains(worker.savedShare.mean))
        #expect(!worker.findings.contains { $0.fault.hasPrefix("lying") }, "\(worker.findings)")
      }
      // Who never saves has nothing on the disk and is there until it is killed.
      let killed = workers[0]
      #expect(killed.savedShare.mean == 0)
      #expect(killed.checkpoints == 0)
      #expect(killed.overruns.count == 2)
      #expect(killed.life.allSatisfy { $0.end == "killed" && $0.endSeconds >= $0.deadlineSeconds })
      #expect(workers[1].overruns.count == 2)
    }

    @Test("who is asked to end with no word of it before saves first, and goes then")
    func unannounced() throws {
      let scratch = try Scratch()
      let scenario = """
        {"format": "stint-scenario/1", "name": "asked", "title": "Asked to end",
         "trace": {"grant": {"kind": "constant", "seconds": 1.5}, "isAnnounced": false,
           "leadSeconds": 1},
         "workload": {"chunk": {"kind": "constant", "seconds": 0.02},
           "checkpoint": {"kind": "constant", "seconds": 0.005}}}
        """
      try scratch.write(scenario, to: "asked.json")
      let report = try Self.report([
        "run", scratch("asked.json"), "--real", "--grants", "2", "--strategy", "signal",
      ])
      for worker in try #require(report.scenarios.first?.strategies) {
        #expect(worker.life.count == 2)
        // One that a busy machine kept from it was killed; who went by himself has left nothing
        // behind.
        for trip in worker.life where trip.end == "inOrder" {
          #expect(trip.lostSeconds == 0, "\(worker.name)")
        }
      }
    }

    @Test("where the end is enforced late, who does not go lives so long, and saves nothing more")
    func enforcedLate() throws {
      let scratch = try Scratch()
      let scenario = """
        {"format": "stint-scenario/1", "name": "late", "title": "Late end",
         "trace": {"grant": {"kind": "constant", "seconds": 1}, "leadSeconds": 0.3,
           "enforcedLateSeconds": {"kind": "constant", "seconds": 1}},
         "workload": {"chunk": {"kind": "constant", "seconds": 0.02},
           "checkpoint": {"kind": "constant", "seconds": 0.005}}}
        """
      try scratch.write(scenario, to: "late.json")
      let report = try Self.report([
        "run", scratch("late.json"), "--real", "--grants", "2", "--strategy",
        "untilKilled,every,stint",
      ])
      let workers = try #require(report.scenarios.first?.strategies)
      for worker in workers.prefix(2) {
        #expect(worker.overruns.count == 2)
        for trip in worker.life {
          #expect(trip.end == "killed")
          #expect(trip.deadlineSeconds == 1)
          #expect(trip.endSeconds >= 2)
        }
        // What it saves after its deadline does not count.
        #expect((0...1).contains(worker.savedShare.mean))
      }
      let worker = try #require(workers.last)
      #expect(worker.life.count == 2)
      #expect(worker.falseClaims == 0)
    }

    @Test("processes are stopped where the machine of a scenario is, and the deadline stands")
    func standstill() throws {
      let report = try Self.report([
        "run", "standstill", "--real", "--grants", "4", "--scale", "0.01", "--strategy",
        "untilKilled",
      ])
      let worker = try #require(report.scenarios.first?.strategies.first)
      let stopped = worker.life.filter { !$0.standstills.isEmpty }
      try #require(!stopped.isEmpty)
      for trip in worker.life {
        #expect(trip.end == "killed" || trip.end == "gone")
        #expect(trip.endSeconds >= trip.deadlineSeconds)
        for stop in trip.standstills { #expect(stop.endSeconds > stop.beginSeconds) }
      }
    }

    @Test("a job that is finished long before its budget is over is judged by what it used")
    func finished() throws {
      let report = try Self.report([
        "run", "slurm", "--real", "--grants", "3", "--scale", "0.2", "--work",
        "fibonacci:2000000",
      ])
      let scenario = try #require(report.scenarios.first)
      let worker = try #require(scenario.strategies.first)
      #expect(worker.tripsToFinish?.mean == 1)
      #expect(worker.life.count == 1)
      #expect(scenario.grantedSeconds < 60)
      #expect(worker.savedShare.mean > 0)
      let used = try #require(worker.life.first).endSeconds
      #expect(abs(scenario.grantedSeconds - used) < 1e-6)
    }

    @Test(
      "planted workers are found out as processes; whoever is killed was there until its deadline")
    func planted() throws {
      // A machine that is too busy for a worker of half a second may hide a fault; what is found
      // has to be right.
      let report = try Self.report(["selfcheck", "--real", "--trips", "1"], status: nil)
      let workers = try #require(report.scenarios.first?.strategies)
      #expect(
        workers.map(\.name) == [
          "honest", "stint", "earlyReturn", "leakedTask", "ignoredWarning", "lyingCheckpoint",
          "lyingProgress",
        ])
      let ignoring = try #require(workers.first { $0.name == "ignoredWarning" })
      #expect(ignoring.findings.contains { $0.fault == "ignoredWarning" })
      let leaking = try #require(workers.first { $0.name == "leakedTask" })
      for worker in [ignoring, leaking] {
        #expect(worker.overruns.count == 1)
        for trip in worker.life {
          #expect(trip.end == "killed")
          #expect(trip.endSeconds >= trip.deadlineSeconds)
        }
      }
      let liar = try #require(workers.first { $0.name == "lyingCheckpoint" })
      if liar.checkpoints > 0 {
        #expect(liar.findings.contains { $0.fault == "lyingCheckpoint" })
        #expect(liar.savedShare.mean == 0)
      }
      for name in ["honest", "stint"] {
        let worker = try #require(workers.first { $0.name == name })
        #expect(!worker.findings.contains { $0.fault.hasPrefix("lying") }, "\(worker.findings)")
      }
    }

    @Test("a command that does not heed its warning is named, one that ends at it is not")
    func command() throws {
      func faults(_ command: String) throws -> [String] {
        let report = try Self.report(
          [
            "run", "fixed-5s", "--real", "--grants", "1", "--scale", "0.08", "--command", command,
          ])
        return try #require(report.scenarios.first?.strategies.first).findings.map(\.fault)
      }
      #expect(try faults("sleep 60") == [])
      #expect(try faults("timeout {budget} sleep 60") == [])
      #expect(try faults("env --ignore-signal=TERM sleep 60") == ["ignoredWarning"])
    }

    @Test(
      "commands stand beside Stint and the rules, each with a folder of its own over its budgets")
    func commands() throws {
      // A millisecond of work more in each budget.
      let adds = """
        sh -c 'n=$(cat $0/n 2>/dev/null || echo 0); echo $((n + 1)) > $0/n; \
        echo "{\\"workTimeSeconds\\": 0.00$((n + 1))}" > $0/checkpoint.json; exit 75' {folder}
        """
      let report = try Self.report([
        "run", "fixed-5s", "--real", "--grants", "3", "--scale", "0.08", "--strategy", "signal",
        "--command", "one=\(adds)", "--command", "two=\(adds)", "--command", "sleep 60",
      ])
      let workers = try #require(report.scenarios.first?.strategies)
      #expect(workers.map(\.name) == ["signal", "one", "two", "sleep"])
      for worker in workers[1...2] {
        // Three of them of three times 0.4 s.
        #expect(abs(worker.savedShare.mean - 0.0025) < 1e-9)
        #expect(worker.findings.isEmpty, "\(worker.findings)")
        #expect(worker.overruns.count == 0)
      }
      #expect(workers[3].savedShare.mean == 0)
    }

    @Test(
      "what goes with --real only, and what takes too long, is refused before anything runs",
      arguments: [
        ["run", "fixed-5s", "--grants", "3"], ["run", "--real"],
        ["run", "slurm", "--real"], ["run", "fixed-5s", "--strategy", "p99"],
        ["run", "fixed-5s", "--real", "--strategy", "oracle"],
        ["run", "fixed-5s", "--real", "--strategy", "p98"],
        ["run", "fixed-5s", "--real", "--strategy", "p99,p99"],
        ["run", "fixed-5s", "--real", "--strategy", "p99", "--work", "fibonacci:10"],
        ["run", "fixed-5s", "--real", "--check", "--strategy", "p99"],
        ["run", "fixed-5s", "--real", "--check", "--command", "true"],
        ["run", "fixed-5s", "--real", "--scale", "0"],
        ["run", "fixed-5s", "--real", "--work", "nothing"],
        ["run", "fixed-5s", "--real", "--command", "sleep 'one"],
        ["run", "fixed-5s", "--real", "--command", " "],
        ["run", "fixed-5s", "--real", "--command", "mine="],
        ["run", "fixed-5s", "--real", "--command", "a=true", "--command", "a=false"],
        ["run", "fixed-5s", "--real", "--command", "sleep 1", "--command", "sleep 2"],
        ["run", "fixed-5s", "--real", "--strategy", "stint", "--command", "stint=true"],
        ["run", "fixed-5s", "--real", "--command", "true", "--work", "fibonacci:10"],
        ["run", "fixed-5s", "--real", "--checkpoint-file", "state"],
      ])
    func usage(arguments: [String]) throws {
      let run = try BenchTests.run(arguments)
      #expect(run.status == 64)
      #expect(run.errors.contains("stint-bench: "))
    }
  }
}

import Foundation
import Glibc
import Stint
import StintCore
import Testing

extension EndToEnd {
  @Suite("Time that another process grants")
  struct ProtocolTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let run = [
      "run", "fibonacci", "\(UnfinishedJob.n)", "--output", "f", "--checkpoint-every", "50ms",
    ]

    @Test("A3 W4 W8 a run without a budget takes its time from the supervisor, saves and goes on")
    func stints() async throws {
      let stints = try await GrantingSupervisor.runUntilDone(
        [
          Programs.stint(), "run", "fibonacci", "\(StintsTests.n)", "--output", "f",
          "--checkpoint-every", "50ms",
        ], in: scratch, budget: .milliseconds(900))
      let (runs, last) = (stints.runs, try #require(stints.last))
      #expect(last.end == .exited(0), "\(last.errors)")
      #expect(runs > 1, "it was cut")
      #expect(stints.spoken > 0)
      #expect(stints.needlessWarnings == 0, "it was told over the socket and by no signal")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: StintsTests.n))
      // A busy machine may take a run's time before its first stint.
      let journal = scratch.journal
      let cuts = journal.ends("expired") + journal.ends("didNotFit")
      #expect(cuts >= 1 && cuts >= journal.all("stintBegan").count - 1)
    }

    @Test("W11 a stop of the supervisor's reaches the run, which saves in its grace")
    func stop() async throws {
      let supervisor = try GrantingSupervisor(budget: nil)
      let process = try supervisor.start([Programs.stint()] + Self.run, in: scratch)
      try await process.wait(until: "a checkpoint") { scratch.journal.newestCheckpoint >= 1 }
      #expect(supervisor.driver.openTasks.map(\.name).contains("run"))
      supervisor.driver.requestStop(reason: .stopRequested, grace: .seconds(5))
      try await process.wait().expectExit(75, saying: "a stop was requested")
    }

    @Test("A18 a supervisor that vanishes takes its time back: the run saves and ends")
    func vanished() async throws {
      let supervisor = try GrantingSupervisor(budget: nil)
      // Too much to be done within the lead.
      let process = try supervisor.start(
        [
          Programs.stint(), "run", "fibonacci", "2000000000", "--output", "f",
          "--checkpoint-every", "50ms",
        ], in: scratch)
      try await process.wait(until: "a checkpoint") { scratch.journal.newestCheckpoint >= 1 }
      supervisor.server?.childEnded()
      let run = try await process.wait().expectExit(75, saying: "has gone")
      #expect(run.took < .seconds(9), "a lead, and no more")
      #expect(scratch.journal.all("stintEnded").count == 1)
    }

    @Test("R9 the descriptor is the run's alone: its own children do not inherit it")
    func closedOnExec() async throws {
      let supervisor = try GrantingSupervisor(budget: nil)
      let process = try supervisor.start([Programs.stint()] + Self.run, in: scratch)
      try await process.wait(until: "hello") { supervisor.server?.phase == .speaking }
      let information = try String(contentsOfFile: "/proc/\(process.pid)/fdinfo/9", encoding: .utf8)
      let flags = information.split(separator: "\n").first { $0.hasPrefix("flags:") }
      let value = flags.flatMap { Int($0.dropFirst(6).filter(\.isNumber), radix: 8) }
      #expect((value ?? 0) & Int(O_CLOEXEC) != 0, "\(information)")
      process.send(SIGTERM)
      #expect(try await process.wait().end == .exited(75))
    }

    @Test("R9 a grandchild that inherited the offer leaves it alone")
    func grandchild() async throws {
      let supervisor = try GrantingSupervisor(budget: nil)
      let process = try supervisor.start(
        ["/bin/sh", "-c", "\"$STINT\" run fibonacci 10; echo"], in: scratch)
      let run = try await process.wait()
      #expect(run.text.hasPrefix("55"))
      #expect(supervisor.server?.phase != .speaking)
    }

    @Test("a run with a budget of its own is its own system, and is warned by a signal")
    func ownBudget() async throws {
      let supervisor = try GrantingSupervisor(budget: .seconds(2), lead: .milliseconds(1_500))
      let process = try supervisor.start(
        [Programs.stint()] + Self.run + ["--budget", "60s"], in: scratch)
      let run = try await process.wait()
      #expect(supervisor.warnings == 1 || run.end == .exited(0))
      #expect(run.end == .exited(75) || run.end == .exited(0), "\(run.errors)")
    }
  }

  @Suite("Clients in Python")
  struct PythonClientTests {
    private static let folder = Programs.root + "/Examples/python-client/"

    @Test(
      "a client of twenty lines is granted, warned, saves and resumes",
      arguments: [("socket_client.py", true), ("environment_client.py", false)])
    func client(name: String, speaks: Bool) async throws {
      let scratch = try Scratch()
      let limit = 500_000
      let stints = try await GrantingSupervisor.runUntilDone(
        ["/usr/bin/env", "python3", Self.folder + name, "state.json", "\(limit)"], in: scratch,
        budget: .milliseconds(700), lead: .milliseconds(300))
      let last = try #require(stints.last)
      #expect(last.end == .exited(0), "\(last.errors)")
      #expect(last.text == "41538\n", "the primes below half a million")
      #expect(stints.runs > 1)
      #expect(stints.needlessWarnings == 0)
      #expect(speaks ? stints.spoken > 0 : stints.warnings > 0)
    }

    @Test(
      "stint exec grants a client its time, stint after stint",
      arguments: ["socket_client.py", "environment_client.py"])
    func exec(name: String) async throws {
      let scratch = try Scratch()
      let run = try await scratch.start([
        "exec", "--budget", "700ms", "--lead", "300ms", "--until-done", "--rest", "10ms", "--",
        "python3", Self.folder + name, "state.json", "250000",
      ]).wait(atMost: .seconds(60)).expectExit(0)
      #expect(run.text == "22044\n")
    }
  }
}

extension ByTheClock {
  /// A budget below a second for two programs, of which none may be killed.
  @Suite("A run under stint exec")
  struct RunUnderExecTests {
    @Test("A3 W8 a run under stint exec takes its time from there")
    func runUnderExec() async throws {
      let scratch = try Scratch(inMemory: true)
      try await scratch.shell(
        """
        budget=900
        until "$STINT" exec --budget ${budget}ms -- "$STINT" run fibonacci \(Yardstick.long) --output f --checkpoint-every 50ms
        do case $? in 75) ;; 69) budget=$((budget + 300)) ;; *) exit 9 ;; esac; done
        """, atMost: .seconds(90)
      ).expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Yardstick.long))
      let journal = scratch.journal
      #expect(journal.all("stintEnded").count == journal.all("stintBegan").count, "none was killed")
      #expect(journal.all("stintBegan").count > 1)
    }
  }
}

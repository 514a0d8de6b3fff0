import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Chains whose engine is the queue of this machine.
  @Suite("Chains in the queue of this machine")
  struct QueueChainTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func submit(_ words: String) async throws -> FinishedProcess {
      try await scratch.shell("\"$STINT\" submit --engine local " + words)
    }

    private func status(_ name: String) async throws -> [String: Any] {
      try await scratch.stint("status", name, "--json").object
    }

    private func chain(_ name: String) async throws -> [String: Any] {
      try #require(try await status(name)["chain"] as? [String: Any])
    }

    /// Submits ten chains, each after the one before.
    private func submitTen() async throws {
      for number in 1...10 {
        let before = number == 1 ? "" : "--after-job n\(number - 1)"
        try await submit(
          "-q --name n\(number) \(before) -- run fibonacci \(1_000 + number) -o f\(number)"
        ).requireExit(0)
      }
    }

    private func expectTen() async throws {
      var ends: [Double] = []
      for number in 1...10 {
        #expect(scratch.exists("f\(number)"))
        let status = try await status("n\(number)")
        #expect((status["chain"] as? [String: Any])?["ending"] as? String == "finished")
        ends.append(status["lastActivityUnixSeconds"] as? Double ?? 0)
      }
      #expect(ends == ends.sorted())
    }

    @Test("Q6 ten requests, each after the one before, run through wake")
    func tenByWake() async throws {
      try await submitTen()
      #expect(try await chain("n2")["reason"] as? String == "1 is not finished")
      try await scratch.stint("wake").expectExit(0)
      try await expectTen()
    }

    @Test("Q6 ten requests, each after the one before, run through serve")
    func tenByServe() async throws {
      let serve = try scratch.start(["serve", "-j", "3"])
      try await submitTen()
      try await serve.wait(until: "the last result", atMost: .seconds(60)) {
        scratch.exists("f10")
      }
      #expect(try await scratch.stint("watch", "n10").end == .exited(0))
      serve.send(SIGTERM)
      #expect(try await serve.wait().end == .exited(0))
      try await expectTen()
    }

    @Test("E3 Q6 a chain goes through wakes with a budget, as a line for cron begins them")
    func wakes() async throws {
      try await submit("--then \"-- sh -c 'echo then >then'\" -- run fibonacci 600000000 -o f")
        .expectExit(0)
      var statuses: [ProcessEnd] = []
      while !scratch.exists("f"), statuses.count < 60 {
        statuses.append(try await scratch.stint("wake", "--budget", "3s").end)
      }
      #expect(scratch.exists("f"))
      #expect(
        statuses.count > 1 && statuses.dropLast().allSatisfy { $0 == .exited(75) }, "\(statuses)")
      let slices = try await status("1")["sliceHistory"] as? [[String: Any]] ?? []
      #expect(slices.count >= 2)
      #expect(slices.first?["engine"] as? String == "local")
      #expect(slices.first?["engineJob"] as? String == "1_1")
      try await scratch.stint("wake").expectExit(0)
      #expect(scratch.text("then") == "then\n")
      try await scratch.stint("verify", "f").expectExit(0)
    }

    @Test("E8 Q6 an array of chains and the shards of a batch run in the queue")
    func many() async throws {
      try scratch.write(
        "run fibonacci 1000 -o a1\nrun fibonacci 1001 -o a2\nexec -- sh -c 'echo x >a3'\n",
        to: "lines")
      try await submit("--array lines --at-once 2").expectExit(0)
      try scratch.write(
        (1...4).map { "exec -- sh -c 'echo \($0) >>b\($0)'\n" }.joined(), to: "batch")
      try await submit("--shards 2 -- batch batch").expectExit(0)
      try await scratch.stint("wake", "-j", "2").expectExit(0)
      for name in ["a1", "a2", "a3"] { #expect(scratch.exists(name)) }
      for number in 1...4 { #expect(scratch.text("b\(number)") == "\(number)\n") }
      let list = try await scratch.stint("list").text
      #expect(list.contains("3 of 3 chains finished") && list.contains("4 of 4 done"))
    }

    @Test("Q6 a chain is stopped while it runs, saves, and goes on when it is submitted again")
    func stopped() async throws {
      try scratch.write(
        """
        trap "echo saved >>saves; exit 75" TERM
        echo on >>begins
        [ -e finish ] || while :; do sleep 0.05; done
        """, to: "work.sh")
      let serve = try scratch.start(["serve"])
      try await submit("-- exec --resumable -- sh work.sh").expectExit(0)
      try await serve.wait(until: "the work") { scratch.text("begins") == "on\n" }
      try await scratch.stint("stop", "1").expectExit(0)
      let watch = try await scratch.stint("watch", "1")
      #expect(try await chain("1")["ending"] as? String == "stopped", "\(watch.text)")
      #expect(scratch.text("saves") == "saved\n")
      try await submit("-- exec --resumable -- sh work.sh").expectExit(0)
      try await serve.wait(until: "the work again") { scratch.text("begins") == "on\non\n" }
      // The process stands still, as on Slurm.
      try await scratch.stint("pause", "2").expectExit(0)
      let work = try #require(try await chain("2")["work"] as? String)
      #expect(try await status(work)["state"] as? String == "paused")
      try await scratch.stint("resume", "2").expectExit(0)
      // Whoever serves the queue is told to end: the slice saves, and another one follows.
      serve.send(SIGTERM)
      #expect(try await serve.wait().end == .exited(75))
      #expect(scratch.text("saves") == "saved\nsaved\n")
      #expect(try await chain("2")["state"] as? String == "active")
      // While no slice runs, none begins.
      try await scratch.stint("pause", work).expectExit(0)
      try await scratch.stint("wake").expectExit(0)
      #expect(scratch.text("begins") == "on\non\n")
      try scratch.write("", to: "finish")
      try await scratch.stint("resume", work).expectExit(0)
      try await scratch.stint("wake").expectExit(0)
      #expect(try await chain("2")["ending"] as? String == "finished")
    }

    @Test("E9 lines of --setup run before each slice, and hold the chain where they fail")
    func setup() async throws {
      try scratch.write("export A=1\n", to: "good")
      try scratch.write("set -e\ntest -e mended\n", to: "bad")
      try await submit("--setup good -- exec -- sh -c 'echo $A >a'").expectExit(0)
      try await submit("--setup bad -- exec -- sh -c 'echo b >b'").expectExit(0)
      try await scratch.stint("wake").expectExit(0)
      #expect(scratch.text("a") == "1\n" && !scratch.exists("b"))
      #expect(
        try await chain("2")["comment"] as? String == "the lines of --setup ended with status 1")
      let key = try #require(try await status("2")["job"] as? String)
      try scratch.write("", to: "jobs/\(key)/mended")
      try await scratch.stint("resume", "2").expectExit(0)
      try await scratch.stint("wake").expectExit(0)
      #expect(scratch.text("b") == "b\n")
    }

    @Test("E9 a folder of the work that is not there holds the chain until it is back")
    func folder() async throws {
      try await scratch.shell(
        """
        mkdir sub && cd sub
        "$STINT" submit --engine local -- exec -- sh -c 'echo x >x' && mv ../sub ../away
        """
      ).expectExit(0)
      try await scratch.stint("wake").expectExit(0)
      let held = try await chain("1")
      #expect(held["held"] as? Bool == true && held["slice"] as? Int == 0)
      #expect((held["comment"] as? String)?.contains("cannot be entered") == true)
      try await scratch.shell("mv away sub && \"$STINT\" resume 1 && \"$STINT\" wake").expectExit(0)
      #expect(scratch.text("sub/x") == "x\n")
    }

    @Test("E3 with --again as many slices follow in another request, when all are used")
    func again() async throws {
      try await submit(
        "--links 1 --again --time 1s -- exec --resumable -- sh -c 'echo x >>runs; "
          + "[ $(wc -l <runs) -ge 3 ] && exit 0; exit 75'"
      ).expectExit(0)
      let serve = try scratch.start(["serve"])
      try await serve.wait(until: "three slices", atMost: .seconds(30)) {
        scratch.text("runs").count >= 6
      }
      #expect(try await scratch.stint("watch", "1").end == .exited(0))
      serve.send(SIGTERM)
      _ = try await serve.wait()
      #expect(scratch.text("runs") == "x\nx\nx\n")
      #expect(try await chain("1")["array"] as? String == "3")
      #expect(try await chain("1")["ending"] as? String == "finished")
    }
  }
}

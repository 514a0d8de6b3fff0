import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Commands in the queue of this machine, whoever serves it.
  @Suite("Commands in the queue of this machine")
  struct QueueCommandTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func submit(_ words: String) async throws -> FinishedProcess {
      try await scratch.shell("\"$STINT\" submit --engine local " + words)
    }

    private func status(_ name: String) async throws -> [String: Any] {
      try await scratch.stint("status", name, "--json").object
    }

    private func state(_ name: String) async throws -> String? {
      try await status(name)["state"] as? String
    }

    /// Waits until a request stands so.
    private func wait(for state: String, of name: String) async throws {
      for _ in 0..<200 {
        if try await self.state(name) == state { return }
        try await Task.sleep(for: .milliseconds(50))
      }
      throw TimedOut(what: "request \(name) to be \(state)")
    }

    @Test("Q6 where there is no sbatch the queue has it, and says what has to run")
    func noSlurm() async throws {
      let told = try await scratch.shell(
        "PATH=/nowhere \"$STINT\" submit -- /bin/sh -c 'pwd; umask'"
      )
      .expectExit(0, saying: "There is no sbatch here", "stint wake")
      #expect(told.text.hasPrefix("Submitted request 1: sh -c"))
      #expect(
        try await status("1")["why"] as? String
          == "It waits: nobody serves the queue; stint wake or stint serve begins it.")
      try await scratch.stint("wake").expectExit(0)
      #expect(try await state("1") == "done")
      #expect(try await scratch.stint("log", "1").text == "\(scratch.path)\n0022\n")
      try await scratch.stint("clean").expectExit(0)
      #expect(scratch.names(in: "jobs/requests").filter { Int($0) != nil } == [])
    }

    @Test("Q6 Q7 priority, what comes before, conditions and variables decide what begins")
    func order() async throws {
      try await submit("--name a -- sh -c 'echo a >>order'").expectExit(0)
      try await submit("--name b --priority 5 -- sh -c 'echo b >>order'").expectExit(0)
      try await submit("--name c --after-job d -- sh -c 'echo c >>order'").expectExit(64)
      try await submit("--name d --after-job a --priority 9 -- sh -c 'echo d >>order'")
        .expectExit(0)
      try await submit("--name e --after 1d -- true").expectExit(0)
      try await submit("--name f --env STINT_TEST_MISSING -- true").expectExit(0)
      try await submit("--name g --needs memory=900T -- true").expectExit(0)
      #expect(try await status("d")["why"] as? String == "It waits: 1 is not finished.")
      try await scratch.stint("wake").expectExit(0)
      #expect(scratch.text("order") == "b\na\nd\n")
      for name in ["e", "f", "g"] { #expect(try await state(name) == "waiting") }
      #expect((try await status("e")["why"] as? String)?.contains("its time comes in") == true)
      #expect((try await status("g")["why"] as? String)?.contains("memory") == true)
      let list = try await scratch.stint("list", "--state", "waiting").text
      #expect(list.contains("e: true") && !list.contains("a: sh"))
      // A variable that is there, and whose value is then.
      try await scratch.shell("STINT_TEST_MISSING=1 \"$STINT\" wake").expectExit(0)
      #expect(try await state("f") == "done")
    }

    @Test("Q6 a repetition runs again and again until it is stopped")
    func every() async throws {
      try await submit("--every 1s --name tick -- sh -c 'echo x >>ticks'").expectExit(0)
      let serve = try scratch.start(["serve"])
      try await serve.wait(until: "three runs", atMost: .seconds(30)) {
        scratch.text("ticks").count >= 6
      }
      #expect(try await status("tick")["everySeconds"] as? Double == 1)
      try await scratch.stint("stop", "tick").expectExit(0)
      try await wait(for: "stopped", of: "tick")
      let count = scratch.text("ticks").count
      try await Task.sleep(for: .milliseconds(1_200))
      #expect(scratch.text("ticks").count == count)
      serve.send(SIGTERM)
      #expect(try await serve.wait().end == .exited(0))
    }

    @Test("Q6 a request that runs is paused, resumed and stopped; its work is told to save")
    func controlled() async throws {
      let serve = try scratch.start(["serve"])
      try await submit(
        "-- sh -c 'trap \"echo saved; exit 75\" TERM; echo on; while :; do sleep 0.05; done'"
      )
      .expectExit(0)
      try await wait(for: "running", of: "1")
      try await serve.wait(until: "its text") { scratch.text("jobs/requests/1/output") == "on\n" }
      try await scratch.stint("pause", "1").expectExit(0)
      try await wait(for: "paused", of: "1")
      #expect(try await scratch.stint("log", "1").text.hasSuffix("saved\n"))
      try await scratch.stint("resume", "1").expectExit(0)
      let log = try scratch.start(["log", "-f", "1"])
      try await serve.wait(until: "the second run") {
        scratch.text("jobs/requests/1/output").hasSuffix("saved\non\n")
      }
      try await scratch.stint("stop", "1").expectExit(0)
      let text = try await log.wait().text
      #expect(text == scratch.text("jobs/requests/1/output") && text.hasSuffix("saved\n"))
      #expect(try await state("1") == "stopped")
      // It may be wanted all the same.
      try await scratch.stint("resume", "1").expectExit(0)
      try await wait(for: "running", of: "1")
      try await scratch.stint("stop", "1").expectExit(0)
      try await wait(for: "stopped", of: "1")
      serve.send(SIGTERM)
      #expect(try await serve.wait().end == .exited(0))
    }

    @Test("Q6 work that another run would only repeat is set aside, and begins again on demand")
    func setAside() async throws {
      try await submit("-- sh -c 'test -e good || exit 64'").expectExit(0)
      try await scratch.stint("wake").expectExit(0)
      #expect(try await state("1") == "setAside")
      #expect((try await status("1")["why"] as? String)?.contains("status 64") == true)
      try scratch.write("", to: "good")
      try await scratch.stint("resume", "1").expectExit(0)
      try await scratch.stint("wake").expectExit(0)
      #expect(try await state("1") == "done")
      try await scratch.stint("watch", "1").expectExit(64, saying: "stint log -f 1")
    }
  }
}

import Foundation
import Testing

extension EndToEnd {
  @Suite("What programs read")
  struct MachineOutputTests {
    @Test(
      "--json is one object with the outcome, also when time is up and when it was finished before")
    func json() async throws {
      let scratch = try Scratch()
      let command = ["run", "fibonacci", "100000000", "--json", "--quiet", "--output", "f"]
      var outcomes: [String] = []
      for more in [["--budget", "600ms"], [], []] {
        let run = try await scratch.start(command + more).wait()
        // On a busy machine a chunk can overrun its prediction, and then nothing may be saved;
        // both are said, and are all that may be.
        let isGivenUp = run.sentences.contains { $0.contains("did not end in time") }
        let complaints = run.sentences.filter {
          !$0.contains("did not end in time")
            && !(isGivenUp && $0.contains("no durable checkpoint yet"))
        }
        #expect(complaints.isEmpty, "\(run.errors)")
        #expect(!isGivenUp || !more.isEmpty, "without a budget there is nothing to be late for")
        #expect(run.text.split(separator: "\n").count == 1)
        let object = try run.object
        outcomes.append(object["outcome"] as? String ?? "none")
        #expect(run.end == .exited(Int32(object["exitStatus"] as? Int ?? -1)))
        #expect(object["output"] as? String == scratch("f"))
        #expect((object["job"] as? String)?.hasPrefix("fibonacci-") == true)
      }
      #expect(outcomes == ["unfinished", "finished", "finishedBefore"])
    }

    @Test("a sequence into a stream has its events and its summary where they are asked for")
    func sequence() async throws {
      let scratch = try Scratch()
      let command = ["run", "fibonacci", "--sequence", "0..100"]
      let plain = try await scratch.start(command).wait()
      let told = try await scratch.start(command + ["--events", "e"]).wait()
      #expect(told.output == plain.output && plain.output.split(separator: 10).count == 101)
      #expect(Journal(text: scratch.text("e")).ends("finished") == 1)
      let run = try await scratch.start(command + ["--json", "--output", "/dev/null"]).wait()
      #expect(try run.object["outcome"] as? String == "finished")
      #expect(try await scratch.start(command + ["--json"]).wait().end == .exited(64))
    }

    @Test("W3 --events has a line for everything, and ticks with the remaining time")
    func events() async throws {
      let scratch = try Scratch()
      try await scratch.stint(
        "run", "fibonacci", "30000000", "--budget", "600ms", "--until-done", "--rest", "10ms",
        "--tick", "50ms", "--events", "e", "--quiet", "--output", "f"
      ).expectExit(0)
      let journal = Journal(text: scratch.text("e"))
      #expect(journal.unreadable == 0)
      let ticks = journal.all("tick")
      #expect(ticks.count >= 4)
      let limited = ticks.compactMap(\.remainingSeconds)
      #expect(limited.count >= 3)
      #expect(limited.allSatisfy { (0...0.6).contains($0) })
      #expect(journal.all("checkpoint").count >= 1)
      #expect(journal.all("finished").count == 1)
      // On a slow disk the result can arrive after its stint has ended. If it arrives before the
      // next stint begins, no stint ends as finished.
      let last = journal.all("stintEnded").last?.reason
      #expect(journal.ends("finished") == (last == "expired" ? 0 : 1))
      #expect(last == "finished" || last == "expired")
      // While the process lives it goes on from what it has in memory, so what runs never goes
      // back, not even from one stint to the next; between two of them it shows what is durable
      // (W10). A sum of the same parts in another order may differ in its last bits.
      let running = ticks.filter { $0.state == "running" }.compactMap(\.fraction)
      #expect(running.count >= 3)
      #expect(zip(running, running.dropFirst()).allSatisfy { $0 <= $1 + 1e-12 }, "\(running)")
      let durable = [0] + journal.all("checkpoint").compactMap(\.fraction)
      let waiting = ticks.filter { $0.state == "waiting" }.compactMap(\.fraction)
      #expect(waiting.count >= journal.ends("didNotFit"))
      for fraction in waiting {
        #expect(durable.contains { abs($0 - fraction) < 1e-6 }, "\(fraction) of \(durable)")
      }
      // Several threads write; how late one of them gets to it is the machine's affair, but ticks
      // are in order.
      let seconds = ticks.map(\.bootSeconds)
      #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("--quiet says nothing, and standard output is the result and nothing else")
    func quiet() async throws {
      let run = try await Scratch().stint("run", "fibonacci", "1000", "--quiet")
      #expect(run.errors == "")
      #expect(run.text.hasPrefix("4346655768693745643568852767504062580256466051737178"))
      #expect(run.output.count == 210)
    }

    @Test("W3 off a terminal, one line at most a second, with the seconds that remain")
    func plainLines() async throws {
      let scratch = try Scratch()
      let run = try await scratch.stint(
        "run", "fibonacci", "400000000", "--budget", "2500ms", "--tick", "100ms", "--output", "f")
      // A fast machine with many cores may be done by then; which of the two it is, the file says.
      #expect(run.end == .exited(scratch.exists("f") ? 0 : 75), "\(run.errors)")
      #expect(run.errors.contains("s left"), "\(run.errors)")
      let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("stint:  ") }
      #expect(lines.count <= 3, "\(run.errors)")
      #expect(lines.allSatisfy { $0.contains("s left") }, "\(run.errors)")
      #expect(!run.errors.contains("\u{1B}"))
    }

    @Test("--dry-run says what it takes, as text and as JSON, and does nothing")
    func dryRun() async throws {
      let scratch = try Scratch()
      let text = try await scratch.stint("run", "fibonacci", "10000000", "--dry-run", "-o", "f")
      #expect(text.end == .exited(0))
      for word in ["2,089,877", "memory", "disk", "checkpoint"] {
        #expect(text.text.contains(word))
      }
      let json = try await scratch.stint("run", "fibonacci", "10000000", "--dry-run", "--json")
      let object = try json.object
      #expect(object["digits"] as? Int == 2_089_877)
      for key in ["memoryBytes", "diskBytes", "checkpointBytes", "outputBytes"] {
        #expect((object[key] as? Int ?? 0) > 0, "\(key)")
      }
      #expect(!scratch.exists("jobs"))
      #expect(!scratch.exists("f"))
    }
  }
}

import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Time accounts")
  struct TimeAccountTests {
    @Test(
      "R7 W10 over a kill and a pause no time is counted twice; work and elapsed time stay apart")
    func killedAndResumed() async throws {
      let scratch = try Scratch()
      let run = SignalTests.run + ["--checkpoint-every", "50ms"]
      let process = try scratch.start(run)
      try await process.wait(until: "two checkpoints") { scratch.journal.newestCheckpoint >= 2 }
      process.send(SIGKILL)
      #expect(try await process.wait().end == .signalled(SIGKILL))
      // Time in which nobody works.
      try await Task.sleep(for: .milliseconds(700))
      try await scratch.start(run).wait().expectExit(0)

      let journal = scratch.journal
      let began = journal.all("stintBegan")
      try #require(began.count == 2)
      let restored = try #require(
        journal.all("checkpoint").first { $0.sequence == began[1].restoredSequence })
      let finished = try #require(journal.all("finished").last)
      let kept = try #require(restored.workTimeSeconds)
      let work = try #require(finished.workTimeSeconds)
      // It goes on from the work time of the checkpoint: neither what was lost nor the pause is in
      // it.
      #expect(began[1].workTimeSeconds == kept)
      #expect(kept > 0)
      #expect(kept <= restored.bootSeconds - began[0].bootSeconds)
      #expect(work > kept)
      #expect(work - kept <= finished.bootSeconds - began[1].bootSeconds)
      // The elapsed time is the second process's own: it began after the kill, which came after the
      // checkpoint, and the pause.
      let ticks = Journal(text: scratch.text("e")).all("tick").filter { $0.pid == began[1].pid }
      #expect(!ticks.isEmpty)
      for tick in ticks {
        #expect(try #require(tick.elapsedSeconds) < tick.bootSeconds - restored.bootSeconds - 0.699)
        #expect(try #require(tick.workTimeSeconds) >= kept)
      }
    }

    @Test(
      "R7 R8 W7 stopped by the terminal and continued, the trip has what is left of it, no new budget"
    )
    func sameDeadline() async throws {
      let scratch = try Scratch()
      let process = try await SignalTests.working(
        in: scratch, "--budget", "3s", "--checkpoint-every", "50ms")
      process.send(SIGTSTP)
      try await process.wait(until: "the stop") { process.state == "T" }
      try await Task.sleep(for: .seconds(1))
      process.send(SIGCONT)
      let ended = try await process.wait()
      #expect([.exited(0), .exited(75)].contains(ended.end), "\(ended.errors)")
      let events = Journal(text: scratch.text("e"))
      let began = events.all("stintBegan")
      try #require(began.count == 2, "registered again once: \(scratch.text("e"))")
      // A report is made a moment before it is stamped: the earliest end that is told is the least
      // wrong. Finished, it has none.
      let ends = events.all("tick").filter { $0.state == "running" }.compactMap { tick in
        tick.remainingSeconds.map { (at: tick.bootSeconds, end: tick.bootSeconds + $0) }
      }
      let before = try #require(ends.filter { $0.at < began[1].bootSeconds }.map(\.end).min())
      let after = try #require(ends.filter { $0.at > began[1].bootSeconds }.map(\.end).min())
      #expect(abs(after - before) < 0.5, "a budget that began anew would end a second later")
    }
  }
}

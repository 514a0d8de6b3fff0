import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Clocks that do not go on evenly.
  ///
  /// Stepping this machine's wall clock would disturb everybody else on it; that the store takes it
  /// for a label only is shown in StintTests. The clock that decides, CLOCK_BOOTTIME, can be weeks
  /// ahead for one process (time_namespaces(7)).
  @Suite("Clock steps")
  struct ClockStepTests {
    @Test(
      "R8 the boot clock weeks ahead in one run and back in the next: budgets hold, and the job goes on",
      .enabled(if: geteuid() == 0, "a time namespace needs root"))
    func bootClock() async throws {
      let scratch = try Scratch()
      let here = [
        try Programs.stint(), "run", "fibonacci", "\(SignalTests.n)", "--output", "f",
      ]
      let away = ["/usr/bin/unshare", "--time", "--boottime", "3000000"] + here
      let budget = ["--budget", "500ms", "--lead", "250ms"]
      // The last one has no budget, so that a loaded machine ends, too.
      for (number, command) in [here + budget, away + budget, here + budget, away].enumerated() {
        let run = try await StintProcess(command, in: scratch).wait()
        let isLast = number == 3
        // On such a machine three stints in a row may save nothing (W13).
        let isFruitless = run.end.isForWantOfTime(run.errors)
        #expect(
          run.end == .exited(0) || !isLast && (run.end == .exited(75) || isFruitless),
          "run \(number): \(run.end) \(run.errors)")
      }
      let stints = scratch.journal.all("stintBegan")
      // That clock is weeks ahead, and what the journal says is by the machine's own.
      let told = try await StintProcess(
        Array(away.prefix(4))
          + ["/usr/bin/python3", "-c", "import time; print(time.clock_gettime(7))"], in: scratch
      ).wait()
      let there = try #require(Double(told.text.dropLast()), "\(told.errors)")
      #expect(stints.allSatisfy { $0.bootSeconds < there - 2_999_000 })
      // Every stint went on from the newest checkpoint before it, whichever clock had made it; a
      // newer one than was told of if the process before left while it was being told.
      var newest: UInt64 = 0
      for line in scratch.journal.lines {
        if line.event == "stintBegan" { #expect(line.restoredSequence ?? 0 >= newest) }
        if line.event == "checkpoint" { newest = line.sequence ?? 0 }
      }
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: SignalTests.n))
    }

    @Test(
      "R8 stopped and continued in the middle of a chunk without any budget, it ends as if nothing was"
    )
    func stoppedInChunk() async throws {
      let scratch = try Scratch()
      let process = try await SignalTests.working(in: scratch)
      for _ in 1...3 {
        guard try await process.freeze() else { break }
        try await Task.sleep(for: .milliseconds(200))
        process.send(SIGCONT)
        try await Task.sleep(for: .milliseconds(20))
      }
      try await process.wait().expectExit(0)
      #expect(scratch.journal.all("stintBegan").count == 1, "a SIGCONT alone registers nothing")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: SignalTests.n))
    }
  }
}

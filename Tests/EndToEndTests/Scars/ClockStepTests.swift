import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Clocks that do not go on evenly.
  ///
  /// Stepping this machine's wall clock would disturb everybody else on it; that the store takes it for a label only is shown in
  /// StintTests. The clock that decides, CLOCK_BOOTTIME, can be weeks ahead for one process (time_namespaces(7)).
  @Suite("Clock steps")
  struct ClockStepTests {
    @Test(
      "R8 the boot clock weeks ahead in one run and back in the next: budgets hold, and the job goes on",
      .enabled(if: geteuid() == 0, "a time namespace needs root"))
    func bootClock() async throws {
      let scratch = try Scratch()
      let here = StintsTests.budgeted
      let away = ["/usr/bin/unshare", "--time", "--boottime", "3000000", try Programs.stint()]
      var runs = 0
      var last = ProcessEnd.exited(75)
      while runs < 40, last == .exited(75) {
        runs += 1
        let command = runs % 2 == 0 ? away + here : [try Programs.stint()] + here
        let run = try await StintProcess(command, in: scratch).wait()
        last = run.end
        #expect([.exited(75), .exited(0)].contains(last), "run \(runs): \(last) \(run.errors)")
      }
      #expect(last == .exited(0))
      let stints = scratch.journal.all("stintBegan")
      #expect(stints.contains { $0.bootSeconds > 3_000_000 })
      #expect(stints.contains { $0.bootSeconds < 3_000_000 })
      // Every stint but the first went on from a checkpoint, whichever clock had made it.
      #expect(stints.dropFirst().allSatisfy { $0.restoredSequence != nil })
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: StintsTests.n))
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
      let ended = try await process.wait()
      #expect(ended.end == .exited(0), "\(ended.errors)")
      #expect(scratch.journal.all("stintBegan").count == 1, "a SIGCONT alone registers nothing")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: SignalTests.n))
    }
  }
}

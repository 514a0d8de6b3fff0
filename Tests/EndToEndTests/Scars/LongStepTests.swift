import Foundation
import Glibc
import Stint
import Testing

extension ByTheClock {
  // One of the two stints waits for its step until shortly before the deadline: load could delay
  // its end beyond.
  @Suite("Expiry in a long step")
  struct LongStepTests {
    @Test(
      "R5 W14 expiry inside a step that nothing can stop: saved, the task ended in time, and resumed",
      arguments: [true, false])
    func uninterruptible(waitsForGivenUpChunk: Bool) async throws {
      let scratch = try Scratch(inMemory: true)
      let path = scratch.path
      // 75 and not SIGKILL: the task was ended before the deadline, although the step goes on far
      // behind it.
      await #expect(processExitsWith: .exitCode(75)) {
        [path = path as String, waits = waitsForGivenUpChunk as Bool] in
        var computation = SteppingComputation(path: path)
        computation.inStep = { if $0 == 3 { UninterruptibleCall.halfAMinute() } }
        try await computation.runProcess(
          budget: .seconds(2), lead: .seconds(1), waitsForGivenUpChunk: waits)
      }
      #expect(!scratch.exists("f"))
      let stint = try #require(scratch.journal.all("stintEnded").last)
      #expect(stint.savedSeconds ?? 0 > 0)
      let saved = scratch.journal.newestCheckpoint
      #expect(saved >= 1)
      await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
        try await SteppingComputation(path: path).runProcess(
          budget: .seconds(20), lead: .seconds(5))
      }
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence == saved)
      #expect(scratch.text("f") == SteppingComputation.result)
    }
  }
}

import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("Killed and run again")
  struct KillTests {
    @Test("C1 SIGKILL after every stint loses nothing that was saved")
    func killAfterEveryStint() async throws {
      let n = StintsTests.n
      let scratch = try Scratch()
      let command = StintsTests.budgeted + ["--until-done", "--rest", "100ms"]
      var kills = 0
      var last = ProcessEnd.exited(-1)
      // On a loaded machine the start of a process takes most of such a budget, and each leaves a
      // hundredth of the work.
      for _ in 0..<240 where last != .exited(0) {
        let before = scratch.journal.newestCheckpoint
        let ended = scratch.journal.all("stintEnded").count
        let process = try scratch.start(command)
        try await process.wait(until: "the end of a stint") {
          scratch.journal.all("stintEnded").count > ended
        }
        process.send(SIGKILL)
        last = try await process.wait().end
        if last == .exited(0) { break }
        // On a loaded machine a stint may save nothing; W13 lets two in a row do so, and the third
        // ends the run with 69 and gives the next one its chances again, as does a step that takes
        // longer than the budget there; and the time may be up before its first stint begins. None
        // may say that it saved what is not there, or lose what was.
        let isFruitless = last.isForWantOfTime(process.errorsSoFar) || last == .exited(75)
        try #require(last == .signalled(SIGKILL) || isFruitless, "\(process.errorsSoFar)")
        kills += isFruitless ? 0 : 1
        let stint = scratch.journal.all("stintEnded").dropFirst(ended).first
        let mustBeNewer = stint?.savedSeconds ?? 0 > 0
        let newest = scratch.journal.newestCheckpoint
        #expect(mustBeNewer ? newest > before : newest >= before)
      }
      Self.expectEachRunRestoredTheNewest(scratch.journal)
      #expect(kills >= 2)
      #expect(last == .exited(0))
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: n))
    }

    /// The first stint of every process went on from the newest checkpoint that the processes
    /// before it had told of.
    ///
    /// From a newer one if the process was killed between the checkpoint and its line in the
    /// journal.
    private static func expectEachRunRestoredTheNewest(_ journal: Journal) {
      var newest: UInt64 = 0
      var processes: Set<Int32> = []
      for line in journal.lines {
        if line.event == "stintBegan", processes.insert(line.pid).inserted {
          #expect(line.restoredSequence ?? 0 >= newest, "process \(line.pid)")
        }
        if line.event == "checkpoint" { newest = max(newest, line.sequence ?? 0) }
      }
      #expect(processes.count >= 2)
    }

    @Test("C1 SIGTERM again and again, each time later, and still the same bytes")
    func manyTerms() async throws {
      let seed: UInt64 = 0x6d61_6e79
      var numbers = SplitMix64(seed: seed)
      let n = StintsTests.n
      let scratch = try Scratch()
      var runs = 0
      var last: FinishedProcess?
      while last?.end != .exited(0), runs < 40 {
        let process = try scratch.start([
          "run", "fibonacci", "\(n)", "--events", "e", "--quiet", "--output", "f",
        ])
        runs += 1
        let ticks = scratch.text("e").split(separator: "\n").count
        try await process.wait(until: "the first event") {
          scratch.text("e").split(separator: "\n").count > ticks
        }
        // Longer each time, so that even a loaded machine completes a chunk in the end.
        let least = Duration.milliseconds(50 + 30 * runs + runs * runs)
        try await Task.sleep(for: least + numbers.duration(below: .milliseconds(100)))
        process.send(SIGTERM)
        last = try await process.wait()
        #expect(
          [.exited(0), .exited(75)].contains(last?.end), "seed \(seed): \(last?.errors ?? "")")
      }
      #expect(runs >= 3, "seed \(seed)")
      #expect(last?.end == .exited(0), "seed \(seed)")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: n))
    }
  }
}

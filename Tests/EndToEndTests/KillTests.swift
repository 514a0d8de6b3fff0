import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Killed and run again")
  struct KillTests {
    static let n = 10_000_000
    static let run = [
      "run", "fibonacci", "\(n)", "--checkpoint-every", "50ms", "--quiet", "--output", "f",
    ]
    static let rounds = EndToEnd.isLong ? 1_000 : 20

    @Test("C1 SIGKILL after every stint loses nothing that was saved")
    func killAfterEveryStint() async throws {
      let n = StintsTests.n
      let scratch = try Scratch()
      let command = StintsTests.budgeted + ["--until-done", "--rest", "100ms"]
      var kills = 0
      var last = ProcessEnd.exited(-1)
      for _ in 0..<60 where last != .exited(0) {
        let before = scratch.journal.newestCheckpoint
        let ended = scratch.journal.all("stintEnded").count
        let process = try scratch.start(command)
        try await waitUntil("the end of a stint") {
          process.hasEnded || scratch.journal.all("stintEnded").count > ended
        }
        process.send(SIGKILL)
        last = try await process.wait().end
        if last == .exited(0) { break }
        // On a loaded machine a stint may save nothing; W13 lets two in a row do so, and the third ends the run with 69
        // and gives the next one its chances again. None may say that it saved what is not there, or lose what was.
        let isFruitless = last == .exited(69) && process.errorsSoFar.contains("stints in a row")
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

    /// The first stint of every process went on from the newest checkpoint that the processes before it had told of.
    ///
    /// From a newer one if the process was killed between the checkpoint and its line in the journal.
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

    @Test(
      "C1 killed at a random instant and run again, the result is the same",
      arguments: [SIGKILL, SIGTERM, SIGINT])
    func random(signal: Int32) async throws {
      let seed = 0x7374_696e_7400 + UInt64(signal)
      let expected = try await Yardstick.shared.bytes(of: Self.n)
      var numbers = SeededNumbers(seed: seed)
      for round in 1...Self.rounds {
        let scratch = try Scratch()
        let process = try scratch.start(Self.run)
        let instant = numbers.duration(below: .milliseconds(260))
        try await Task.sleep(for: instant)
        process.send(signal)
        let first = try await process.wait()
        let told: Comment =
          "seed \(seed), round \(round), after \(instant): \(first.end) \(first.errors)"
        // Before the program has begun, and after it has ended, a signal does what it does to any program.
        let allowed: Set<ProcessEnd> = [
          .exited(0), .signalled(signal), signal == SIGTERM ? .exited(75) : .signalled(signal),
        ]
        #expect(allowed.contains(first.end), told)
        // SIGTERM kills only what has not begun: from then on it saves.
        if signal == SIGTERM, first.end == .signalled(signal) { #expect(scratch.job == nil, told) }
        if first.end != .exited(0) { #expect(!scratch.exists("f"), told) }
        let second = try await scratch.start(Self.run).wait()
        #expect(second.end == .exited(0), "\(told) then \(second.errors)")
        #expect(try scratch.bytes("f") == expected, told)
        #expect(scratch.names(in: ".").filter { $0.hasPrefix(".") } == [], told)
      }
    }

    @Test("C1 SIGTERM again and again, each time later, and still the same bytes")
    func manyTerms() async throws {
      let seed: UInt64 = 0x6d61_6e79
      var numbers = SeededNumbers(seed: seed)
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
        try await waitUntil("the first event") {
          process.hasEnded || scratch.text("e").split(separator: "\n").count > ticks
        }
        // Longer each time, so that even a loaded machine completes a chunk in the end.
        let least = Duration.milliseconds(50 + 30 * runs)
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

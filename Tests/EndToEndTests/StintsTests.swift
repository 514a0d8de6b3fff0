import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Short budgets, one result")
  struct StintsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static let n = Yardstick.long
    /// A lead of half the budget leaves room for a machine that has other things to do.
    static let budgeted = [
      "run", "fibonacci", "\(n)", "--budget", "600ms", "--lead", "300ms", "--output", "f",
    ]

    @Test("W8 stint after stint in one process gives the bytes of the uninterrupted run")
    func untilDone() async throws {
      try await scratch.untilTimeSuffices { _ in
        try scratch.start(Self.budgeted + ["--until-done", "--rest", "10ms"])
      }.expectExit(0)
      let journal = scratch.journal
      #expect(journal.all("stintBegan").count >= 3)
      // On a loaded machine a chunk that was judged to fit may meet the warning.
      #expect(journal.ends("didNotFit") + journal.ends("expired") >= 1)
      #expect(journal.all("finished").count == 1, "\(journal.lines.suffix(6))")
      #expect(journal.unreadable == 0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test(
      "W2 a step that no budget holds ends the second run in a row that finds so, never the first")
    func measuredAgain() async throws {
      var runs: [FinishedProcess] = []
      repeat {
        let run = try scratch.start([
          "run", "fibonacci", "2000000000", "--budget", "400ms", "--output", "f",
        ])
        runs.append(try await run.wait())
      } while runs.last?.end == .exited(75) && runs.count < 60
      let last = try #require(runs.last)
      #expect(last.end == .exited(69), "\(last.errors)")
      // On a machine that is busy enough nothing is saved at all, and that ends it likewise.
      guard last.errors.contains("cannot be split") else { return }
      #expect(runs.count >= 2)
      #expect(last.errors.contains("least budget"), "\(last.errors)")
      // Between the two there may be one that was too busy to find out.
      #expect(runs.dropLast().contains { $0.errors.contains("measures again") })
      #expect(scratch.journal.all("stepTooLong").count >= 1)
    }

    @Test("W8 the full size: F(10^8) under a third of a second", .enabled(if: EndToEnd.isFull))
    func fullSize() async throws {
      try await scratch.start([
        "run", "fibonacci", "100000000", "--budget", "300ms", "--until-done", "--output", "f",
      ]).wait(atMost: .seconds(300)).expectExit(0)
      #expect(scratch.journal.all("stintBegan").count >= 3)
      #expect(scratch.journal.ends("didNotFit") >= 1)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 100_000_000))
    }

    @Test("W8 the shell's loop runs the command again until it is done")
    func loop() async throws {
      // A busy machine does too little in a budget, so that each is a little longer.
      let command = Self.budgeted.joined(separator: " ")
        .replacing("600ms", with: "${budget}ms")
      let run = try await scratch.shell(
        """
        budget=600
        while "$STINT" \(command); status=$?; [ $status = 75 -o $status = 69 ]; do
          runs=$((runs + 1)) budget=$((budget + 10))
          [ $runs -lt 200 ] || break
        done
        echo "$runs $status"
        """, atMost: .seconds(120))
      // On a busy machine three stints in a row may save nothing, which ends a run with 69 (W13).
      let words = run.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      try #require(words.count == 2, "\(run.errors)")
      try #require(words[0] >= 2)
      #expect(words[1] == 0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
      let stints = scratch.journal.all("stintBegan")
      // On a loaded machine a run's time may be up before its first stint.
      #expect((3...words[0] + 1).contains(Set(stints.map(\.pid)).count))
      // Each went on from the newest checkpoint that had been told of. On a busy machine the first
      // may have saved none.
      #expect(stints.contains { $0.restoredSequence != nil })
      var newest: UInt64 = 0
      for line in scratch.journal.lines {
        if line.event == "checkpoint" { newest = max(newest, line.sequence ?? 0) }
        if line.event == "stintBegan" { #expect(line.restoredSequence ?? 0 >= newest) }
      }
    }

    @Test("W13 a budget in which the job cannot even be loaded ends the shell's loop with an error")
    func neverLoaded() async throws {
      try await scratch.start(Self.budgeted).wait().expectExit(75)
      // The whole budget is lead: the warning comes before there is anything to save.
      let hopeless = ["run", "fibonacci", "\(Self.n)", "--budget", "1s", "--lead", "999ms"]
      for end in [75, 75, 69, 69] as [Int32] {
        let run = try await scratch.start(hopeless + ["--output", "f"]).wait()
          .expectExit(end, saying: "while the job was being loaded")
        #expect(run.errors.contains("give it a budget of at least about") == (end == 69))
      }
      // With time enough it goes on from what was saved.
      let last = try await scratch.start(["run", "fibonacci", "\(Self.n)", "--output", "f"]).wait()
      #expect(last.end == .exited(0), "\(last.errors)")
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence != nil)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("W11 Ctrl-C ends the shell's loop with the work saved")
    func interruptedLoop() async throws {
      let command = Self.budgeted.joined(separator: " ")
      let loop = try StintProcess(
        ["/bin/bash", "-c", "while \"$STINT\" \(command); [ $? = 75 ]; do :; done; echo on"],
        in: scratch)
      try await waitUntil("a stint that went on") {
        scratch.journal.all("stintBegan").last?.restoredSequence != nil
      }
      // The terminal sends it to everybody in the group: the shell and the program. A shell whose
      // program has just ended by itself goes on, and the user presses again.
      for _ in 0..<3 where !loop.hasEnded {
        loop.sendToGroup(SIGINT)
        try? await waitUntil("the end", atMost: .seconds(3)) { loop.hasEnded }
      }
      let ended = try await loop.wait()
      #expect(ended.end == .signalled(SIGINT), "\(ended.errors)")
      #expect(ended.text == "")
      #expect(!scratch.exists("f"))
      let saved = scratch.journal.newestCheckpoint
      #expect(saved >= 1)
      let stints = scratch.journal.all("stintBegan").count
      try await scratch.untilTimeSuffices { _ in
        try scratch.start(Self.budgeted + ["--until-done", "--rest", "10ms"])
      }.expectExit(0)
      // A checkpoint may be durable whose process left before it had told so.
      let first = scratch.journal.all("stintBegan").dropFirst(stints).first
      #expect(first?.restoredSequence ?? 0 >= saved)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }
  }
}

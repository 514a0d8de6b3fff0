import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Signals at known moments: the process is stopped there, gets the signal, and is continued.
  ///
  /// Between two chunks nothing can be seen from outside; that moment is in StintTests.
  @Suite("Signals at every moment")
  struct SignalMomentTests {
    static let run = AnyInstantTests.run

    enum Moment: CaseIterable {
      case commit, verification

      var isNow: @Sendable (Scratch) -> Bool {
        switch self {
        case .commit: { $0.checkpointBeingWritten != nil }
        case .verification: { $0.checkpointBeingWritten.map($0.isCheckpoint) ?? false }
        }
      }
    }

    @Test(
      "R3 W11 a signal during the commit or the verification: that checkpoint is completed, or one after it",
      arguments: Moment.allCases, [SIGTERM, SIGINT, SIGHUP])
    func whileSaving(moment: Moment, signal: Int32) async throws {
      let (scratch, process) = try await Self.caught(at: moment)
      let before = scratch.newestCheckpointFile
      process.send(signal)
      process.send(SIGCONT)
      let ended = try await process.wait()
      #expect(
        ended.end == (signal == SIGINT ? .signalled(SIGINT) : .exited(75)), "\(ended.errors)")
      #expect(scratch.newestCheckpointFile > before)
      #expect(scratch.checkpointBeingWritten == nil)
      try await Self.expectGoesOn(scratch)
    }

    @Test(
      "R3 W11 a signal while the state is loaded and verified: 75, and the job stands as it was")
    func whileLoading() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let before = scratch.checkpoints
      let process = try scratch.start(UnfinishedJob.run)
      let isLoading = try await process.freeze(in: scratch) {
        $0.journal.lines.last?.event == "restoreAttempted"
      }
      try #require(isLoading)
      process.send(SIGTERM)
      process.send(SIGCONT)
      let ended = try await process.wait().expectExit(75)
      #expect(ended.output.isEmpty)
      #expect(scratch.checkpoints.last ?? "" >= before.last ?? "none")
      _ = try await scratch.expectFinishes()
    }

    @Test("R3 W11 a second signal during the commit that the first one asked for loses nothing")
    func twice() async throws {
      let scratch = try Scratch()
      let process = try scratch.start(Self.run)
      try await process.wait(until: "a checkpoint") { scratch.journal.newestCheckpoint >= 1 }
      let saved = scratch.journal.newestCheckpoint
      process.send(SIGTERM)
      // If nothing was left to be saved, it ends in order before there is a commit.
      if try await process.freeze(in: scratch, when: Moment.commit.isNow) {
        // Only a signal that is 200 ms younger counts, and what stands still can wait.
        try await Task.sleep(for: .milliseconds(250))
        process.send(SIGTERM)
        process.send(SIGCONT)
      }
      let ended = try await process.wait()
      #expect(
        [.exited(0), .exited(75), .signalled(SIGTERM)].contains(ended.end), "\(ended.errors)")
      #expect(scratch.newestCheckpointFile >= saved || ended.end == .exited(0))
      if ended.end != .exited(0) { try await Self.expectGoesOn(scratch) }
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: AnyInstantTests.n))
    }

    /// A run that stands still at a moment; one that had passed it when its last thread stopped is
    /// let go.
    private static func caught(at moment: Moment) async throws -> (Scratch, StintProcess) {
      for _ in 1...20 {
        let scratch = try Scratch()
        let process = try scratch.start(run)
        if try await process.freeze(in: scratch, when: moment.isNow), moment.isNow(scratch) {
          return (scratch, process)
        }
      }
      throw TimedOut(what: "a stop at \(moment)")
    }

    /// Runs the command again: it goes on from the newest checkpoint to the same bytes.
    private static func expectGoesOn(_ scratch: Scratch) async throws {
      #expect(!scratch.exists("f"))
      let newest = scratch.newestCheckpointFile
      try await scratch.start(run).wait().expectExit(0)
      let began = Journal(text: scratch.text("e")).all("stintBegan")
      #expect(began.last?.restoredSequence == newest)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: AnyInstantTests.n))
    }
  }
}

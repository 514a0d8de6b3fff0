import Foundation
import Glibc
import Stint
import Testing

extension EndToEnd {
  @Suite("Checkpoints that crash the restart")
  struct CrashingCheckpointTests {
    @Test(
      "R10 C7 a checkpoint that crashes on restore is tried three times, then the one before is used",
      arguments: [SIGSEGV, SIGABRT, SIGKILL])
    func crashes(signal: Int32) async throws {
      let scratch = try Scratch()
      let path = scratch.path
      try Self.makeJob(at: path)
      for _ in 1...3 {
        // It dies as bad code in a decoder dies, or by the kernel's hand when the memory is used
        // up.
        await #expect(processExitsWith: .signal(signal)) {
          [path = path as String, signal = signal as Int32] in
          try await CrashingCheckpointTests.run(at: path, dyingOf: signal)
        }
        #expect(scratch.checkpoints.count == 2)
      }
      await #expect(processExitsWith: .exitCode(0)) {
        [path = path as String, signal = signal as Int32] in
        try await CrashingCheckpointTests.run(at: path, dyingOf: signal)
      }
      let journal = scratch.journal
      #expect(journal.all("restoreAttempted").compactMap(\.sequence) == [2, 2, 2, 1])
      #expect(journal.all("setAside").map(\.file) == ["000002.ckpt"])
      #expect(journal.all("stintBegan").map(\.restoredSequence) == [1])
      #expect(scratch.text("f") == SteppingComputation.result)
    }

    /// A job with checkpoint 1 after three steps and checkpoint 2 after five.
    private static func makeJob(at path: String) throws {
      let computation = SteppingComputation(path: path)
      let job = try computation.job()
      for steps: UInt64 in [3, 5] {
        let state = SteppingComputation.state(after: steps)
        var payload = CheckpointPayload()
        computation.encode(state, into: &payload)
        _ = try job.commit(
          payload, workTime: .milliseconds(10) * Int(steps),
          progress: computation.outlook(of: state).progress)
      }
    }

    private static func run(at path: String, dyingOf number: Int32) async throws {
      // No core of a crash that is meant.
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      var computation = SteppingComputation(path: path)
      computation.inRestart = { step in
        guard step == 5 else { return }
        signal(number, SIG_DFL)
        raise(number)
      }
      try await computation.runProcess(budget: .seconds(20), lead: .seconds(5))
    }
  }
}

import Dispatch
import Foundation
import Glibc
import Stint
import StintCore
import Synchronization
import Testing

extension EndToEnd {
  @Suite("Programs that embed a worker")
  struct EmbeddingTests {
    private static func makeWorker(
      _ computation: SteppingComputation, budget: Duration, lead: Duration? = nil
    ) throws -> Worker<SteppingComputation> {
      let application = try Application.adopting(orBudget: budget, lead: lead)
      var options = WorkerOptions()
      options.policy.stintsWithoutProgress = .max
      return Worker(
        computation, store: try computation.job(), application: application, options: options)
    }

    @Test("W4 W8 stint after stint, told as unfinished until the result is there")
    func stints() async throws {
      let scratch = try Scratch()
      await #expect(processExitsWith: .exitCode(0)) { [path = scratch.path as String] in
        let hasParked = Atomic<Bool>(false)
        var computation = SteppingComputation(path: path)
        computation.inStep = { step in
          // Longer than the first budget, whatever the machine does besides.
          guard step == 3, !hasParked.exchange(true, ordering: .relaxed) else { return }
          ByTheClock.HardStopTests.park(1)
        }
        let worker = try EmbeddingTests.makeWorker(
          computation, budget: .milliseconds(600), lead: .milliseconds(300))
        var unfinished = 0
        while try await worker.runStint() == .unfinished {
          guard worker.phase.isBetween else { exit(4) }
          unfinished += 1
        }
        guard try await worker.runStint() == .finished else { exit(5) }
        exit(unfinished > 0 ? 0 : 3)
      }
      #expect(scratch.text("f") == SteppingComputation.result)
      #expect(scratch.journal.all("finished").count == 1)
    }

    @Test("W11 a program that cancels the stint has its work saved, and is told so")
    func cancelled() async throws {
      let scratch = try Scratch()
      await #expect(processExitsWith: .exitCode(0)) { [path = scratch.path as String] in
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        var computation = SteppingComputation(path: path)
        computation.inStep = { if $0 == 3 { reach.finish() } }
        let worker = try EmbeddingTests.makeWorker(computation, budget: .seconds(60))
        let stint = Task { try await worker.runStint() }
        for await _ in reached {}
        stint.cancel()
        guard try await stint.value == .stopped(.stopRequested) else { exit(3) }
        guard await worker.outcome() == .stopped(.stopRequested) else { exit(4) }
        exit(0)
      }
      #expect(scratch.journal.newestCheckpoint >= 1)
      #expect(!scratch.exists("f"))
    }

    @Test("A20 both calls of an activity begin however many blocks are parked")
    func manyActivities() async {
      await #expect(processExitsWith: .exitCode(0)) {
        var hooks = InProcessSystem.Hooks()
        hooks.diagnose = { _ in }
        let application = Application(
          system: try InProcessSystem(policy: .iOS7, hooks: hooks))
        application.launch()
        let (begun, warned) = (Protected(0), Protected(0))
        let count = 80
        let finish = DispatchSemaphore(value: 0)
        for number in 0..<count {
          application.performExpiringActivity(withReason: "activity \(number)") { isExpired in
            (isExpired ? warned : begun).withLock { $0 += 1 }
            finish.wait()
          }
        }
        try await waitUntil("all first calls") { begun.withLock { $0 } == count }
        application.driver.requestStop(reason: .stopRequested, grace: .seconds(60))
        try await waitUntil("all second calls") { warned.withLock { $0 } == count }
        for _ in 0..<2 * count { finish.signal() }
        try await waitUntil("the ends") { application.openTasks.isEmpty }
        exit(0)
      }
    }

    @Test("A15 L5 a program may have itself stopped when it is suspended, until it is continued")
    func stoppedWhenSuspended() async throws {
      let scratch = try Scratch()
      await #expect(processExitsWith: .exitCode(0)) { [path = scratch.path as String] in
        let watcher = Process()
        watcher.executableURL = URL(fileURLWithPath: "/bin/sh")
        watcher.arguments = [
          "-c",
          "until grep -q '^State:.T' /proc/\(getpid())/status; do sleep 0.01; done; "
            + "echo stopped > \(path)/state; kill -CONT \(getpid())",
        ]
        try watcher.run()
        let application = Application(system: try InProcessSystem(policy: .iOS7))
        application.launch()
        application.suspensionFollowUp = .stop
        let task = application.beginBackgroundTask {}
        application.enterBackground()
        application.endBackgroundTask(task)
        try await waitUntil("the stop") { FileManager.default.fileExists(atPath: path + "/state") }
        exit(0)
      }
    }
  }
}

extension WorkerPhase {
  /// Whether a stint is over and another may follow.
  fileprivate var isBetween: Bool {
    if case .parked = self { true } else { false }
  }
}

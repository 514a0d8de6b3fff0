import Dispatch
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintCommands
@testable import StintRuntime

@Suite("A run before its worker")
struct EarlySignalTests {
  /// A worker that only notes what is asked of it.
  private final class NotingWorker: RunnableWorker {
    let asked = Protected<[String]>([])

    func holdWhileLoading() {}
    func start() { asked.withLock { $0.append("start") } }
    func pause() {}
    func resume() {}
    func stop(reason: ExpiryReason) { asked.withLock { $0.append("stop: \(reason)") } }
    func stopAfterNextCheckpoint(reason: ExpiryReason) {}
    func willBeStopped() {}
    func wasStopped(for duration: Duration) {}
    func statusReport() -> StatusReport? { nil }
    var hasEnded: Bool { false }
  }

  @Test("W11 a signal that comes before there is a worker stops the worker that comes")
  @MainActor
  func signalBeforeWorker() throws {
    let options = try CommandLine.run(["fibonacci", "1000"])
    let destination = try OutputDestination("/dev/null")
    let output = ResultOutput(
      file: OutputFile(destination, replacesOthers: false), showsEnds: false,
      terminal: ProgressDisplayTests.Screen.background,
      display: ProgressDisplayTests.Screen().display(quiet: true))
    // In virtual time, which nobody moves: the end of the grace would be the end of the tests.
    let system = VirtualSystem(policy: .commandLine)
    var jobOptions = Job.Options()
    jobOptions.jobsDirectory = "/nowhere/jobs"
    let job = try Job(
      kind: "test", parameters: [:], stateVersion: 1, options: jobOptions,
      fileSystem: PosixFileSystem(), identity: .current())
    let sources = try options.time.sources()
    let life = ProcessLife(
      options.lifeRules(system.driver.policy, sources).withoutKernel(), driver: system.driver,
      sources: sources)
    let session = RunSession(
      options: options, launchedAt: BootClock.now, job: job, life: life,
      display: ProgressDisplayTests.Screen().display(quiet: true), events: nil, output: output)
    let worker = NotingWorker()
    defer { system.driver.remove(session) }
    life.signalCame(SIGTERM)
    session.begin(worker)
    let done = DispatchSemaphore(value: 0)
    session.savingLane.enqueue { done.signal() }
    done.wait()
    #expect(
      worker.asked.withLock { $0 } == ["start", "stop: \(ExpiryReason.signal(SIGTERM))"])
  }
}

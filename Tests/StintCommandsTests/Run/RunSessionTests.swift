import Dispatch
import Foundation
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

@Suite("A run's trips")
@MainActor
struct RunSessionTests {
  /// A worker that only counts what it is told, and loads as long as the test likes.
  private final class CountingWorker: RunnableWorker {
    let resumes = Protected(0)
    let hasEnded = false
    private let host: SystemWorkerHost
    private let release = Protected<(@Sendable () -> Void)?>(nil)

    init(_ system: VirtualSystem) { host = SystemWorkerHost(system.driver) }

    func holdWhileLoading() {
      let hold = host.hold(named: "loading")
      release.withLock { $0 = hold }
    }
    /// Lets go of the application, and of its trip, as a worker does whose stint is over.
    func loaded() {
      release.withLock { $0.take() }?()
      host.idle()
    }
    func start() {}
    func pause() {}
    func resume() { resumes.withLock { $0 += 1 } }
    func stop(reason: ExpiryReason) {}
    func stopAfterNextCheckpoint(reason: ExpiryReason) {}
    func willBeStopped() {}
    func wasStopped(for duration: Duration) {}
    func statusReport() -> StatusReport? { nil }
  }

  /// Is told of a suspension before the session is.
  private final class FirstObserver: SystemObserver {
    let onSuspension = Protected<(@Sendable () -> Void)?>(nil)
    func systemDid(_ event: SystemEvent) {
      guard event == .suspended else { return }
      onSuspension.withLock { $0 }?()
    }
  }

  private let fixture = VerbFixture()

  private func session(
    _ words: [String], launchedAt: Instant = BootClock.now
  ) throws -> (session: RunSession, system: VirtualSystem) {
    let options = try CommandLine.run(["fibonacci", "5", "--quiet"] + words)
    let system = VirtualSystem(
      policy: options.time.systemPolicy, clock: VirtualClock(start: BootClock.now))
    let terminal = TerminalState.current(descriptor: 2, environment: [:])
    let display = ProgressDisplay(quiet: true, terminal: { terminal })
    let output = ResultOutput(
      file: OutputFile(try OutputDestination(nil), replacesOthers: false), showsEnds: false,
      terminal: terminal, display: display)
    let sources = try options.time.sources()
    let life = ProcessLife(
      options.lifeRules(system.driver.policy, sources).withoutKernel(), driver: system.driver,
      sources: sources)
    let session = RunSession(
      options: options, launchedAt: launchedAt, job: try fixture.job(5), life: life,
      display: display, events: nil, output: output)
    return (session, system)
  }

  /// Waits for the thread that saves and stops.
  private nonisolated func stopIsFollowedUp(_ session: RunSession) {
    let done = DispatchSemaphore(value: 0)
    session.savingLane.enqueue { done.signal() }
    done.wait()
  }

  @Test("A23 a terminal's stop that meets a suspension not yet followed up is followed once")
  func stopMeetsSuspension() throws {
    let (session, system) = try session(["--budget", "1h", "--until-done", "--rest", "30m"])
    let first = FirstObserver()
    defer {
      // The driver holds its observers, and they the driver.
      first.onSuspension.withLock { $0 = nil }
      system.driver.remove(session)
    }
    system.driver.add(first)
    let worker = CountingWorker(system)
    session.begin(worker)
    system.run()
    first.onSuspension.withLock {
      $0 = {
        session.life.signalCame(SIGTSTP)
        stopIsFollowedUp(session)
      }
    }
    worker.loaded()
    system.run()
    stopIsFollowedUp(session)
    #expect(system.record.stops == 1)
    #expect(worker.resumes.withLock { $0 } == 1)
    #expect(session.life.machine.wait == 0, "no rest is due after the stop")
    #expect(session.life.machine.phase == .working)
  }

  @Test("A11 a trip with less left than is worth granting is not entered again after a stop")
  func noRestOfATrip() throws {
    let (session, system) = try session(["--budget", "1h", "--until-done", "--rest", "30m"])
    defer { system.driver.remove(session) }
    let worker = CountingWorker(system)
    session.begin(worker)
    system.run()
    let least = system.driver.policy.leastWorthGranting
    #expect(least > .milliseconds(1))
    session.life.signalCame(SIGTSTP)
    stopIsFollowedUp(session)
    session.life.handle { machine in
      guard case .trip = machine.time else { return [] }
      return machine.deadlineMoved(
        to: Deadline(
          source: "test", instant: system.clock.now.advanced(by: least - .milliseconds(1))))
    }
    worker.loaded()
    system.run()
    stopIsFollowedUp(session)
    #expect(system.record.stops == 1)
    #expect(system.driver.lifeState == .suspended)
    #expect(session.life.machine.phase == .resting)
    #expect(system.record.terminations.isEmpty)
  }

  @Test("E1 an end that moves is the system's, the run's and the journal's")
  func movedEnd() throws {
    let (session, system) = try session(["--budget", "1h"])
    defer { system.driver.remove(session) }
    session.begin(CountingWorker(system))
    system.run()
    let end = Deadline(source: "test", instant: session.launchedAt.advanced(by: .seconds(120)))
    session.life.endMoved(to: end, because: .engineEndTime) {}
    #expect(system.driver.tripEnd == end)
    #expect(session.life.machine.time == .trip(start: session.launchedAt, end: end))
    try session.job.materialize()
    session.recordMovedEnd(end)
    session.job.finishRecords()
    let journal = try Data(contentsOf: URL(fileURLWithPath: session.job.path + "/journal.jsonl"))
    let moves = Journal.parse(Array(journal)).records.filter {
      if case .event(.deadlineMoved(to: end)) = $0.content { true } else { false }
    }
    #expect(moves.count == 1)
    // No end: nothing warns any more.
    session.life.endMoved(to: nil, because: .revoked) {}
    #expect(system.driver.tripEnd == nil)
    #expect(system.driver.remainingTime == .unlimited)
  }

  @Test("A11 a start that used up the budget ends as unfinished, and is not killed")
  func lateStart() async {
    await #expect(processExitsWith: .exitCode(75)) {
      try await MainActor.run {
        let tests = RunSessionTests()
        let (session, system) = try tests.session(
          ["--budget", "1s"], launchedAt: BootClock.now.advanced(by: .seconds(-1)))
        // A trip that is over when it begins is terminated, which this system only reports, and
        // then suspended.
        let first = FirstObserver()
        first.onSuspension.withLock { $0 = { _exit(1) } }
        system.driver.add(first)
        session.begin(CountingWorker(system))
      }
    }
  }
}

import Foundation
import Glibc
import Stint
import StintCore
import Testing

/// Each test is a process of its own, because signals are the whole process's.
@Suite("Signals that stop an application", .timeLimit(.minutes(5)))
struct StopOnSignalsTests {
  private static func send(_ signal: Int32) { kill(getpid(), signal) }

  @Test(
    "W11 a signal in a stint has its work saved, and the next run goes on from there",
    arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU])
  func inStint(signal: Int32) async throws {
    let folder = WorkFolder()
    await #expect(processExitsWith: .exitCode(75)) {
      [path = folder.path as String, signal = signal as Int32] in
      let application = try makeApplication()
      let all: Set<StopSignal> = [.terminate, .interrupt, .hangup, .user1, .user2, .processorTime]
      guard try application.stopOnSignals(all, grace: .seconds(60)) == all else { exit(3) }
      let steps = Steps(path: path) { step in
        if step == 5 { StopOnSignalsTests.send(signal) }
        return step == 5
      }
      let worker = steps.worker(try steps.job(), in: application)
      exit(try await worker.runStint() == .stopped(.signal(signal)) ? 75 : 4)
    }
    let first = Protected<Int?>(nil)
    let steps = Steps(path: folder.path) { step in
      first.withLock { $0 = $0 ?? step }
      return false
    }
    let worker = steps.worker(try steps.job(), in: try makeApplication())
    #expect(try await worker.runStint() == .finished)
    #expect(first.withLock { $0 } == 5)
  }

  @Test("W11 a signal before there is a worker stops the one that comes, and one that rests")
  func beforeStint() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = WorkFolder()
      let application = try makeApplication()
      let cut = Cut(at: 3, of: application)
      let steps = Steps(path: folder.path) { cut($0) }
      let resting = steps.worker(try steps.job(), in: application)
      guard (try? await resting.runStint()) == .unfinished else { _exit(3) }
      try application.stopOnSignals([.terminate], grace: .seconds(60))
      StopOnSignalsTests.send(SIGTERM)
      await eventually { application.driver.stopReason != nil }
      guard (try? await resting.runStint()) == .stopped(.signal(SIGTERM)) else { _exit(4) }
      guard let job = try? steps.job() else { _exit(5) }
      let worker = steps.worker(job, in: application)
      guard (try? await worker.runStint()) == .stopped(.signal(SIGTERM)) else { _exit(6) }
      // No destructors: threads of the workers are still on their way out.
      _exit(0)
    }
  }

  @Test("W11 a signal ends a worker that waits for the application to become active again")
  func parked() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = WorkFolder()
      let application = try makeApplication()
      let cut = Cut(at: 3, of: application)
      let steps = Steps(path: folder.path) { cut($0) }
      let worker = steps.worker(try steps.job(), in: application)
      worker.start()
      application.enterBackground()
      await eventually { if case .parked = worker.phase { true } else { false } }
      try application.stopOnSignals(grace: .seconds(60))
      StopOnSignalsTests.send(SIGTERM)
      exit(await worker.outcome() == .stopped(.signal(SIGTERM)) ? 0 : 3)
    }
  }

  @Test("W11 a second signal ends the process at once, and so does the end of the grace")
  func death() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let application = try makeApplication()
      try application.stopOnSignals([.terminate, .hangup], grace: .seconds(600))
      // The second call counts.
      try application.stopOnSignals([.terminate], grace: .seconds(600))
      StopOnSignalsTests.send(SIGTERM)
      await eventually { application.driver.stopReason != nil }
      while true {
        try await Task.sleep(for: .milliseconds(250))
        StopOnSignalsTests.send(SIGTERM)
      }
    }
    await #expect(processExitsWith: .signal(SIGHUP)) {
      let application = try makeApplication()
      try application.stopOnSignals([.hangup], grace: .milliseconds(100))
      StopOnSignalsTests.send(SIGHUP)
      while true { try await Task.sleep(for: .seconds(1)) }
    }
  }

  @Test("W11 warnings count once")
  func warnings() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let application = try makeApplication()
      try application.stopOnSignals([.user1, .terminate], grace: .seconds(600))
      StopOnSignalsTests.send(SIGUSR1)
      await eventually { application.driver.stopReason == .signal(SIGUSR1) }
      for _ in 0..<3 {
        try await Task.sleep(for: .milliseconds(250))
        StopOnSignalsTests.send(SIGUSR1)
      }
      // And a signal after them is a first one.
      StopOnSignalsTests.send(SIGTERM)
      try await Task.sleep(for: .milliseconds(100))
      exit(0)
    }
  }

  @Test("a signal that is ignored or handled stays so, and one that all threads block is heard")
  func own() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGHUP, SIG_IGN)
      signal(SIGINT) { _ in _exit(7) }
      var mask = sigset_t()
      sigemptyset(&mask)
      sigaddset(&mask, SIGTERM)
      pthread_sigmask(SIG_BLOCK, &mask, nil)
      let application = try makeApplication()
      let heard = try application.stopOnSignals(
        [.hangup, .interrupt, .terminate], grace: .seconds(60))
      guard heard == [.terminate] else { exit(3) }
      StopOnSignalsTests.send(SIGHUP)
      StopOnSignalsTests.send(SIGTERM)
      await eventually { application.driver.stopReason == .signal(SIGTERM) }
      StopOnSignalsTests.send(SIGINT)
      while true { try await Task.sleep(for: .seconds(1)) }
    }
  }

  @Test("two applications of a process are both stopped")
  func twoApplications() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let applications = try [makeApplication(), makeApplication()]
      for application in applications { try application.stopOnSignals(grace: .seconds(60)) }
      StopOnSignalsTests.send(SIGTERM)
      for application in applications {
        await eventually { application.driver.stopReason == .signal(SIGTERM) }
      }
      exit(0)
    }
  }
}

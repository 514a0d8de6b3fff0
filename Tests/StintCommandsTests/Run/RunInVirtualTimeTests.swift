import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

/// Ends, pauses, rests and stops of the terminal, each at an instant that real time would not hit.
@Suite("The life of a run in virtual time")
@MainActor
struct RunInVirtualTimeTests {
  /// Ten seconds of work.
  private let work: UInt64 = 10_000

  private func expectFinishes(_ rig: RunRig) throws {
    #expect(rig.end(within: .seconds(60)) == .status(0))
    #expect(rig.result.withLock { $0 } == work)
  }

  /// Runs the same command again on the same disk.
  private func expectGoesOn(after rig: RunRig) throws {
    rig.disk.killProcess()
    let next = try RunRig(work, on: rig.disk.anotherProcess())
    try expectFinishes(next)
    #expect(next.job.summary.stints > 1)
  }

  @Test("W8 without a budget a run finishes in one stint; with one it asks to be run again")
  func ends() throws {
    try expectFinishes(try RunRig(work))
    let short = try RunRig(work, ["--budget", "4s"])
    #expect(short.end(within: .seconds(5)) == .status(75))
    #expect(short.exits.withLock { $0.count } == 1)
    try expectGoesOn(after: short)
  }

  @Test("W8 trip after trip in one process, with rests between them")
  func untilDone() throws {
    let rig = try RunRig(work, ["--budget", "4s", "--until-done", "--rest", "30m"])
    let start = rig.system.clock.now
    rig.system.advance(by: .seconds(1_800 + 6))
    // Nothing but the worker's task holds the second trip.
    #expect(rig.life.machine.phase == .working)
    #expect(rig.system.openTasks.map(\.name) == ["run"])
    #expect(rig.end(within: .seconds(7_200)) == .status(0))
    #expect(rig.result.withLock { $0 } == work)
    #expect(rig.count(of: "stintBegan") >= 3)
    #expect(start.duration(to: rig.system.clock.now) > .seconds(3_600))
  }

  @Test(
    "W11 SIGTERM and SIGHUP save and leave with 75, SIGINT dies of SIGINT, and a warning leaves with 75",
    arguments: [SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGXCPU])
  func signals(number: Int32) throws {
    let rig = try RunRig(work)
    rig.system.advance(by: .seconds(3))
    rig.life.signalCame(number)
    #expect(
      rig.end(within: .seconds(5)) == (number == SIGINT ? .signal(SIGINT) : .status(75)))
    #expect(rig.job.summary.lastStint?.ended == .stopRequested)
    try expectGoesOn(after: rig)
  }

  @Test("W11 a second signal, a moment after the first, ends it at once")
  func secondSignal() throws {
    let rig = try RunRig(work)
    rig.system.advance(by: .seconds(3))
    rig.life.signalCame(SIGTERM)
    // Closer to each other they are one.
    rig.life.signalCame(SIGTERM)
    #expect(rig.exits.withLock { $0 }.isEmpty)
    let later = rig.system.clock.now.advanced(by: RunMachine.leastBetweenSignals)
    rig.life.handle { $0.signalCame(SIGTERM, now: later) }
    #expect(rig.exits.withLock { $0 } == [.signal(SIGTERM)])
  }

  @Test("W11 a stop file ends a run after its next checkpoint, and is taken away")
  func stopFile() throws {
    let rig = try RunRig(work)
    rig.system.advance(by: .seconds(3))
    rig.ask(.stop)
    #expect(rig.end(within: .seconds(2)) == .status(75))
    #expect(!rig.job.isSet(.stop))
    try expectGoesOn(after: rig)
  }

  @Test("W11 a stop is obeyed while a run rests, however long", arguments: [true, false])
  func stopWhileResting(byFile: Bool) throws {
    let rig = try RunRig(work, ["--budget", "4s", "--until-done", "--rest", "30m"])
    rig.system.advance(by: .seconds(60))
    #expect(rig.life.machine.phase == .resting)
    if byFile { rig.ask(.stop) } else { rig.life.signalCame(SIGTERM) }
    #expect(rig.end(within: .seconds(1)) == .status(75))
    #expect(rig.count(of: "stintBegan") == 1)
    try expectGoesOn(after: rig)
  }

  @Test(
    "W7 a pause file saves and waits, however long; taken away, the run goes on",
    arguments: [[], ["--budget", "4s", "--until-done", "--rest", "10ms"]])
  func pause(words: [String]) throws {
    let rig = try RunRig(work, words)
    rig.system.advance(by: .seconds(2))
    rig.ask(.pause)
    rig.system.advance(by: .seconds(3_600))
    #expect(rig.life.machine.phase == .paused)
    #expect(rig.system.openTasks.isEmpty)
    #expect(rig.said.withLock { $0.count { $0.contains("Paused by stint pause") } } == 1)
    let stints = rig.count(of: "stintBegan")
    #expect(rig.count(of: "stintEnded") == stints)
    rig.withdraw(.pause)
    #expect(rig.end(within: .seconds(60)) == .status(0))
    #expect(rig.count(of: "stintBegan") > stints)
    #expect(rig.result.withLock { $0 } == work)
  }

  @Test("W7 a pause longer than the trip uses the trip up: saved, 75, and the next run goes on")
  func pauseLongerThanTheTrip() throws {
    let rig = try RunRig(work, ["--budget", "4s"])
    rig.system.advance(by: .seconds(2))
    rig.ask(.pause)
    rig.system.advance(by: .seconds(10))
    #expect(rig.exits.withLock { $0 }.isEmpty)
    rig.withdraw(.pause)
    #expect(rig.end(within: .seconds(1)) == .status(75))
    try expectGoesOn(after: rig)
  }

  @Test("W11 a stop file and SIGTERM end one that is paused: 75", arguments: [true, false])
  func stopWhilePaused(byFile: Bool) throws {
    let rig = try RunRig(work)
    rig.system.advance(by: .seconds(2))
    rig.ask(.pause)
    rig.system.advance(by: .seconds(100))
    if byFile { rig.ask(.stop) } else { rig.life.signalCame(SIGTERM) }
    #expect(rig.end(within: .seconds(1)) == .status(75))
    #expect(!rig.job.isSet(.stop))
    #expect(rig.job.isSet(.pause), "the next run waits too")
    rig.withdraw(.pause)
    try expectGoesOn(after: rig)
  }

  @Test("W7 a stop of the terminal saves, stops the process, and goes on to the same result")
  func terminalStop() throws {
    let rig = try RunRig(work)
    rig.system.advance(by: .seconds(2))
    rig.life.signalCame(SIGTSTP)
    try expectFinishes(rig)
    #expect(rig.system.record.stops == 1)
    #expect(rig.count(of: "stintBegan") == 2)
  }

  @Test("W7 a stop of the terminal holds one that is paused or rests, and ends neither")
  func terminalStopWhileWaiting() throws {
    let paused = try RunRig(work)
    paused.system.advance(by: .seconds(2))
    paused.ask(.pause)
    paused.system.advance(by: .seconds(100))
    paused.life.signalCame(SIGTSTP)
    paused.system.advance(by: .seconds(100))
    #expect(paused.system.record.stops == 1)
    #expect(paused.life.machine.phase == .paused)
    paused.withdraw(.pause)
    try expectFinishes(paused)

    let resting = try RunRig(work, ["--budget", "4s", "--until-done", "--rest", "30m"])
    resting.system.advance(by: .seconds(60))
    resting.life.signalCame(SIGTSTP)
    resting.system.advance(by: .seconds(60))
    #expect(resting.system.record.stops == 1)
    #expect(resting.life.machine.phase == .resting)
    #expect(resting.end(within: .seconds(7_200)) == .status(0))
  }

  @Test("A19 last words that nobody takes end with the grace, and say that the work is saved")
  func lastWords() throws {
    let rig = try RunRig(work, ["--budget", "4s"])
    rig.system.advance(by: .seconds(2))
    #expect(rig.session.exitWithoutWords(dyingOf: nil) == nil, "it still has to save")
    rig.life.signalCame(SIGTERM)
    rig.system.advance(by: .seconds(1))
    #expect(rig.session.exitWithoutWords(dyingOf: nil) == .status(75))
    #expect(rig.session.exitWithoutWords(dyingOf: SIGINT) == .signal(SIGINT))
    let hardStop = try #require(rig.life.hardStop)
    #expect(hardStop <= rig.session.launchedAt.advanced(by: .seconds(8)))
  }
}

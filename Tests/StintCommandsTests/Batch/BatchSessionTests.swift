import Foundation
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

@Suite("A batch's trips")
@MainActor
struct BatchSessionTests {
  /// A batch in virtual time, with its directory on a disk in memory.
  @MainActor
  final class Rig {
    let system: VirtualSystem
    let runner: ScriptedRunner
    let life: ProcessLife
    let session: BatchSession
    let told = Protected("")
    /// How it ended; it has not been told of yet.
    let account = Protected<BatchAccount?>(nil)
    var driver: BatchDriver { session.lines.value }

    init(
      _ scripts: [ScriptedRunner.Script], keys: [String]? = nil, budget: Duration? = .seconds(10),
      places: Int = 2, resumable: Set<Int> = [], untilDone: Bool = false,
      disk: FaultyFileSystem = FaultyFileSystem(), sources: BudgetSources? = nil
    ) throws {
      let policy = budget.map { SystemPolicy.commandLine.withBudget($0) } ?? .commandLine
      system = VirtualSystem(policy: policy, termination: .report)
      let driver = system.driver
      runner = ScriptedRunner(
        Dictionary(uniqueKeysWithValues: scripts.enumerated().map { ($0, $1) }), on: driver)
      var identity = StoreIdentity.current()
      identity.userID = 1000
      let directory = try BatchDirectory(
        parameters: ["file": "/jobs.txt"], jobsPath: "/jobs", startsOver: false, fileSystem: disk,
        identity: identity, report: { _ in })
      let told = told
      let quiet = try DisplayOptions(ParsedOptions(specifications: []))
      let screen = TerminalState.make(
        isTerminal: false, isForeground: false, columns: nil, environment: [:])
      let teller = BatchTeller(
        display: quiet, launchedAt: driver.environment.now, jobLog: nil,
        terminal: { screen }, write: { text in told.withLock { $0 += text } })
      var words = ["--jobs", "\(places)", "--threads", "1", "--jobs-dir", "/jobs"]
      if let budget { words += ["--budget", "\(budget.nanoseconds)ns"] }
      if untilDone { words.append("--until-done") }
      var settings = try CommandLine.settings(ofBatch: words, launchedAt: driver.environment.now)
      settings.sources =
        sources ?? BudgetSources(budget.map { [FixedBudget($0 + settings.reserve)] } ?? [])
      life = ProcessLife(
        settings.lifeRules(leave: { _ in }, stoppedWhileOpening: { _ in }).withoutKernel(),
        driver: driver, sources: settings.sources)
      let (life, runner, account) = (life, runner, account)
      let lane = VirtualBatchLane(driver)
      let text = scripts.indices.map { index in
        let saves = resumable.contains(index) ? " --resumable" : ""
        return "exec --quiet\(saves) -- work \(keys?[index] ?? String(index))\n"
      }.joined()
      let lines = try BatchReader(
        lines: LineReader(surroundings: CommandLine.surroundings, needsOutput: false)
      ).read(Array(text.utf8), from: "jobs.txt").lines
      let batch = Confined(to: lane) { confined in
        BatchDriver(
          lines: lines, settings: settings, life: life, ownTask: nil, runner: runner,
          directory: directory, teller: teller,
          wallClock: { 1_800_000_000_000_000_000 + driver.environment.now.nanoseconds },
          confined: confined)
      }
      session = BatchSession(
        batch, on: lane, life: life, runner: runner, teller: teller,
        ending: .init(
          launchedAt: driver.environment.now, display: quiet,
          account: { ended in account.withLock { $0 = ended } }))
      life.launch()
      life.begin(session, launchedAt: driver.environment.now)
      system.run()
    }

    deinit {
      MainActor.assumeIsolated { system.driver.remove(session) }
    }

    var states: [BatchLineState] { driver.machine.lines }
    var runs: [ScriptedRunner.Run] { runner.state.withLock { $0.runs } }

    @discardableResult
    func end(within limit: Duration = .seconds(3_600)) -> BatchAccount? {
      system.advance(atMost: limit) { account.withLock { $0 != nil } || !system.isAlive }
      // Its last words hold the session, and so the directory's lock.
      driver.teller.flush(within: .seconds(10))
      return account.withLock { $0 }
    }
  }

  private typealias Script = ScriptedRunner.Script

  @Test("A6 A9 each line has a task of its own, and all of them share the trip's budget")
  func sharedBudget() throws {
    let rig = try Rig(Array(repeating: Script(work: .seconds(4)), count: 5))
    #expect(rig.system.openTasks.map(\.name) == ["batch", "line 1", "line 2"])
    rig.system.advance(by: .seconds(5))
    #expect(rig.system.openTasks.map(\.name) == ["batch", "line 3", "line 4"])
    let account = try #require(rig.end())
    #expect(rig.system.isAlive)
    // Four seconds, then four more; the rest is less than a line is started for.
    #expect(rig.states == [.finished, .finished, .finished, .finished, .waiting])
    #expect(account.exitStatus(unfinished: 75) == 75)
    #expect(account.sentence(elapsed: .seconds(10)).hasPrefix("Time is up after 10s; 4 of 5 lines"))
    let budgets = rig.runs.compactMap(ScriptedRunner.budget)
    try #require(budgets.count == 4)
    #expect(budgets[0] <= .seconds(10) && budgets[0] >= .milliseconds(9_900))
    #expect(budgets[2] <= .seconds(6) && budgets[2] >= .milliseconds(5_900))
    #expect(rig.system.openTasks.isEmpty)
    #expect(rig.system.lifeState == .suspended || rig.system.lifeState == .notRunning)
  }

  @Test("trip after trip until all is done, each line going on where it stopped")
  func untilDone() throws {
    let rig = try Rig(
      [
        Script(work: .seconds(25)), Script(work: .seconds(1)),
        Script(work: .seconds(40), status: 3),
      ],
      untilDone: true)
    let account = try #require(rig.end())
    #expect(rig.states == [.finished, .finished, .failed])
    #expect(account.exitStatus(unfinished: 75) == 1)
    #expect(account.failures == [3])
    #expect(rig.runs.count { $0.line == 0 } == 3)
    #expect(rig.runner.state.withLock { $0.mostAtOnce } == 2)
    #expect(rig.system.record.terminations.isEmpty)
    #expect(rig.runs.allSatisfy { $0.endedAt != nil })
  }

  @Test("a line that asks to be run again while there is time is told so, and not that time is up")
  func asksForMore() throws {
    for budget in [Duration.seconds(10), nil] {
      let rig = try Rig(
        [Script(work: .seconds(1), status: 75), Script(work: .seconds(1))], budget: budget)
      let account = try #require(rig.end())
      #expect(account.exitStatus(unfinished: 75) == 75)
      #expect(rig.states == [.unfinished, .finished])
      #expect(
        account.sentence(elapsed: .seconds(1))
          == "1 of 2 lines done; 1 line exited with 75 and must run again; 1s in this run. "
          + "Run the same command again to continue.")
    }
    // What was warned has had no choice.
    let cut = try Rig([Script(work: .seconds(60), status: 75)])
    #expect(cut.end()?.sentence(elapsed: .seconds(10)).hasPrefix("Time is up") == true)
  }

  @Test("without a budget everything runs to its end, and what asks to be run again is left")
  func noBudget() throws {
    let rig = try Rig([Script(work: .seconds(900)), Script(work: .seconds(1))], budget: nil)
    let account = try #require(rig.end())
    #expect(account.isFinished)
    #expect(account.exitStatus(unfinished: 75) == 0)
    #expect(rig.runs.allSatisfy { ScriptedRunner.budget(of: $0) == nil })
    let again = try Rig([Script(work: .zero, status: 75), Script(work: .seconds(3))], budget: nil)
    #expect(again.end()?.exitStatus(unfinished: 85) == 85)
    #expect(again.states == [.unfinished, .finished])
    #expect(again.runs.count == 2)
  }

  @Test("R11 run again, lines reordered, inserted and removed go on by what they are")
  func reordered() throws {
    let disk = FaultyFileSystem()
    let scripts = [1, 20, 2, 20].map { Script(work: .seconds($0)) }
    do {
      let first = try Rig(scripts, keys: ["a", "b", "c", "d"], disk: disk)
      #expect(first.end()?.exitStatus(unfinished: 75) == 75)
      #expect(first.states == [.finished, .unfinished, .finished, .unfinished])
    }
    // The order is another, "c" has gone and "e" is new.
    let second = try Rig(
      [5, 5, 5, 5].map { Script(work: .seconds($0)) }, keys: ["e", "d", "a", "b"],
      disk: disk.anotherProcess())
    #expect(second.states[2] == .finished)
    #expect(second.runs.map(\.line) == [1, 3], "what was begun comes before what is new")
    #expect(second.end()?.isFinished == false || second.runs.count == 3)
    #expect(!second.runs.contains { $0.line == 2 })
  }

  @Test("W11 a stop lets every line save and end, and nothing is started any more")
  func stop() throws {
    let rig = try Rig(
      Array(repeating: Script(work: .seconds(600)), count: 4), budget: .seconds(60))
    rig.system.advance(by: .seconds(2))
    rig.life.signalCame(SIGTERM)
    let account = try #require(rig.end(within: .seconds(5)))
    #expect(account.stopReason == .signal(SIGTERM))
    #expect(account.exitStatus(unfinished: 75) == 75)
    #expect(rig.runs.count == 2)
    // Told twice, a line would stop without saving.
    let terms = rig.runner.state.withLock { $0.signals }.filter { $0.signal == SIGTERM }
    #expect(terms.map(\.lines) == [[0], [1]])
    let interrupted = try Rig([Script(work: .seconds(600))], budget: nil)
    interrupted.life.signalCame(SIGINT)
    #expect(interrupted.end(within: .seconds(5))?.exitStatus(unfinished: 75) == 130)
  }

  @Test("what will begin anew is not called saved")
  func notSaved() throws {
    func sentence(_ resumable: Set<Int>, places: Int = 2) throws -> String {
      let rig = try Rig(
        Array(repeating: Script(work: .seconds(600)), count: 2), places: places,
        resumable: resumable)
      return try #require(rig.end()).sentence(elapsed: .seconds(10))
    }
    let rest = " Run the same command again to continue."
    #expect(
      try sentence([]) == "Time is up after 10s; 0 of 2 lines done; lines 1, 2 will start over."
        + rest)
    #expect(
      try sentence([0])
        == "Time is up after 10s; 0 of 2 lines done; line 2 will start over, and the rest is saved."
        + rest)
    #expect(
      try sentence([0, 1]) == "Time is up after 10s; 0 of 2 lines done, and the rest is saved."
        + rest)
    // The second was never begun.
    #expect(
      try sentence([], places: 1)
        == "Time is up after 10s; 0 of 2 lines done; line 1 will start over." + rest)
  }

  @Test("A18 time that is taken back is told to every line")
  func revoked() throws {
    let rig = try Rig(Array(repeating: Script(work: .seconds(600)), count: 2), budget: .seconds(60))
    rig.system.advance(by: .seconds(2))
    rig.system.driver.revoke()
    let account = try #require(rig.end(within: .seconds(6)))
    #expect(account.exitStatus(unfinished: 75) == 75)
    #expect(rig.system.isAlive)
    #expect(rig.runner.state.withLock { $0.signals }.filter { $0.signal == SIGTERM }.count == 2)
  }

  @Test("W7 a stop of the terminal stops the lines, then the process, and goes on with the trip")
  func terminalStop() throws {
    let rig = try Rig(Array(repeating: Script(work: .seconds(30)), count: 3), budget: .seconds(60))
    rig.system.advance(by: .seconds(2))
    rig.life.signalCame(SIGTSTP)
    rig.system.advance(by: .seconds(1))
    #expect(rig.system.record.stops == 1)
    #expect(!rig.driver.machine.isHeld)
    #expect(rig.runner.state.withLock { $0.signals }.contains { $0.signal == SIGCONT })
    #expect(rig.system.openTasks.count == 3)
    #expect(rig.end() != nil)
    #expect(rig.system.isAlive)
    #expect(rig.runs.allSatisfy { $0.endedAt != nil })
  }

  @Test("W7 a stop that was asked for just before the lines began stops them, too")
  func terminalStopBefore() throws {
    let rig = try Rig(Array(repeating: Script(work: .seconds(30)), count: 2), budget: .seconds(60))
    rig.life.handle { _ in [.stopProcess] }
    rig.system.advance(by: .seconds(1))
    #expect(rig.system.record.stops == 1)
    #expect(rig.runner.state.withLock { $0.signals }.contains { $0.signal == SIGCONT })
    #expect(rig.end() != nil)
    #expect(rig.runs.allSatisfy { $0.endedAt != nil })
  }

  @Test("W7 A23 the batch stops with its lines, whatever tasks are still open, and keeps its trip")
  func terminalStopWithOpenTask() throws {
    let rig = try Rig([Script(work: .seconds(5))], budget: .seconds(60))
    // As the task of a process that stands still before it has said that it ended it.
    let (grant, _) = rig.system.driver.begin(named: "late", origin: .here(), handler: .none)
    rig.system.advance(by: .seconds(2))
    rig.life.signalCame(SIGTSTP)
    rig.system.advance(by: .seconds(1))
    #expect(rig.system.record.stops == 1)
    #expect(!rig.driver.machine.isHeld)
    let late = grant.identifier
    _ = rig.system.driver.end(late, origin: .here())
    let account = try #require(rig.end())
    #expect(account.isFinished)
    #expect(rig.runs.count == 1)
    #expect(rig.system.record.terminations.isEmpty)
  }

  @Test("a trip that is too short for any line is an error that names the least budget")
  func tooShort() throws {
    let rig = try Rig([Script(work: .seconds(1))], budget: .milliseconds(120), untilDone: true)
    let account = try #require(rig.end())
    #expect(account.error?.code == .noProgress)
    #expect(account.exitStatus(unfinished: 75) == 69)
    #expect(account.error?.message.contains("too short to start a line") == true)
    #expect(rig.runs.isEmpty)
  }

  @Test("E1 time that is taken back ends a batch earlier, and what was started saves")
  func endsEarlier() throws {
    let rig = try Rig([Script(work: .seconds(60))], budget: .seconds(100))
    let start = rig.system.driver.environment.now
    rig.system.advance(by: .seconds(10))
    let end = Deadline(source: "test", instant: start.advanced(by: .seconds(20)))
    rig.life.endMoved(to: end, because: .engineEndTime) {}
    let account = try #require(rig.end())
    #expect(account.exitStatus(unfinished: 75) == 75)
    #expect(rig.states == [.unfinished])
    #expect(start.duration(to: rig.system.driver.environment.now) <= .seconds(20))
    #expect(rig.system.record.terminations.isEmpty)
  }

  @Test("E1 time that is added after the warning lets a batch begin lines again in the same trip")
  func endsLater() throws {
    let rig = try Rig(
      [Script(work: .seconds(9)), Script(work: .seconds(30)), Script(work: .seconds(3))],
      budget: .seconds(10), places: 2)
    let start = rig.system.driver.environment.now
    rig.system.advance(by: .seconds(8))
    #expect(rig.driver.machine.phase == .closing)
    let end = Deadline(source: "test", instant: start.advanced(by: .seconds(99)))
    rig.life.endMoved(to: end, because: .revoked) {}
    rig.system.run()
    #expect(rig.driver.machine.phase == .working)
    #expect(rig.system.driver.tripEnd?.source == "test")
    let account = try #require(rig.end())
    #expect(rig.states[2] == .finished, "it had no place before the warning")
    #expect(account.stopReason == nil)
    #expect(rig.system.record.terminations.isEmpty)
  }

  @Test("R4 a log that cannot be written is said once, and the exit status says it too")
  func fullDisk() throws {
    let disk = FaultyFileSystem()
    disk.faults.add(.diskFull, at: .append, pathSuffix: "lines.jsonl", times: 99)
    let rig = try Rig(Array(repeating: Script(work: .seconds(1)), count: 3), disk: disk)
    let account = try #require(rig.end())
    #expect(account.isFinished)
    #expect(account.exitStatus(unfinished: 75) == 74)
    rig.driver.teller.flush(within: .seconds(10))
    #expect(rig.told.withLock { $0 }.components(separatedBy: "log is incomplete").count == 2)
  }

  @Test("A19 R5 a line that is stuck is ended before the deadline, and costs the others nothing")
  func stuck() throws {
    let rig = try Rig(
      [Script(work: .seconds(1), isStuck: true), Script(work: .seconds(2))], budget: .seconds(5),
      untilDone: true)
    let account = try #require(rig.end())
    #expect(rig.system.record.terminations.count == 3)
    // A command that keeps nothing is not tried for ever (W13).
    #expect(rig.states == [.failed, .finished])
    #expect(rig.runs.count { $0.line == 0 } == 3)
    #expect(account.exitStatus(unfinished: 75) == 1)
  }

  @Test("A19 a batch leaves by its deadline, although the kernel still clears its lines away")
  func leavesWithoutReaping() throws {
    let stuck = Script(work: .seconds(1), isStuck: true, reaping: .milliseconds(300))
    let rig = try Rig([stuck, Script(work: .seconds(1))], budget: .seconds(5))
    let start = rig.system.driver.environment.now
    let account = try #require(rig.end())
    #expect(account.exitStatus(unfinished: 75) == 75)
    #expect(rig.states == [.unfinished, .finished])
    #expect(start.duration(to: rig.system.driver.environment.now) <= .milliseconds(5_001))
    // The end that comes after all changes nothing.
    rig.system.advance(by: .seconds(1))
    #expect(rig.states == [.unfinished, .finished])
  }

  @Test("A19 a batch that stays waits for what it killed, and the hard stop waits with it")
  func reapsBetweenTrips() throws {
    let stuck = Script(work: .seconds(1), isStuck: true, reaping: .milliseconds(300))
    let rig = try Rig([stuck], budget: .seconds(5), untilDone: true)
    let start = rig.system.driver.environment.now
    rig.system.advance(by: .milliseconds(5_200))
    #expect(rig.states == [.running])
    let armed = try #require(rig.life.hardStop)
    #expect(start.duration(to: armed) > .seconds(9))
    rig.system.advance(by: .milliseconds(200))
    #expect(rig.states == [.unfinished])
    #expect(rig.life.hardStop == nil)
    let account = try #require(rig.end())
    #expect(rig.runs.count == 3)
    #expect(account.exitStatus(unfinished: 75) == 1)
  }

  @Test("W13 a command that its time ends three times in a row, over processes too, has failed")
  func cuts() throws {
    let disk = FaultyFileSystem()
    for number in 1...3 {
      let rig = try Rig(
        [Script(work: .seconds(100), status: 124, isCut: true)], keys: ["a"],
        disk: number == 1 ? disk : disk.anotherProcess())
      let account = try #require(rig.end())
      #expect(account.exitStatus(unfinished: 75) == (number < 3 ? 75 : 1), "run \(number)")
    }
  }
}

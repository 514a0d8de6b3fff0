import StintCore
import Testing

// What the end of any program means (section X of the contract).

extension SupervisorMachineTests {
  /// The outcome and the exit of a stint that was warned, or not, and then ended.
  private static func stint(
    _ rules: SupervisorRules, _ end: CommandEnd, isWarned: Bool = true,
    evidence: CommandEvidence = CommandEvidence()
  ) -> (outcome: SupervisorMachine.StintOutcome?, exit: SupervisorExit?, actions: [Action]) {
    var rig = running(rules)
    if isWarned { _ = rig.expire(.timeElapsed, within: .seconds(2)) }
    let actions = rig.end(end, evidence: evidence)
    var outcome: SupervisorMachine.StintOutcome?
    for case .endStint(let found) in actions { outcome = found }
    return (outcome, exit(in: actions), actions)
  }

  private static func job(_ change: (inout SupervisorRules) -> Void) -> SupervisorRules {
    rules {
      $0.isJob = true
      change(&$0)
    }
  }

  @Test("X1 exit status 0 after a warning is unfinished where something says that it goes on")
  func zeroAfterWarning() {
    let unfinished: [(SupervisorRules, CommandEvidence)] = [
      (Self.job { $0.hasCheckpointFile = true }, CommandEvidence()),
      (Self.job { $0.hasDoneFile = true }, CommandEvidence()),
      (Self.job { $0.isResumable = true }, CommandEvidence()),
      (Self.job { $0.hasProgressFile = true }, CommandEvidence(progress: 0.99)),
      (Self.job { $0.afterWarning = .unfinished }, CommandEvidence()),
    ]
    for (rules, evidence) in unfinished {
      let warned = Self.stint(rules, .exited(0), evidence: evidence)
      #expect(warned.outcome == .leftUnfinished && warned.exit == .status(75), "\(rules)")
      #expect(!warned.actions.contains(.say(.takenForFinished)))
      // In its own time it has nothing left to do.
      guard !rules.hasDoneFile else { continue }
      let unwarned = Self.stint(rules, .exited(0), isWarned: false, evidence: evidence)
      #expect(unwarned.outcome == .finished && unwarned.exit == .status(0), "\(rules)")
    }
  }

  @Test("X1 everywhere else 0 after a warning is finished, and a notice says so")
  func takenForFinished() {
    let plain = Self.stint(Self.rules(), .exited(0))
    #expect(plain.outcome == .finished && plain.exit == .status(0))
    #expect(plain.actions.contains(.say(.takenForFinished)))
    let silent: [(SupervisorRules, CommandEvidence)] = [
      (Self.job { $0.afterWarning = .finished }, CommandEvidence()),
      (
        Self.job {
          $0.hasCheckpointFile = true
          $0.afterWarning = .finished
        }, CommandEvidence()
      ),
      (Self.job { $0.hasProgressFile = true }, CommandEvidence(progress: 1)),
      (Self.job { $0.hasCheckpointFile = true }, CommandEvidence(ignoredSignal: true)),
      (Self.rules(), CommandEvidence(ignoredSignal: true)),
    ]
    for (rules, evidence) in silent {
      let ended = Self.stint(rules, .exited(0), evidence: evidence)
      #expect(ended.outcome == .finished && ended.exit == .status(0), "\(rules)")
      #expect(!ended.actions.contains(.say(.takenForFinished)))
    }
    #expect(Self.stint(Self.rules(.timeout), .exited(0)).exit == .status(124))
  }

  @Test("X1 a child that speaks the protocol has words for it: its 0 is finished")
  func spoke() {
    var rig = Self.running(Self.job { $0.hasCheckpointFile = true })
    _ = rig.event { $0.adopted(now: $1) }
    _ = rig.expire(.timeElapsed, within: .seconds(2))
    _ = rig.event { $0.conversationEnded(now: $1) }
    #expect(Self.exit(in: rig.end(.exited(0))) == .status(0))
  }

  @Test("X1 a signal that was passed on is a warning, too")
  func passedOn() {
    var rig = Self.running(Self.savingJob)
    _ = rig.signal(15)
    #expect(Self.exit(in: rig.end(.exited(0))) == .status(75))
    var plain = Self.running(Self.rules())
    _ = plain.signal(15)
    let actions = plain.end(.exited(0))
    #expect(Self.exit(in: actions) == .status(0) && actions.contains(.say(.takenForFinished)))
  }

  @Test(
    "X1 so is one by which a scheduler warns, as Slurm's --signal=USR1 does",
    arguments: [10, 12, 24])
  func hinted(number: Int32) {
    var rig = Self.running(Self.savingJob)
    #expect(rig.signal(number) == [.signal(number)])
    #expect(Self.exit(in: rig.end(.exited(0))) == nil)
    #expect(rig.machine.phase == .resting)
    _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    // In the next stint nobody has warned it.
    #expect(Self.exit(in: rig.end(.exited(0))) == .status(0))
  }

  @Test("X2 with a done file, that file decides and no exit status but a failure's")
  func doneFile() {
    let rules = Self.job { $0.hasDoneFile = true }
    let done = CommandEvidence(isDone: true)
    for isWarned in [false, true] {
      let missing = Self.stint(rules, .exited(0), isWarned: isWarned)
      #expect(missing.outcome == .leftUnfinished && missing.exit == .status(75))
      #expect(missing.actions.contains(.say(.notDone(isOld: false))) == !isWarned)
      let there = Self.stint(rules, .exited(0), isWarned: isWarned, evidence: done)
      #expect(there.outcome == .finished && there.exit == .status(0))
      let failed = Self.stint(rules, .exited(3), isWarned: isWarned, evidence: done)
      #expect(failed.outcome == .failed(3) && failed.exit == .status(3))
      let asks = Self.stint(rules, .exited(75), isWarned: isWarned, evidence: done)
      #expect(asks.outcome == .finished && asks.exit == .status(0))
    }
    let stopped = Self.stint(rules, .signalled(15, dumpedCore: false), evidence: done)
    #expect(stopped.outcome == .finished && stopped.exit == .status(0))
  }

  @Test(
    "X3 a resumable command is unfinished however its expiry ended it, and no kill is a restart")
  func resumable() {
    let rules = Self.job {
      $0.isResumable = true
      $0.untilDone = true
      $0.maximumRestarts = 0
    }
    var rig = Self.running(rules)
    for end in [CommandEnd.exited(20), .exited(0), .exited(75), .signalled(15, dumpedCore: false)] {
      _ = rig.expire(.timeElapsed, within: .seconds(2))
      #expect(Self.exit(in: rig.end(end)) == nil)
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
    _ = rig.expire(.timeElapsed, within: .seconds(2))
    _ = rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
    #expect(Self.exit(in: rig.end(.signalled(9, dumpedCore: false))) == nil)
    _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    // In its own time a failure is one.
    #expect(Self.exit(in: rig.end(.exited(20))) == .status(20))
  }

  @Test(
    "X3 the number of stints bounds what nothing else does, those of earlier processes included")
  func mostStints() {
    var rig = SupervisorRig(
      Self.job {
        $0.isResumable = true
        $0.untilDone = true
        $0.maximumStints = 5
      }, stints: 3)
    _ = rig.event { $0.begun(now: $1) }
    #expect(Self.exit(in: rig.end(.exited(75))) == nil)
    _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    let last = rig.end(.exited(75))
    #expect(last.contains(.say(.noStintsLeft(after: 5))) && Self.exit(in: last) == .status(69))
  }

  @Test(
    "X4 75 and 0 for ever end after three stints without new content",
    arguments: [CommandEnd.exited(75), .exited(0)])
  func forEver(end: CommandEnd) {
    for isWarned in [false, true] {
      var rig = Self.running(
        Self.job {
          $0.untilDone = true
          $0.hasDoneFile = true
          $0.hasCheckpointFile = isWarned
        })
      var exits: [SupervisorExit?] = []
      for stint in 1...6 {
        if isWarned { _ = rig.expire(.timeElapsed, within: .seconds(2)) }
        if stint == 3 { _ = rig.event { $0.checkpointChanged(now: $1) } }
        exits.append(Self.exit(in: rig.end(end)))
        _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
      }
      #expect(exits == [nil, nil, nil, nil, nil, .status(69)])
    }
  }

  @Test("X4 files that could not be looked at say nothing against a stint")
  func unseen() {
    var rig = Self.running(Self.savingJob, fruitless: 1)
    for _ in 1...4 {
      _ = rig.expire(.timeElapsed, within: .seconds(2))
      let ended = rig.end(.exited(75), evidence: CommandEvidence(isUnseen: true))
      #expect(Self.exit(in: ended) == nil)
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
  }

  @Test(
    "X3 a resumable command that was killed at its deadline is unfinished, with a done file, too")
  func resumableKilled() {
    var rig = Self.running(
      Self.job {
        $0.isResumable = true
        $0.hasDoneFile = true
      }, fruitless: 5)
    _ = rig.expire(.timeElapsed, within: .seconds(2))
    _ = rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
    #expect(Self.exit(in: rig.end(.signalled(9, dumpedCore: false))) == .status(75))
  }

  @Test("X6 what stalls is warned, asked, killed in its lead, and started again so often")
  func stalls() {
    var rig = Self.running(
      Self.rules {
        $0.isJob = true
        $0.untilDone = true
        $0.hasProgressFile = true
        $0.warnSignal = 10
        $0.maximumRestarts = 1
      })
    let warned = rig.event { $0.stalled(lead: .seconds(5), now: $1) }
    #expect(warned.first == .say(.stalled) && warned.contains(.signal(10)))
    #expect(rig.wake().contains(.signal(15)))
    #expect(rig.wake().contains(.killAll))
    #expect(Self.exit(in: rig.end(.signalled(9, dumpedCore: false))) == nil)
    _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    #expect(rig.machine.phase == .running)
    _ = rig.event { $0.stalled(lead: .seconds(5), now: $1) }
    let last = rig.end(.exited(75))
    #expect(last.contains(.say(.stalledTooOften)))
    #expect(Self.exit(in: last) == .status(69))
  }

  @Test("X6 what saves at once and then stalls is started again no more often than asked for")
  func stallsAfterSaving() {
    for late in [false, true] {
      var rig = Self.running(
        Self.job {
          $0.untilDone = true
          $0.hasCheckpointFile = true
          $0.stallAfter = .seconds(60)
          $0.maximumRestarts = 2
        })
      var exits: [SupervisorExit?] = []
      for _ in 1...3 {
        rig.now = rig.now.advanced(by: late ? .seconds(60) : .seconds(1))
        _ = rig.event { $0.checkpointChanged(now: $1) }
        _ = rig.event { $0.stalled(lead: .seconds(5), now: $1) }
        exits.append(Self.exit(in: rig.end(.signalled(15, dumpedCore: false))))
        _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
      }
      #expect(exits == (late ? [nil, nil, nil] : [nil, nil, .status(69)]))
    }
  }

  @Test("X6 a stall is not a lack of time: it is none of the three stints")
  func stallsAreNotFruitless() {
    var rig = Self.running(
      Self.job {
        $0.untilDone = true
        $0.hasCheckpointFile = true
        $0.maximumRestarts = 5
      }, fruitless: 2)
    for _ in 1...5 {
      _ = rig.event { $0.stalled(lead: .seconds(5), now: $1) }
      #expect(Self.exit(in: rig.end(.signalled(15, dumpedCore: false))) == nil)
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
    _ = rig.event { $0.stalled(lead: .seconds(5), now: $1) }
    #expect(rig.end(.exited(75)).contains(.say(.stalledTooOften)))
  }

  @Test("X1 a command that dies of the signal by which a scheduler warned it is unfinished")
  func diedOfHint() {
    var rig = Self.running(Self.job { $0.hasCheckpointFile = true })
    _ = rig.signal(10)
    #expect(Self.exit(in: rig.end(.signalled(10, dumpedCore: false))) == .status(75))
    var plain = Self.running(Self.rules())
    _ = plain.signal(10)
    #expect(Self.exit(in: plain.end(.signalled(10, dumpedCore: false))) == .signal(10))
    var other = Self.running(Self.job { $0.hasCheckpointFile = true })
    _ = other.signal(10)
    #expect(Self.exit(in: other.end(.signalled(15, dumpedCore: false))) == .signal(15))
  }

  @Test("X3 stints that were stopped from outside are stints, and none begins after the last")
  func askedStints() {
    let rules = Self.job {
      $0.isResumable = true
      $0.maximumStints = 2
    }
    var rig = SupervisorRig(rules, stints: 1)
    _ = rig.event { $0.begun(now: $1) }
    _ = rig.signal(15)
    let asked = rig.end(.signalled(15, dumpedCore: false))
    #expect(Self.exit(in: asked) == .status(69))
    #expect(asked.contains(.say(.noStintsLeft(after: 2))))
    var late = SupervisorRig(rules, stints: 2)
    let actions = late.event { $0.begun(now: $1) }
    #expect(actions == [.say(.noStintsLeft(after: 2)), .leave(.status(69))])
  }

  @Test("X2 a done file that what was left behind has made counts")
  func doneByFamily() {
    var rig = Self.running(Self.job { $0.hasDoneFile = true })
    _ = rig.expire(.timeElapsed, within: .seconds(60))
    _ = rig.end(.exited(0), familyRemains: true)
    let ended = rig.event {
      $0.familyEnded(evidence: CommandEvidence(isDone: true), now: $1)
    }
    #expect(Self.exit(in: ended) == .status(0))
  }

  @Test("X6 a stall leaves the command no more than its own time")
  func stallAtTheEnd() {
    var rig = Self.running(Self.rules { $0.isJob = true })
    _ = rig.event { $0.stalled(lead: .seconds(5), now: $1) }
    #expect(rig.event { $0.expired(.timeElapsed, deadline: $1, now: $1) } == [])
    #expect(rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }.contains(.killAll))
    #expect(Self.exit(in: rig.end(.signalled(9, dumpedCore: false))) == .status(137))
  }

  @Test("X7 what a warned leader leaves behind was told nothing, and is not waited for")
  func leaderOnly() {
    var rig = Self.running(Self.rules { $0.signalsLeaderOnly = true })
    _ = rig.expire(.timeElapsed, within: .seconds(60))
    let left = rig.end(.exited(75), familyRemains: true)
    let soon = rig.now.advanced(by: SupervisorRules.emptyingWithoutDeadline)
    #expect(left == [.wake(at: soon)])
    #expect(rig.wake().contains(.killAll))
  }
}

import StintCore
import Testing

// Whether a further stint begins.

extension SupervisorMachineTests {
  @Test("W11 after a stop that may wait, the stint that runs is the last")
  func lastStint() {
    var rig = Self.running(Self.savingJob)
    #expect(rig.event { $0.stopRequested(now: $1) } == [])
    _ = rig.expire(.timeElapsed, within: .seconds(2))
    let ended = rig.end(.exited(75))
    #expect(Self.exit(in: ended) == .status(75))
  }

  @Test("W13 a checkpoint in a stint that was stopped begins the count anew")
  func checkpointBetween() {
    var rig = Self.running(Self.savingJob)
    for hasCheckpoint in [false, false, true, false, false] {
      if hasCheckpoint { _ = rig.event { $0.checkpointChanged(now: $1) } }
      _ = rig.expire(.timeElapsed, within: .seconds(2))
      let ended = rig.end(.signalled(15, dumpedCore: false))
      #expect(Self.exit(in: ended) == nil)
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
  }

  @Test(
    "W13 what our stop ended counts without a checkpoint file too, and 75 is a sign of progress")
  func withoutFile() {
    let rules = Self.rules {
      $0.isJob = true
      $0.untilDone = true
    }
    func exits(_ ends: [(CommandEnd, hasExpired: Bool)]) -> [SupervisorExit?] {
      var rig = Self.running(rules)
      return ends.map { end, hasExpired in
        if hasExpired { _ = rig.expire(.timeElapsed, within: .seconds(2)) }
        let exit = Self.exit(in: rig.end(end))
        _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
        return exit
      }
    }
    let stopped = (CommandEnd.signalled(15, dumpedCore: false), hasExpired: true)
    #expect(exits([stopped, stopped, stopped]) == [nil, nil, .status(69)])
    for progress in [(CommandEnd.exited(75), hasExpired: false), (.exited(75), hasExpired: true)] {
      #expect(exits([stopped, stopped, progress, stopped, stopped]).allSatisfy { $0 == nil })
    }
  }

  @Test("W13 three stints in a row without a checkpoint end it; one with a checkpoint counts anew")
  func noProgress() {
    let rules = Self.savingJob
    func stint(_ rig: inout SupervisorRig, saves: Bool) -> [Action] {
      _ = rig.expire(.timeElapsed, within: .seconds(2))
      if saves { _ = rig.event { $0.checkpointChanged(now: $1) } }
      let actions = rig.end(.exited(75))
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
      return actions
    }
    var rig = Self.running(rules, fruitless: 1)
    #expect(Self.exit(in: stint(&rig, saves: false)) == nil)
    #expect(Self.exit(in: stint(&rig, saves: true)) == nil)
    #expect(Self.exit(in: stint(&rig, saves: false)) == nil)
    #expect(Self.exit(in: stint(&rig, saves: false)) == nil)
    let last = stint(&rig, saves: false)
    #expect(last.contains(.say(.noProgress(after: .stoppedInTime(.exited(75))))))
    #expect(Self.exit(in: last) == .status(69))
  }

  @Test("W13 a crash is one of the three, too", arguments: [0, 2])
  func crashes(fruitless: Int) {
    var rig = Self.running(Self.savingJob, fruitless: fruitless)
    let crash = CommandEnd.signalled(11, dumpedCore: false)
    for left in [2, 1] where fruitless == 0 {
      let outcome = SupervisorMachine.StintOutcome.crashed(11, dumpedCore: false)
      #expect(rig.end(crash).contains(.say(.startedAgain(after: outcome, restartsLeft: left))))
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
    let last = rig.end(crash)
    #expect(last.contains(.say(.noProgress(after: .crashed(11, dumpedCore: false)))))
    #expect(Self.exit(in: last) == .status(69))
  }

  @Test("W13 without a checkpoint or done file only the restarts count, and it ends as it ended")
  func crashesWithoutFile() {
    var rig = Self.running(
      Self.rules {
        $0.isJob = true
        $0.untilDone = true
      }, fruitless: 3)
    let crash = CommandEnd.signalled(11, dumpedCore: false)
    let outcome = SupervisorMachine.StintOutcome.crashed(11, dumpedCore: false)
    for left in [2, 1, 0] {
      #expect(rig.end(crash).contains(.say(.startedAgain(after: outcome, restartsLeft: left))))
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
    let last = rig.end(crash)
    #expect(last.contains(.say(.noRestartsLeft(outcome))))
    #expect(Self.exit(in: last) == .signal(11))
  }

  @Test(
    "W13 without such a file, a crash between stints that had their time is not one of the three")
  func crashBetween() {
    var rig = Self.running(
      Self.rules {
        $0.isJob = true
        $0.untilDone = true
      })
    let stop = CommandEnd.signalled(15, dumpedCore: false)
    var exits: [SupervisorExit?] = []
    for end in [stop, .signalled(11, dumpedCore: false), stop, stop] {
      if end == stop { _ = rig.expire(.timeElapsed, within: .seconds(2)) }
      exits.append(Self.exit(in: rig.end(end)))
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
    #expect(exits == [nil, nil, nil, .status(69)])
  }
}

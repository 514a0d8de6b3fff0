import StintCore
import Testing

@Suite("The supervisor machine")
struct SupervisorMachineTests {
  typealias Action = SupervisorMachine.Action

  static func rules(
    _ style: SupervisorRules.Style = .budget, _ change: (inout SupervisorRules) -> Void = { _ in }
  ) -> SupervisorRules {
    var rules = SupervisorRules(style: style, stopLead: .seconds(2), stopGrace: .seconds(3))
    change(&rules)
    return rules
  }

  /// A job that says by a file that it has saved.
  static let savingJob = rules {
    $0.isJob = true
    $0.untilDone = true
    $0.hasCheckpointFile = true
  }

  static func running(_ rules: SupervisorRules, fruitless: Int = 0) -> SupervisorRig {
    var rig = SupervisorRig(rules, fruitlessStints: fruitless)
    _ = rig.event { $0.begun(now: $1) }
    return rig
  }

  static func exit(in actions: [Action]) -> SupervisorExit? {
    for case .leave(let exit) in actions { return exit }
    return nil
  }

  @Test("A12 warned, asked to end, killed: each in its time, each once")
  func escalation() {
    var rig = Self.running(Self.rules { $0.warnSignal = 10 })
    #expect(rig.expire(.timeElapsed, within: .seconds(5)).contains(.signal(10)))
    #expect(rig.wake() == [.say(.sending(15)), .signal(15)])
    #expect(rig.event { $0.timePassed(now: $1) } == [])
    let killed = rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
    #expect(killed == [.say(.sending(9)), .killAll, .wake(at: nil)])
    #expect(rig.event { $0.deadlineCame(tripEnd: $1, now: $1) } == [])
  }

  @Test("A18 a deadline that comes nearer brings the stop signal with it")
  func nearer() {
    var rig = Self.running(Self.rules { $0.warnSignal = 10 })
    _ = rig.expire(.timeElapsed, within: .seconds(5))
    let inThree = rig.now.advanced(by: .seconds(3))
    let moved = rig.event { $0.deadlineMoved(to: inThree, now: $1) }
    #expect(moved == [.wake(at: inThree.advanced(by: .seconds(-2)))])
    // One that lies further away changes nothing.
    let later = rig.now.advanced(by: .seconds(60))
    #expect(
      rig.event { $0.deadlineMoved(to: later, now: $1) }
        == [.wake(at: inThree.advanced(by: .seconds(-2)))])
    let now = rig.now
    #expect(
      rig.event { $0.deadlineMoved(to: now, now: $1) } == [.say(.sending(15)), .signal(15)])
  }

  @Test("E1 a later deadline gives time; what was sent stays sent, and what is due moves")
  func later() {
    var rig = Self.running(Self.rules { $0.warnSignal = 10 })
    _ = rig.expire(.timeElapsed, within: .seconds(5))
    let inSixty = rig.now.advanced(by: .seconds(60))
    let moved = rig.event { $0.deadlineExtended(to: inSixty, now: $1) }
    #expect(moved == [.wake(at: inSixty.advanced(by: .seconds(-2)))])
    #expect(rig.event { $0.deadlineExtended(to: .distantFuture, now: $1) } == [.wake(at: nil)])
    #expect(rig.machine.phase == .expiring, "told to stop, it stays told")
    _ = rig.event { $0.deadlineExtended(to: inSixty, now: $1) }
    #expect(rig.wake() == [.say(.sending(15)), .signal(15)])
    #expect(rig.event { $0.deadlineExtended(to: inSixty, now: $1) } == [])
  }

  @Test("A12 warned within the stop signal's time, it is asked to end at once")
  func lateWarning() {
    var rig = Self.running(Self.rules { $0.warnSignal = 10 })
    #expect(rig.expire(.timeElapsed, within: .seconds(1)) == [.say(.sending(15)), .signal(15)])
  }

  @Test(
    "A12 a command that speaks is told by its tasks and gets no signal, and is killed all the same")
  func adopted() {
    var rig = Self.running(Self.rules { $0.warnSignal = 10 })
    _ = rig.event { $0.adopted(now: $1) }
    #expect(rig.expire(.timeElapsed, within: .seconds(5)) == [])
    #expect(rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }.contains(.killAll))
  }

  @Test("A12 when its conversation is over, a command is one that does not speak")
  func conversationEnded() {
    var rig = Self.running(Self.rules())
    _ = rig.event { $0.adopted(now: $1) }
    #expect(rig.event { $0.conversationEnded(now: $1) } == [])
    #expect(rig.expire(.timeElapsed, within: .seconds(5)) == [.say(.sending(15)), .signal(15)])
  }

  @Test("W11 a command that speaks is told of a stop there, and the signal follows its grace")
  func toldInWords() {
    var rig = Self.running(Self.rules())
    _ = rig.event { $0.adopted(now: $1) }
    #expect(rig.signal(15) == [.signal(18), .requestStop(signal: 15, grace: .seconds(3))])
    #expect(rig.expire(.signal(15), within: .seconds(3)) == [])
    let killed: [Action] = [.say(.sending(9)), .killAll, .wake(at: nil)]
    var (late, left, again) = (rig, rig, rig)
    // Its own time is over as well.
    #expect(late.event { $0.deadlineCame(tripEnd: $1, now: $1) } == killed)
    // What its leader left behind does not speak.
    #expect(
      left.end(.exited(75), familyRemains: true)
        == [.say(.sending(15)), .signal(15), .wake(at: nil)])
    #expect(again.signal(15) == killed)
    let now = rig.now
    let sent = rig.event { $0.deadlineCame(tripEnd: now.advanced(by: .seconds(2)), now: $1) }
    let end = now.advanced(by: .seconds(2))
    #expect(sent == [.say(.sending(15)), .signal(15), .wake(at: end)])
    var family = rig
    #expect(family.end(.exited(75), familyRemains: true) == [.wake(at: end)])
    #expect(family.wake().contains(.killAll))
    #expect(rig.event { $0.timePassed(now: $1) } == [.wake(at: end)])
    #expect(rig.wake() == killed)
  }

  /// What the command did after an expiry, what a budget's status is, and what `timeout`'s is.
  static let ends: [(CommandEnd, SupervisorExit, SupervisorExit, SupervisorExit)] = [
    (.exited(0), .status(0), .status(124), .status(0)),
    (.exited(3), .status(3), .status(124), .status(3)),
    (.exited(75), .status(75), .status(124), .status(75)),
    (.exited(143), .status(124), .status(124), .status(143)),
    (.signalled(15, dumpedCore: false), .status(124), .status(124), .status(143)),
    (.signalled(9, dumpedCore: false), .status(137), .status(137), .status(137)),
    (.signalled(11, dumpedCore: true), .signal(11), .status(124), .status(139)),
  ]

  @Test("L8 what a command's end means after its time was up", arguments: ends)
  func statuses(
    end: CommandEnd, ofBudget: SupervisorExit, ofTimeout: SupervisorExit, preserved: SupervisorExit
  ) {
    func exit(_ rules: SupervisorRules) -> SupervisorExit? {
      var rig = Self.running(rules)
      _ = rig.expire(.timeElapsed, within: .seconds(2))
      return Self.exit(in: rig.end(end))
    }
    #expect(exit(Self.rules()) == ofBudget)
    #expect(exit(Self.rules(.timeout)) == ofTimeout)
    for style in [SupervisorRules.Style.budget, .timeout] {
      #expect(exit(Self.rules(style) { $0.preservesStatus = true }) == preserved)
    }
    // A job that was stopped in time can be gone on with.
    let isStop = ofBudget == .status(124)
    #expect(exit(Self.rules { $0.isJob = true }) == (isStop ? .status(75) : ofBudget))
  }

  @Test("L8 a command that ends in its own time passes its end on", arguments: ends.map(\.0))
  func ownTime(end: CommandEnd) {
    for style in [SupervisorRules.Style.budget, .timeout] {
      var rig = Self.running(Self.rules(style))
      let expected: SupervisorExit =
        switch end {
        case .exited(let status): .status(status)
        case .signalled(let number, _): .signal(number)
        }
      let exit = Self.exit(in: rig.end(end, familyRemains: true))
      #expect(exit == expected)
    }
  }

  @Test(
    "W11 asked from outside, a budget exits with 75 or dies of SIGINT; timeout passes the end on")
  func askedFromOutside() {
    func exit(
      _ number: Int32, _ end: CommandEnd, _ rules: SupervisorRules
    ) -> SupervisorExit? {
      var rig = Self.running(rules)
      _ = rig.signal(number)
      _ = rig.expire(.signal(number), within: .seconds(3))
      return Self.exit(in: rig.end(end))
    }
    let job = Self.rules { $0.isJob = true }
    let died = CommandEnd.signalled(15, dumpedCore: false)
    #expect(exit(15, died, job) == .status(75))
    #expect(exit(15, .exited(75), job) == .status(75))
    #expect(exit(15, .exited(0), job) == .status(0))
    #expect(exit(15, died, Self.rules()) == .signal(15))
    #expect(exit(2, .exited(75), job) == .signal(2))
    #expect(exit(2, .exited(0), job) == .status(0))
    #expect(exit(2, .exited(3), Self.rules(.timeout)) == .status(3))
    #expect(exit(15, died, Self.rules(.timeout)) == .signal(15))
    // The next stint does not begin.
    let untilDone = Self.rules { $0.untilDone = true }
    #expect(exit(1, .exited(75), untilDone) == .status(75))
  }

  @Test(
    "W11 who dies of a terminal's key ends it all, as without a further stint", arguments: [2, 3])
  func interrupted(number: Int32) {
    for hasExpired in [false, true] {
      var rig = Self.running(Self.savingJob, fruitless: 2)
      if hasExpired { _ = rig.expire(.timeElapsed, within: .seconds(2)) }
      let actions = rig.end(.signalled(number, dumpedCore: false))
      #expect(
        actions == [.wake(at: nil), .endStint(.interrupted(number)), .leave(.signal(number))])
    }
    // Sent because time was up, it is the stop signal like any other.
    var rig = Self.running(
      Self.rules {
        $0.stopSignal = number
        $0.untilDone = true
      })
    _ = rig.expire(.timeElapsed, within: .seconds(2))
    let ended = rig.end(.signalled(number, dumpedCore: false))
    #expect(ended.last == .rest(.seconds(1)))
  }

  @Test(
    "W11 a second signal ends it at once if it comes 200 ms later, and a third what SIGKILL did not",
    arguments: [SupervisorRules.Style.budget, .timeout])
  func second(style: SupervisorRules.Style) {
    var rig = Self.running(Self.rules(style))
    #expect(rig.signal(15).contains(.signal(15)))
    #expect(rig.event { $0.signalCame(15, reachedCommand: false, now: $1) } == [])
    #expect(rig.signal(15).contains(.killAll))
    let third = rig.signal(15)
    #expect(third.contains(.say(.leftBehind)))
    #expect(Self.exit(in: third) == .signal(9))
  }

  @Test("W11 what is left when the leader has gone is killed at a second signal, or in a moment")
  func secondWhileEmptying() {
    var rig = Self.running(Self.rules(.timeout))
    _ = rig.signal(15)
    let gone = CommandEnd.signalled(15, dumpedCore: false)
    var other = rig
    let left = rig.end(gone, familyRemains: true)
    let end = rig.now.advanced(by: SupervisorRules.emptyingWithoutDeadline)
    #expect(left == [.wake(at: end)])
    #expect(rig.wake().contains(.killAll))
    _ = other.end(gone, familyRemains: true)
    #expect(other.signal(15).contains(.killAll))
    #expect(Self.exit(in: other.event { $0.familyEnded(now: $1) }) == .signal(15))
  }

  @Test("R9 in the foreground a terminal's keys are not sent twice, and no family is looked after")
  func foreground() {
    var rig = Self.running(Self.rules { $0.isForeground = true })
    let actions = rig.signal(2, reachedCommand: true)
    #expect(actions == [.requestStop(signal: 2, grace: .seconds(3))])
    #expect(rig.signal(28, reachedCommand: true) == [])
    _ = rig.expire(.signal(2), within: .seconds(3))
    let ended = rig.end(.exited(1), familyRemains: true)
    #expect(Self.exit(in: ended) == .signal(2))
  }

  @Test(
    "W13 R10 what is killed is started again a limited number of times in a row", arguments: 0...3)
  func restarts(maximum: Int) {
    var rig = Self.running(
      Self.rules {
        $0.untilDone = true
        $0.maximumRestarts = maximum
      })
    var stints = 0
    while rig.machine.phase == .running, stints < 10 {
      stints += 1
      _ = rig.expire(.timeElapsed, within: .seconds(2))
      _ = rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
      let actions = rig.end(.signalled(9, dumpedCore: false))
      #expect(actions.contains(.endStint(.killed)))
      if rig.machine.phase == .ended { #expect(Self.exit(in: actions) == .status(137)) }
      _ = rig.event { $0.restEnded(hasTime: true, now: $1) }
    }
    #expect(stints == maximum + 1)
  }

  @Test("A23 suspended at its deadline, it goes on with the next grant, as often as it takes")
  func suspended() {
    var rig = Self.running(Self.rules { $0.suspends = true })
    for _ in 1...3 {
      #expect(rig.expire(.timeElapsed, within: .seconds(2)) == [])
      let frozen = rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
      #expect(frozen == [.wake(at: nil), .freeze, .rest(.seconds(1))])
      #expect(rig.event { $0.restEnded(hasTime: true, now: $1) } == [.thaw(withGrant: true)])
    }
    // In the time it has again, its end is its own.
    let ended = rig.end(.signalled(15, dumpedCore: false))
    #expect(Self.exit(in: ended) == .signal(15))
  }

  @Test("R9 frozen and killed from outside, what stands still beside it goes too")
  func frozenFamily() {
    var rig = Self.running(Self.rules { $0.suspends = true })
    _ = rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
    let killed = CommandEnd.signalled(9, dumpedCore: false)
    let actions = rig.end(killed, familyRemains: true)
    #expect(actions.contains(.killAll))
    #expect(Self.exit(in: rig.event { $0.familyEnded(now: $1) }) == .status(137))
  }

  @Test("R9 what cannot be killed is waited for five seconds, and told")
  func leftBehind() {
    var rig = Self.running(Self.rules())
    _ = rig.expire(.timeElapsed, within: .seconds(2))
    _ = rig.end(.exited(0), familyRemains: true)
    #expect(rig.machine.phase == .emptying)
    _ = rig.event { $0.deadlineCame(tripEnd: $1, now: $1) }
    let actions = rig.wake()
    #expect(actions.first == .say(.leftBehind))
    #expect(Self.exit(in: actions) == .status(0))
  }

  @Test("126 and 127 tell a command that cannot be run from one that is not there")
  func startFailures() {
    func status(_ stage: CommandStartFailure.Stage, _ errno: Int32) -> SupervisorExit? {
      var rig = Self.running(Self.rules())
      let failure = CommandStartFailure(stage: stage, errno: errno)
      return Self.exit(in: rig.event { $0.startFailed(failure, now: $1) })
    }
    #expect(status(.program, 2) == .status(127))
    #expect(status(.program, 20) == .status(127))
    #expect(status(.program, 13) == .status(126))
    #expect(status(.program, 8) == .status(126))
    #expect(status(.process, 11) == .status(125))
  }
}

@Suite("Progress files of commands")
struct CommandProgressTests {
  @Test(
    "a share, with or without a phase",
    arguments: [
      ("0.42", 0.42, ""), ("42%\n", 0.42, ""),
      ("0.5 rendering frame 7\nmore", 0.5, "rendering frame 7"),
      ("1", 1, ""), (".25", 0.25, ""), ("1e-1\tx", 0.1, "x"), ("7", 0.07, ""),
      ("42 % z", 0.42, "z"),
      ("42 %", 0.42, ""), ("100", 1, ""), ("42", 0.42, ""),
    ])
  func reads(text: String, fraction: Double, phase: String) throws {
    let progress = try #require(WorkProgress(commandText: text))
    #expect(abs(progress.fraction - fraction) < 1e-12)
    #expect(progress.phase == phase)
  }

  @Test(
    "what is no share is none",
    arguments: ["", "\n0.5", "nan", "inf", "-0.5", "half", "%", "0x1g", "0.5.5", "250% z", "101"])
  func refuses(text: String) {
    #expect(WorkProgress(commandText: text) == nil)
  }
}

import StintCore
import Testing

@Suite("The run machine, whatever happens")
struct RunMachineTests {
  /// A run, and what must be true of everything that it wants.
  private struct Watched {
    var rig: RunRig
    var faults: [String] = []
    private var isAskedToEnd = false
    private var hasLeft = false
    private var restEnd: Instant?
    private var lastWait = 0

    init(_ generator: inout SplitMix64) {
      rig = RunRig(
        rest: Bool.random(using: &generator) ? .seconds(2) : nil,
        time: [nil, .unlimited, .authority].randomElement(using: &generator) ?? nil,
        stopsWithWork: Int.random(in: 0..<4, using: &generator) == 0)
    }

    mutating func happen(_ event: RunTable.Event, after time: Duration) {
      rig.wait(time)
      if event == .begun || event == .begunLate {
        // A driver begins once.
        if rig.machine.phase != .idle { return }
      }
      let before = rig.machine.phase
      let actions = RunTable.apply(event, to: &rig)
      for action in actions { judge(action, event, before) }
      if hasLeft, rig.machine.phase != .ended { faults.append("\(event): alive after its end") }
    }

    private mutating func judge(
      _ action: RunMachine.Action, _ event: RunTable.Event, _ before: RunMachine.Phase
    ) {
      func fault(_ what: String) { faults.append("\(event) when \(before): \(what)") }
      switch action {
      case .begin, .goOn, .save, .rest, .pause, .stopProcess:
        if hasLeft { fault("\(action) after its end") }
        // What begins with a signal before it is begun to be stopped.
        if isAskedToEnd, event != .begun { fault("\(action) after it was asked to end") }
      case .endAfterCheckpoint, .requestStop, .endWork, .die, .leave: break
      }
      switch action {
      case .rest(let end, let wait):
        if wait <= lastWait { fault("two waits have one number") }
        lastWait = wait
        // A stop of the terminal or a pause makes no rest longer.
        if let restEnd, end > restEnd { fault("the rest became longer") }
        restEnd = end
      case .pause(let wait):
        if wait <= lastWait { fault("two waits have one number") }
        lastWait = wait
      case .goOn(let time):
        restEnd = nil
        guard case .trip(_, let end?) = time else { break }
        if !rig.machine.rules.stopsWithWork, end.instant <= rig.now {
          fault("a trip without time")
        }
      case .begin, .save, .stopProcess, .die: break
      case .endAfterCheckpoint:
        if before == .resting || before == .paused { isAskedToEnd = true }
      case .requestStop, .endWork: isAskedToEnd = true
      case .leave:
        if hasLeft { fault("a second end") }
        hasLeft = true
      }
    }
  }

  @Test(
    "A9 A23 W7 W11 no history begins after an end was asked for, waits twice or ends twice",
    arguments: [UInt64](1...40))
  func anyHistory(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<250 {
      var watched = Watched(&generator)
      var history: [RunTable.Event] = []
      for _ in 0..<30 {
        let event = RunTable.Event.allCases.randomElement(using: &generator) ?? .suspended
        history.append(event)
        let milliseconds = [0, 0, 1, 100, 1_000, 9_000].randomElement(using: &generator) ?? 0
        watched.happen(event, after: .milliseconds(milliseconds))
      }
      #expect(watched.faults.isEmpty, "seed \(seed): \(history)")
      guard watched.faults.isEmpty else { return }
    }
  }

  @Test("W11 a second signal ends the process in every phase, and one within 200 ms does not")
  func secondSignal() {
    for situation in RunTable.Situation.allCases {
      var rig = RunTable.rig(in: situation)
      rig.wait(.seconds(1))
      let first = rig.machine.signalCame(15, now: rig.now)
      rig.wait(.milliseconds(199))
      #expect(
        rig.machine.signalCame(2, now: rig.now)
          == (first == [.die(signal: 15)] ? [.die(signal: 2)] : []))
      rig.wait(.milliseconds(1))
      #expect(rig.machine.signalCame(2, now: rig.now) == [.die(signal: 2)], "\(situation)")
    }
  }

  @Test("W11 warnings count once, and a signal that asks for an end after them is a first one")
  func warnings() {
    for situation in RunTable.Situation.allCases {
      var rig = RunTable.rig(in: situation)
      rig.wait(.seconds(1))
      let hasSignal = rig.machine.firstSignal != nil
      let first = rig.machine.warningCame(10)
      #expect(first.isEmpty || first == [.requestStop(signal: 10)], "\(situation)")
      #expect(rig.machine.warningCame(24) == [], "\(situation)")
      #expect(
        rig.machine.signalCame(15, now: rig.now)
          == [hasSignal ? .die(signal: 15) : .requestStop(signal: 15)], "\(situation)")
    }
    // One that came before there was work is not forgotten.
    var rig = RunTable.rig(in: .notBegun)
    _ = rig.machine.warningCame(10)
    #expect(rig.machine.begun(rig.time, now: rig.now).last == .requestStop(signal: 10))
  }

  @Test("A23 W11 a stop of the terminal that came on the way back to an end is not obeyed")
  func stopOnTheWayToTheEnd() {
    func stoppedAgain(rest: Duration?) -> RunRig {
      var rig = RunRig(rest: rest, time: nil, stopsWithWork: false)
      for event: RunTable.Event in [.begun, .terminalStopCame, .suspended, .terminalStopCame] {
        _ = RunTable.apply(event, to: &rig)
      }
      return rig
    }
    // The only trip is over: a process that stops now would leave its last words for later.
    var rig = stoppedAgain(rest: nil)
    #expect(RunTable.apply(.processContinuedLate, to: &rig) == [.leave(.timeIsUp)])
    #expect(rig.machine.phase == .ended)
    // Asked to end, it ends by itself.
    rig = stoppedAgain(rest: .seconds(2))
    #expect(RunTable.apply(.stopRequested, to: &rig) == [.endAfterCheckpoint])
    #expect(RunTable.apply(.processContinuedLate, to: &rig) == [])
    #expect(rig.machine.phase == .ending)
  }
}

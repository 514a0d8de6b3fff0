import StintCore
import Testing

@Suite("System machine: life of an application")
struct LifeClauseTests {
  @Test("L1 five states, of which code observes the middle three")
  func states() {
    let probe = MachineProbe()
    #expect(probe.machine.lifeState == .notRunning)
    probe.event { $0.launched(into: .foreground, now: $1) }
    #expect(probe.last.first == .show(.inactive))
    #expect(probe.machine.lifeState == .inactive)
    probe.event { $0.becameActive(now: $1) }
    #expect(probe.machine.lifeState.toldState == .active)
    probe.enterBackground()
    #expect(probe.machine.lifeState.toldState == .background)
    probe.advance(.seconds(5))
    #expect(probe.machine.lifeState == .suspended)
    #expect(probe.machine.lifeState.toldState == .background)
    #expect(LifeState.allCases.count == 5)
  }

  @Test("L2 each transition is told with its own state visible inside")
  func transitions() {
    let probe = MachineProbe.inBackground()
    probe.enterForeground()
    #expect(
      Array(probe.log.dropFirst(3)) == [
        .show(.active), .tell(.didBecomeActive, trip: 0),
        .tell(.willResignActive, trip: 0), .show(.inactive),
        .show(.background), .tell(.didEnterBackground, trip: 1),
        .tell(.willEnterForeground, trip: 0), .show(.inactive),
        .show(.active), .tell(.didBecomeActive, trip: 0),
      ])
  }

  @Test("L3 a short interruption never enters the background")
  func interruption() {
    let probe = MachineProbe.active()
    probe.begin()
    probe.event { $0.resigned(now: $1) }
    #expect(probe.remaining == nil)
    probe.advance(.seconds(100))
    probe.event { $0.becameActive(now: $1) }
    #expect(probe.told.suffix(3) == [.didBecomeActive, .willResignActive, .didBecomeActive])
    #expect(!probe.told.contains(.didEnterBackground))
    #expect(probe.machine.lifeState == .active)
    #expect(probe.called.isEmpty)
  }

  @Test("L4 without a task the grace, then suspension")
  func grace() {
    let probe = MachineProbe.active()
    probe.enterBackground()
    probe.advance(.milliseconds(4_999))
    #expect(probe.machine.lifeState == .background)
    probe.advance(.milliseconds(1))
    #expect(probe.machine.lifeState == .suspended)
    #expect(probe.ask() == .denied(.suspended), "too late is denied, not ignored")
  }

  @Test("L4 the grace counts from the entry, however long ago the trip's clock began")
  func graceFromEntry() {
    for hasTask in [true, false] {
      let probe = MachineProbe.active()
      if hasTask { probe.begin() }
      let start = probe.now
      probe.advance(.seconds(12))
      probe.event { $0.resigned(now: $1) }
      probe.event { $0.backgroundEntered(since: start, granting: .seconds(60), now: $1) }
      probe.advance(.milliseconds(4_999))
      #expect(probe.terminations.isEmpty)
      probe.advance(.milliseconds(1))
      #expect(probe.terminations == [.enterBackgroundOverran])
    }
  }

  @Test(
    "L4 A15 a trip that is ended by a budget needs no task: one that is begun late joins it",
    arguments: LimitedTrip.allCases)
  func limitedTrip(_ kind: LimitedTrip) {
    let probe = kind.enter()
    let end = probe.machine.trip?.deadline ?? probe.now
    probe.advance(.seconds(20))
    #expect(probe.machine.lifeState == .background, "longer than a grace without a task")
    let first = probe.begin()
    #expect(probe.machine.tasks.count == 1, "what is left of the trip is its time")
    #expect(probe.machine.hardStop == (end == .distantFuture ? nil : end))
    probe.end(first)
    probe.advance(.seconds(20))
    #expect(probe.machine.lifeState == .background, "longer than a grace between two tasks")
    #expect(probe.machine.hardStop == nil)
    #expect(probe.remaining == (end == .distantFuture ? nil : probe.now.duration(to: end)))
    if end == .distantFuture {
      probe.event { $0.idled(now: $1) }
    } else {
      probe.advance(probe.now.duration(to: end) - .nanoseconds(1))
      #expect(probe.machine.lifeState == .background)
      probe.advance(.nanoseconds(1))
    }
    #expect(probe.last == [.suspend], "with its time, and not terminated")
    #expect(probe.terminations.isEmpty)
  }

  /// Who says when a trip ends, where it is not the numbers of the policy.
  enum LimitedTrip: String, CaseIterable {
    case granted, withoutEndYet, movedEnd, budget, remote

    func enter() -> MachineProbe {
      let policy = MachineProbe.policy.withBudget(.seconds(60))
      let probe =
        switch self {
        case .granted, .withoutEndYet, .movedEnd: MachineProbe.active(.commandLine)
        case .budget: MachineProbe.active(policy)
        case .remote: MachineProbe.active(authority: .remote)
        }
      probe.event { $0.resigned(now: $1) }
      switch self {
      case .granted, .remote:
        probe.event { $0.backgroundEntered(granting: .seconds(60), now: $1) }
      case .withoutEndYet:
        probe.event { $0.backgroundEntered(isLimited: true, now: $1) }
      case .movedEnd:
        probe.event { $0.backgroundEntered(now: $1) }
        probe.event { $0.deadlineMoved(to: $1.advanced(by: .seconds(60)), now: $1) }
      case .budget:
        probe.event { $0.backgroundEntered(now: $1) }
      }
      probe.enterReturned()
      return probe
    }
  }

  @Test("L4 a task begun inside the grace counts, a pending one too")
  func taskInGrace() {
    let probe = MachineProbe.active(authority: .remote)
    probe.enterBackground()
    probe.advance(.seconds(4))
    let task = probe.begin()
    probe.advance(.seconds(4))
    #expect(probe.machine.lifeState == .background, "pending counts as open")
    probe.event { $0.taskAnswered(task, .granted, now: $1) }
    #expect(probe.remaining == .seconds(22))
    probe.end(task)
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test(
    "L4 didEnterBackground that does not return is fatal, with a task or without",
    arguments: [true, false])
  func enterOverruns(hasTask: Bool) {
    let probe = MachineProbe.active()
    if hasTask { probe.begin() }
    probe.enterBackground(returning: false)
    probe.advance(.seconds(4))
    #expect(probe.terminations.isEmpty)
    probe.advance(.seconds(1))
    #expect(probe.terminations == [.enterBackgroundOverran])
  }

  @Test("L4 a return that belongs to an earlier trip does not count for this one")
  func staleReturn() {
    let probe = MachineProbe.active()
    probe.enterBackground(returning: false)
    probe.enterForeground()
    probe.enterBackground(returning: false)
    probe.event { $0.didEnterBackgroundReturned(trip: 1, now: $1) }
    probe.advance(.seconds(5))
    #expect(probe.terminations == [.enterBackgroundOverran])
  }

  @Test("L5 a handler of a refused task that runs on wakes nobody in a suspension")
  func refusedHandlerInSuspension() {
    let probe = MachineProbe.active(authority: .remote)
    let task = probe.begin()
    probe.enterBackground()
    probe.event { $0.taskAnswered(task, .denied(.refused("no")), now: $1) }
    #expect(probe.machine.lifeState == .suspended)
    #expect(probe.claim(task))
    #expect(probe.machine.nextWake == .distantFuture)
    probe.returned(task)
    #expect(probe.machine.nextWake == .distantFuture)
  }

  @Test("L5 suspended nothing is due, and the resumption is told before anything else")
  func suspended() {
    let probe = MachineProbe.active()
    probe.enterBackground()
    probe.advance(.seconds(5))
    #expect(probe.machine.nextWake == .distantFuture)
    #expect(probe.machine.hardStop == nil)
    probe.advance(.seconds(500))
    probe.event { $0.foregroundEntered(now: $1) }
    #expect(
      probe.last == [.resume, .tell(.willEnterForeground, trip: 0), .show(.inactive)])
  }

  @Test("L6 a suspended application is ended without notice")
  func killedWhileSuspended() {
    let probe = MachineProbe.active()
    probe.enterBackground()
    probe.advance(.seconds(5))
    let other = probe.copy()
    probe.event { $0.killedWhileSuspended(now: $1) }
    #expect(probe.last == [.terminate(.killedWhileSuspended)])
    #expect(probe.machine.lifeState == .notRunning)
    other.event { $0.terminated(now: $1) }
    #expect(!other.told.contains(.willTerminate))
    let active = MachineProbe.active()
    active.event { $0.terminated(now: $1) }
    #expect(active.told.last == .willTerminate)
  }

  @Test("L7 launched for an event: told in the background, and no willEnterForeground")
  func backgroundLaunch() {
    let probe = MachineProbe()
    probe.event { $0.launched(into: .background, now: $1) }
    #expect(
      probe.log == [
        .show(.background), .tell(.willFinishLaunching, trip: 0),
        .tell(.didFinishLaunching, trip: 0), .tell(.didEnterBackground, trip: 1),
      ])
    probe.enterReturned()
    let task = probe.begin()
    #expect(probe.remaining == .seconds(30))
    probe.advance(.seconds(6))
    probe.end(task)
    #expect(probe.machine.lifeState == .suspended)
    #expect(probe.terminations.isEmpty)
    #expect(!probe.told.contains(.willEnterForeground))
  }

  @Test("L7 L4 after a launch for an event didEnterBackground has to return, too")
  func backgroundLaunchOverruns() {
    let probe = MachineProbe()
    probe.event { $0.launched(into: .background, now: $1) }
    probe.advance(.seconds(5))
    #expect(probe.terminations == [.enterBackgroundOverran])
  }

  @Test("L9 a launch is told in the inactive state, before anything else")
  func launch() {
    let probe = MachineProbe()
    probe.event { $0.launched(into: .foreground, now: $1) }
    probe.event { $0.becameActive(now: $1) }
    #expect(
      probe.log == [
        .show(.inactive), .tell(.willFinishLaunching, trip: 0),
        .tell(.didFinishLaunching, trip: 0), .show(.active), .tell(.didBecomeActive, trip: 0),
      ])
  }

  @Test("L10 memory pressure is told at once, and not again within ten seconds")
  func memory() {
    let probe = MachineProbe.active()
    func press() -> Bool {
      probe.event { $0.memoryPressed(now: $1) }
      return probe.last == [.tell(.didReceiveMemoryWarning, trip: 0)]
    }
    #expect(press())
    #expect(!press())
    probe.advance(.nanoseconds(9_999_999_999))
    #expect(!press())
    probe.advance(.nanoseconds(1))
    #expect(press(), "counted from the one that was told")
    #expect(probe.machine.lifeState == .active)
  }

  @Test("L10 L5 suspended or not running, nobody is told of memory pressure, and none is used up")
  func memoryWhileNothingRuns() {
    let probe = MachineProbe()
    probe.event { $0.memoryPressed(now: $1) }
    #expect(probe.log.isEmpty)
    probe.event { $0.launched(into: .background, now: $1) }
    probe.enterReturned()
    probe.advance(.seconds(5))
    probe.event { $0.memoryPressed(now: $1) }
    #expect(probe.last.isEmpty)
    probe.enterForeground()
    probe.event { $0.memoryPressed(now: $1) }
    #expect(probe.last == [.tell(.didReceiveMemoryWarning, trip: 0)])
  }

  @Test("L8 a termination that is only reported ends all tasks and suspends")
  func reported() {
    let probe = MachineProbe.inBackground("stuck")
    probe.advance(.seconds(30))
    #expect(probe.terminations == [.handlersOverran])
    #expect(probe.ask() == .denied(.notRunning))
    probe.event { $0.terminationReported(now: $1) }
    #expect(probe.last == [.suspend])
    #expect(probe.machine.tasks.isEmpty)
    probe.enterForeground()
    probe.begin()
    probe.enterBackground()
    #expect(probe.remaining == .seconds(30))
  }
}

import StintCore
import Testing

@Suite("System machine: the trip's budget")
struct BudgetClauseTests {
  @Test("A9 the budget belongs to the trip and starts before didEnterBackground")
  func sharedBudget() {
    let probe = MachineProbe.active()
    probe.begin("first")
    probe.advance(.seconds(100))
    #expect(probe.remaining == nil, "dormant in the foreground")
    probe.enterBackground(returning: false)
    #expect(probe.remaining == .seconds(30))
    probe.advance(.seconds(2))
    probe.enterReturned()
    #expect(probe.remaining == .seconds(28), "whenever it returns")
    probe.begin("second")
    #expect(probe.remaining == .seconds(28), "two tasks do not get twice the time")
    #expect(probe.machine.hardStop == probe.now.advanced(by: .seconds(28)))
  }

  @Test("A10 unlimited in the foreground, falling with the clock in the background, never negative")
  func remaining() {
    let probe = MachineProbe.active()
    #expect(probe.machine.remaining(at: probe.now) == .unlimited)
    #expect(probe.machine.remaining(at: probe.now).seconds == Double.greatestFiniteMagnitude)
    probe.enterBackground(returning: false)
    #expect(probe.remaining == .seconds(5), "without a task the rest of the grace")
    #expect(probe.machine.taskTimeUntil == probe.now.advanced(by: .seconds(30)))
    probe.begin()
    #expect(probe.remaining == .seconds(30))
    probe.enterReturned()
    probe.advance(.milliseconds(12_345))
    #expect(probe.remaining == .milliseconds(17_655))
    let late = probe.now.advanced(by: .seconds(1_000))
    #expect(probe.machine.remaining(at: late) == .limited(.zero))
  }

  @Test("A11 too little left is denied with both numbers, inside the lead is warned at once")
  func late() {
    let probe = MachineProbe.inBackground("long")
    probe.advance(.seconds(27))
    let task = probe.begin("late")
    #expect(probe.called.last == task, "warned at once")
    probe.advance(.milliseconds(2_500))
    #expect(
      probe.ask()
        == .denied(.tooLittleTime(remaining: .milliseconds(500), least: .seconds(1))))
  }

  @Test("A15 when the last task is ended the application is suspended, not terminated")
  func suspension() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(10))
    probe.end(task)
    #expect(probe.last == [.suspend])
    #expect(probe.machine.lifeState == .suspended)
    #expect(probe.machine.hardStop == nil)
    probe.advance(.seconds(1_000))
    #expect(probe.terminations.isEmpty)
  }

  @Test("A15 with nothing more to do, a trip of any end is over with its last task")
  func idled() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.event { $0.resigned(now: $1) }
    probe.event { $0.backgroundEntered(granting: .seconds(60), now: $1) }
    probe.event { $0.idled(now: $1) }
    probe.end(task)
    #expect(probe.machine.lifeState == .background, "didEnterBackground has still to return")
    probe.enterReturned()
    #expect(probe.machine.lifeState == .suspended)
    probe.event { $0.resumed(now: $1) }
    probe.advance(.seconds(20))
    #expect(probe.machine.lifeState == .background, "resumed, it has time again")
  }

  @Test("A15 not before didEnterBackground has returned")
  func suspensionWaits() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.enterBackground(returning: false)
    probe.end(task)
    #expect(probe.machine.lifeState == .background)
    probe.enterReturned()
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test("A16 back before expiry: no handler, the tasks stay open, the next trip has a new budget")
  func newBudget() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(24))
    probe.enterForeground()
    #expect(probe.remaining == nil)
    #expect(probe.machine.hardStop == nil)
    probe.advance(.seconds(60))
    #expect(probe.called.isEmpty)
    #expect(probe.machine.tasks.map(\.identifier) == [task])
    probe.enterBackground()
    #expect(probe.remaining == .seconds(30))
  }

  @Test("A16 a daily quota is shared by the trips of 24 hours")
  func quota() {
    let probe = MachineProbe.inBackground(
      policy: changed(MachineProbe.policy) { $0.dailyQuota = .seconds(50) })
    probe.advance(.seconds(24))
    probe.enterForeground()
    probe.enterBackground()
    #expect(probe.remaining == .seconds(26))
    probe.advance(.seconds(20))
    probe.enterForeground()
    probe.enterBackground()
    #expect(probe.remaining == .seconds(6))
    probe.enterForeground()
    probe.advance(.seconds(86_400))
    probe.enterBackground()
    #expect(probe.remaining == .seconds(30))
  }

  @Test("A16 a quota that is used up leaves the lead, so that nobody is ended unwarned")
  func usedUpQuota() {
    let probe = MachineProbe.active(changed(MachineProbe.policy) { $0.dailyQuota = .seconds(20) })
    let first = probe.begin("worker", .direct)
    probe.enterBackground()
    #expect(probe.remaining == .seconds(20))
    probe.advance(.seconds(16))
    #expect(probe.handed == [first])
    probe.end(first)
    probe.advance(.seconds(4))
    probe.enterForeground()
    // Nothing is left of the quota.
    let second = probe.begin("worker", .direct)
    probe.enterBackground()
    #expect(probe.remaining == .seconds(5))
    #expect(probe.handed == [first, second], "warned at once")
    #expect(probe.terminations.isEmpty)
  }

  @Test("A17 a stale expiry is dropped, and the task is warned again in the next trip")
  func staleExpiry() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(26))
    let stale = probe.lastEpoch
    probe.enterForeground()
    #expect(!probe.claim(task, epoch: stale))
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.called == [task, task])
    #expect(!probe.claim(task, epoch: stale), "the old call is not the new one")
    #expect(probe.claim(task))
  }

  @Test("A17 a spent task is not revived, and is ended by the system when the next trip begins")
  func spentTask() {
    let probe = MachineProbe.active()
    let task = probe.begin("spent")
    probe.enterBackground()
    probe.advance(.seconds(26))
    #expect(probe.claim(task))
    probe.returned(task)
    probe.enterForeground()
    #expect(probe.machine.hardStop == nil, "the hard stop is disarmed")
    #expect(probe.machine.openTasks(at: probe.now).map(\.state) == [.spent])
    probe.enterBackground()
    let ended = probe.diagnostics.contains {
      if case .spentTaskEnded("spent", _) = $0 { true } else { false }
    }
    #expect(ended)
    #expect(probe.machine.tasks.isEmpty)
    probe.advance(.seconds(5))
    #expect(probe.machine.lifeState == .suspended, "it does not hold the trip")
    #expect(probe.end(task) == .alreadyEnded)
  }

  @Test(
    "A23 stopped time counts, or moves the deadline", arguments: SystemPolicy.StoppedTime.allCases)
  func stoppedTime(counting: SystemPolicy.StoppedTime) {
    let probe = MachineProbe.inBackground(
      policy: changed(MachineProbe.policy) { $0.stoppedTime = counting })
    probe.advance(.seconds(10))
    probe.now = probe.now.advanced(by: .seconds(4))
    probe.event { $0.continued(afterStop: .seconds(4), now: $1) }
    #expect(probe.remaining == (counting == .elapsed ? .seconds(16) : .seconds(20)))
  }

  @Test("A23 continued past its deadline, the process is terminated at once")
  func continuedTooLate() {
    let probe = MachineProbe.inBackground()
    probe.now = probe.now.advanced(by: .seconds(31))
    probe.event { $0.continued(afterStop: .seconds(31), now: $1) }
    #expect(probe.terminations == [.overrun])
    #expect(probe.called.isEmpty)
  }

  @Test("A23 a suspended application that runs again has what is left of its trip")
  func resumption() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(10))
    probe.end(task)
    probe.advance(.seconds(5))
    probe.event { $0.resumed(now: $1) }
    #expect(probe.last == [.resume])
    probe.begin()
    #expect(probe.remaining == .seconds(15))
  }
}

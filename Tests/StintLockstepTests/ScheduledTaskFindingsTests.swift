import StintCore
import Testing

/// Mistakes of the system machine with tasks that it begins, which simulated lives found.
@Suite("What simulated lives found in tasks that the system begins")
struct ScheduledTaskFindingsTests {
  private func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1e9))
  }

  private func begin(
    _ machine: inout SystemMachine, at seconds: Double
  ) -> TaskGrant {
    machine.systemTaskRequested(
      name: "r", origin: .here(), allowance: .seconds(300), now: at(seconds)
    ).grant
  }

  private func enterBackground(_ machine: inout SystemMachine, at seconds: Double) {
    _ = machine.resigned(now: at(seconds))
    _ = machine.backgroundEntered(now: at(seconds))
    let trip = machine.trip?.number ?? 0
    _ = machine.didEnterBackgroundReturned(trip: trip, now: at(seconds))
  }

  @Test("Q9 a task that is denied moves no end and begins no trip")
  func denied() {
    var policy = SystemPolicy.iOS13
    policy.maximumTasks = 1
    var machine = SystemMachine(policy: policy)
    _ = machine.launched(into: .foreground, now: at(0))
    _ = machine.becameActive(now: at(0))
    let own = machine.taskRequested(
      name: "own", origin: .here(), delivery: .direct, now: at(0))
    enterBackground(&machine, at: 0)
    let deadline = machine.trip?.deadline
    #expect(begin(&machine, at: 10) == .denied(.tooManyTasks(maximum: 1)))
    #expect(machine.trip?.deadline == deadline)
    guard case .granted(let task) = own.grant else {
      Issue.record("the program's own task is denied")
      return
    }
    _ = machine.taskEnded(task, by: .here(), quietly: true, now: at(11))
    #expect(machine.lifeState == .suspended)
    let first = begin(&machine, at: 20)
    #expect(machine.lifeState == .background)
    #expect(begin(&machine, at: 20) == .denied(.tooManyTasks(maximum: 1)))
    #expect(machine.trip?.deadline == at(320))
    #expect(first != .denied(.suspended))
  }

  @Test("B2 a task of the system's that was warned has to be completed in the next trip, too")
  func spent() {
    var machine = SystemMachine(policy: .iOS13)
    _ = machine.launched(into: .foreground, now: at(0))
    _ = machine.becameActive(now: at(0))
    enterBackground(&machine, at: 0)
    guard case .granted(let task) = begin(&machine, at: 1) else {
      Issue.record("the task is denied")
      return
    }
    _ = machine.timePassed(now: at(297))
    _ = machine.foregroundEntered(now: at(298))
    _ = machine.becameActive(now: at(298))
    enterBackground(&machine, at: 299)
    let actions = machine.taskNotCompleted(task, now: at(301))
    #expect(actions.contains(.terminate(.neverCompleted(name: "r"))))
  }

  @Test("A16 Q9 time that passed in a suspension and was told of leaves the quota as it was used")
  func quota() {
    var policy = SystemPolicy.iOS13
    policy.stoppedTime = .running
    policy.dailyQuota = .seconds(100)
    var machine = SystemMachine(policy: policy)
    _ = machine.launched(into: .foreground, now: at(0))
    _ = machine.becameActive(now: at(0))
    enterBackground(&machine, at: 0)
    guard case .granted(let own) = begin(&machine, at: 0) else {
      Issue.record("the task is denied")
      return
    }
    _ = machine.taskEnded(own, by: .here(), quietly: true, now: at(10))
    #expect(machine.lifeState == .suspended)
    _ = machine.continued(afterStop: .seconds(50), now: at(60))
    _ = begin(&machine, at: 70)
    #expect(machine.trip?.deadline == at(160), "90 s of 100 are left")
  }
}

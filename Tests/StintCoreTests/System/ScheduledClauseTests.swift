import StintCore
import Testing

@Suite("System machine: tasks that the system begins")
struct ScheduledClauseTests {
  private func suspended(_ policy: SystemPolicy = MachineProbe.policy) -> MachineProbe {
    let probe = MachineProbe.inBackground(policy: policy)
    probe.advance(.seconds(20))
    if let task = probe.machine.tasks.first { probe.end(task.identifier) }
    return probe
  }

  @Test("Q9 a suspended application runs again for a task, in a trip of its own")
  func resumed() {
    let probe = suspended()
    #expect(probe.machine.lifeState == .suspended)
    probe.advance(.seconds(100))
    let grant = probe.askBySystem(allowance: .seconds(300))
    #expect(grant.isGranted && probe.last.contains(.resume))
    #expect(probe.machine.lifeState == .background && probe.remaining == .seconds(300))
    probe.end(grant.identifier)
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test("Q9 in a living trip the end moves to the later of the two, never to an earlier one")
  func joined() {
    let probe = MachineProbe.inBackground()
    #expect(probe.remaining == .seconds(30))
    _ = probe.askBySystem(allowance: .seconds(10))
    #expect(probe.remaining == .seconds(30))
    _ = probe.askBySystem(allowance: .seconds(300))
    #expect(probe.remaining == .seconds(300))
    probe.event { $0.timeAllowed(until: $1.advanced(by: .seconds(200)), now: $1) }
    #expect(probe.remaining == .seconds(300))
    probe.event { $0.timeAllowed(until: $1.advanced(by: .seconds(400)), now: $1) }
    #expect(probe.remaining == .seconds(400))
  }

  @Test("Q9 never beyond the end of a budget, which is also what a suspended application has left")
  func budget() {
    let policy = MachineProbe.policy.withBudget(.seconds(60))
    let probe = MachineProbe.inBackground(policy: policy)
    let grant = probe.askBySystem(allowance: .seconds(300))
    #expect(probe.remaining == .seconds(60))
    probe.event { $0.timeAllowed(until: $1.advanced(by: .seconds(300)), now: $1) }
    #expect(probe.remaining == .seconds(60))
    probe.end(grant.identifier)
    for task in probe.machine.tasks { probe.end(task.identifier) }
    probe.event { $0.idled(now: $1) }
    #expect(probe.machine.lifeState == .suspended)
    probe.advance(.seconds(20))
    let again = probe.askBySystem(allowance: .seconds(300))
    #expect(again.isGranted && probe.remaining == .seconds(40))
    probe.end(again.identifier)
    probe.event { $0.idled(now: $1) }
    probe.advance(.seconds(40))
    #expect(
      probe.askBySystem() == .denied(.tooLittleTime(remaining: .zero, least: .seconds(6))))
    #expect(probe.machine.lifeState == .suspended, "nothing runs again for it")
  }

  @Test("Q9 trips for tasks are charged to the daily quota, which denies what it cannot pay")
  func quota() {
    var policy = MachineProbe.policy
    policy.dailyQuota = .seconds(100)
    let probe = suspended(policy)
    for _ in 0..<2 {
      let grant = probe.askBySystem(allowance: .seconds(50))
      #expect(grant.isGranted)
      probe.advance(.seconds(38))
      probe.end(grant.identifier)
    }
    #expect(
      probe.askBySystem()
        == .denied(.tooLittleTime(remaining: .seconds(4), least: .seconds(6))))
    probe.advance(.seconds(86_400))
    #expect(probe.askBySystem().isGranted)
  }

  @Test("Q4 a task of the system's own that is not completed costs the process its life, once")
  func notCompleted() {
    let probe = suspended()
    let grant = probe.askBySystem("refresh")
    probe.event { $0.taskNotCompleted(grant.identifier, now: $1) }
    #expect(probe.terminations == [.neverCompleted(name: "refresh")])
    probe.event { $0.taskNotCompleted(grant.identifier, now: $1) }
    #expect(probe.terminations.count == 1)
    let completed = suspended()
    let other = completed.askBySystem()
    completed.end(other.identifier)
    completed.event { $0.taskNotCompleted(other.identifier, now: $1) }
    #expect(completed.terminations.isEmpty, "it was completed")
  }

  @Test("Q4 at the trip's end the task that the system began is the cause")
  func cause() {
    let probe = suspended()
    _ = probe.askBySystem("refresh")
    probe.advance(.seconds(40))
    #expect(probe.terminations == [.neverCompleted(name: "refresh")])
  }

  @Test("B2 a fetch has its own 30 s, whatever is left of an earlier trip, and is named as cause")
  func fetch() {
    let probe = suspended()
    let fetch = probe.askBySystem("background fetch", allowance: .seconds(30))
    #expect(fetch.isGranted && probe.remaining == .seconds(30))
    probe.advance(.seconds(20))
    let second = probe.askBySystem("background fetch", allowance: .seconds(30))
    #expect(probe.remaining == .seconds(30), "and a second one its own")
    probe.end(fetch.identifier)
    probe.event { $0.taskNotCompleted(second.identifier, now: $1) }
    #expect(probe.terminations == [.neverCompleted(name: "background fetch")])
  }
}

extension TaskGrant {
  fileprivate var isGranted: Bool { if case .granted = self { true } else { false } }
}

import StintCore
import Testing

/// What the model of the contract (`StintModel`) found in the machine, each as the shortest
/// history.
@Suite("System machine: where a second statement of the contract differed")
struct SecondStatementTests {
  static let quota = changed(MachineProbe.policy) { $0.dailyQuota = .seconds(40) }
  static let running = changed(MachineProbe.policy) { $0.stoppedTime = .running }

  @Test("A4 a denied task whose call is on its way is not swept by the next trip")
  func denialIsTold() {
    let probe = MachineProbe.active(authority: .remote)
    let task = probe.begin()
    probe.event { $0.taskAnswered(task, .denied(.refused("no")), now: $1) }
    let epoch = probe.lastEpoch
    probe.enterBackground()
    #expect(probe.claim(task, epoch: epoch), "one call of its handler")
  }

  @Test("A5 an end before the call of a denial is claimed has not come too late")
  func endBeforeDenialIsTold() {
    let probe = MachineProbe.active(authority: .remote)
    let task = probe.begin()
    probe.event { $0.taskAnswered(task, .denied(.refused("no")), now: $1) }
    #expect(probe.end(task) == .ended)
    #expect(!probe.claim(task))
  }

  @Test("A11 nothing left is not worth granting, whatever the policy says")
  func nothingLeft() {
    let probe = MachineProbe.active(changed(MachineProbe.policy) { $0.leastWorthGranting = .zero })
    probe.enterBackground()
    probe.advance(.seconds(30))
    probe.event { $0.resumed(now: $1) }
    let grant = probe.ask()
    #expect(grant.identifier == .invalid)
    #expect(probe.terminations.isEmpty)
  }

  @Test("A12 the allowance of an unserved main queue counts from a call that waits")
  func unservedSinceTheCall() {
    let probe = MachineProbe.inBackground("mute", .none)
    probe.advance(.milliseconds(25_000 + 2_600))
    probe.begin("late")
    #expect(!probe.diagnostics.contains(.mainQueueUnserved(allowance: .milliseconds(2_500))))
  }

  @Test("A16 a trip whose end was only reported is charged to the quota")
  func reportedTripIsCharged() {
    let probe = MachineProbe.inBackground(policy: Self.quota)
    probe.advance(.seconds(30))
    #expect(probe.terminations.count == 1)
    probe.event { $0.terminationReported(now: $1) }
    probe.enterForeground()
    probe.begin()
    probe.enterBackground()
    #expect(probe.remaining == .seconds(10))
  }

  @Test("A16 a quota that is used up leaves the lead, so that an open task is warned")
  func usedUpQuota() {
    let probe = MachineProbe.active(changed(MachineProbe.policy) { $0.dailyQuota = .seconds(30) })
    let task = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(24))
    probe.enterForeground()
    probe.enterBackground()
    probe.advance(.seconds(5))
    probe.enterForeground()
    probe.begin("next")
    probe.enterBackground()
    #expect(probe.terminations.isEmpty)
    #expect(probe.remaining == .seconds(5))
    #expect(probe.called.contains(task))
  }

  @Test("A16 a quota limits a policy without a grant too")
  func quotaWithoutGrant() {
    let probe = MachineProbe.inBackground(policy: changed(Self.quota) { $0.grant = nil })
    #expect(probe.remaining == .seconds(40))
  }

  @Test("A16 A23 stopped time that does not count is not charged to the quota")
  func stoppedTimeIsFree() {
    let probe = MachineProbe.inBackground(policy: changed(Self.quota) { $0.stoppedTime = .running })
    probe.advance(.seconds(10))
    probe.now = probe.now.advanced(by: .seconds(100))
    probe.event { $0.continued(afterStop: .seconds(100), now: $1) }
    probe.enterForeground()
    probe.enterBackground()
    #expect(probe.remaining == .seconds(30))
  }

  @Test("A18 a revocation is the reason for who comes later too")
  func revocationIsRemembered() {
    let probe = MachineProbe.active()
    probe.enterBackground()
    probe.event { $0.revoked(.engineEndTime, now: $1) }
    let task = probe.begin("worker", .direct)
    let deadline = probe.now.advanced(by: .seconds(5))
    #expect(probe.last.first == .expireDirectly([task], .engineEndTime, deadline: deadline))
  }

  @Test("A18 a revocation never moves a deadline that is past")
  func revocationAfterTheDeadline() {
    let probe = MachineProbe.active(Self.quota)
    probe.enterBackground()
    probe.advance(.seconds(60))
    probe.event { $0.resumed(now: $1) }
    let deadline = probe.machine.trip?.deadline
    probe.event { $0.revoked(.revoked, now: $1) }
    #expect(probe.machine.trip?.deadline == deadline)
  }

  @Test("A19 a handler that ended its task in the foreground is not watched any more")
  func noWakeForEndedTask() {
    let probe = MachineProbe.active()
    let task = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.claim(task))
    probe.enterForeground()
    #expect(probe.machine.nextWake != .distantFuture)
    probe.end(task)
    #expect(probe.machine.nextWake == .distantFuture)
  }

  @Test("A21 a scope that is begun within its margin is told and ended at the same instant")
  func scopeWithinItsMargin() {
    let probe = MachineProbe.inBackground(
      "other", .direct, policy: changed(MachineProbe.policy) { $0.scopeMargin = .seconds(2) })
    probe.advance(.milliseconds(28_500))
    probe.begin("scope", .scoped)
    #expect(probe.machine.nextWake > probe.now, "no wake-up in the past")
    #expect(probe.diagnostics.contains(.scopeOverran(name: "scope")))
  }

  @Test("A21 L5 a denied scope asks for no wake-up once its application is suspended, or resumed")
  func deniedScope() {
    let probe = MachineProbe.active(authority: .remote)
    probe.enterBackground()
    let task = probe.begin("scope", .scoped)
    probe.event { $0.taskAnswered(task, .denied(.refused("no")), now: $1) }
    #expect(probe.machine.lifeState == .suspended)
    #expect(probe.machine.nextWake == .distantFuture)
    probe.advance(.seconds(40))
    probe.event { $0.resumed(now: $1) }
    #expect(probe.machine.nextWake > probe.now, "the timers would never rest")
  }

  @Test("A23 a suspension does not count either, where stopped time does not")
  func suspensionDoesNotCount() {
    let probe = MachineProbe.active(Self.running)
    let task = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(10))
    probe.end(task)
    probe.advance(.seconds(100))
    probe.event { $0.continued(afterStop: .seconds(60), now: $1) }
    probe.event { $0.resumed(now: $1) }
    probe.begin()
    #expect(probe.remaining == .seconds(20), "neither lost nor counted twice")
  }

  @Test("L8 a process that was ended completes no stop, and one stop is completed once")
  func stopAfterTermination() {
    let probe = MachineProbe.active()
    probe.begin()
    probe.event { $0.stopRequested(.stopRequested, grace: .seconds(1), now: $1) }
    probe.advance(.seconds(1))
    #expect(probe.terminations == [.handlersOverran])
    probe.event { $0.timePassed(now: $1) }
    #expect(!probe.log.contains(.stopCompleted))
    probe.event { $0.terminationReported(now: $1) }
    probe.event { $0.timePassed(now: $1) }
    #expect(probe.log.filter { $0 == .stopCompleted }.count == 1)
  }
}

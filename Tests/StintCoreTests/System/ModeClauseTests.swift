import StintCore
import Testing

@Suite("System machine: background modes")
struct ModeClauseTests {
  /// In the background with a task, and 30 s of time.
  private func inBackground(_ policy: SystemPolicy = MachineProbe.policy) -> MachineProbe {
    MachineProbe.inBackground("worker", .direct, policy: policy)
  }

  private let worker = BackgroundTaskIdentifier(rawValue: 1)

  @Test("B5 a mode that is begun in the foreground leaves the trip without an end")
  func begunBefore() {
    let probe = MachineProbe.active()
    probe.begin()
    #expect(probe.beginMode() == .success(1))
    probe.enterBackground()
    #expect(probe.remaining == nil)
    #expect(probe.machine.hardStop == nil)
    probe.advance(.seconds(3_600))
    #expect(probe.called == [])
    #expect(probe.machine.lifeState == .background)
  }

  @Test("B5 without a task the mode alone keeps the application; a deadline under way is lifted")
  func keeps() {
    let probe = inBackground()
    probe.advance(.seconds(20))
    probe.beginMode()
    #expect(probe.last == [.deadlineExtended(to: .distantFuture)])
    #expect(probe.machine.hardStop == nil)
    probe.end(worker)
    probe.advance(.seconds(3_600))
    #expect(probe.machine.lifeState == .background)
    #expect(probe.remaining == nil)
  }

  @Test("B5 when the last mode ends in the background, the time begins as after entering")
  func lastEnds() {
    let probe = inBackground()
    probe.advance(.seconds(20))
    probe.beginMode()
    #expect(probe.beginMode() == .success(2))
    probe.advance(.seconds(100))
    probe.endMode(1)
    #expect(probe.lastWithTimers == [])
    #expect(probe.remaining == nil, "another one is in use")
    probe.endMode(2)
    let end = probe.now.advanced(by: .seconds(30))
    #expect(probe.last == [.deadlineMoved(to: end)])
    #expect(probe.machine.hardStop == end)
    #expect(probe.remaining == .seconds(30))
    probe.advance(.seconds(25))
    #expect(probe.last.first == .expireDirectly([worker], .timeElapsed, deadline: end))
  }

  @Test("B5 without a task a grace follows the last mode, then the suspension")
  func grace() {
    let probe = inBackground()
    probe.beginMode()
    probe.end(worker)
    probe.endMode()
    #expect(probe.machine.lifeState == .background)
    #expect(probe.remaining == .seconds(5))
    probe.advance(.seconds(5))
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test("B5 an undeclared mode is refused in every state")
  func undeclared() {
    let other = BackgroundMode(rawValue: "other")
    #expect(MachineProbe().beginMode(other) == .failure(.undeclared))
    let probe = inBackground()
    #expect(probe.beginMode(other) == .failure(.undeclared))
    #expect(probe.remaining == .seconds(30))
    probe.machine.modeDeclared(other, because: "whatever it is")
    #expect(probe.beginMode(other) == .success(1))
  }

  @Test(
    "B5 a policy that grants none, another process and an end that was given refuse with a reason")
  func limited() {
    #expect(
      inBackground(MachineProbe.policy.withBudget(.seconds(9))).beginMode() == .failure(.limited))
    #expect(MachineProbe.active(authority: .remote).beginMode() == .failure(.limited))
    let given = MachineProbe.active()
    given.event { $0.resigned(now: $1) }
    given.event { $0.backgroundEntered(granting: .seconds(40), now: $1) }
    #expect(given.beginMode() == .failure(.limited))
    let moved = inBackground()
    moved.event { $0.deadlineMoved(to: $1.advanced(by: .seconds(60)), now: $1) }
    #expect(moved.beginMode() == .failure(.limited))
    let revoked = inBackground()
    revoked.event { $0.revoked(.revoked, now: $1) }
    #expect(revoked.beginMode() == .failure(.limited))
    #expect(revoked.remaining == .seconds(5))
    revoked.enterForeground()
    #expect(revoked.beginMode() == .success(1), "the trip that was limited is over")
  }

  @Test("B5 what is not permitted is refused, and what is not permitted any more is over")
  func forbidden() {
    let probe = inBackground()
    let request = probe.machine.modeRequested(.audio, isPermitted: false, now: probe.now)
    #expect(request.result == .failure(.notPermitted))
    probe.machine.modeDeclared(.location, because: "the way home")
    probe.beginMode(.location)
    probe.beginMode()
    probe.event { $0.modeForbidden(.location, now: $1) }
    #expect(probe.last == [.diagnose(.modeEnded(.location, .notPermitted))])
    #expect(probe.remaining == nil)
    probe.event { $0.modeForbidden(.audio, now: $1) }
    #expect(probe.remaining == .seconds(30))
  }

  @Test("B5 an end that somebody else gives is above the mode, which is over")
  func limitedLater() {
    let probe = MachineProbe.active()
    probe.begin("worker", .direct)
    probe.beginMode()
    probe.event { $0.resigned(now: $1) }
    probe.event { $0.backgroundEntered(granting: .seconds(10), now: $1) }
    #expect(probe.diagnostics == [.modeEnded(.audio, .limited)])
    #expect(probe.machine.hardStop == probe.now.advanced(by: .seconds(10)))
    let moved = inBackground()
    moved.beginMode()
    let end = moved.now.advanced(by: .seconds(60))
    moved.event { $0.deadlineMoved(to: end, now: $1) }
    #expect(moved.diagnostics == [.modeEnded(.audio, .limited)])
    #expect(moved.machine.hardStop == end)
  }

  @Test("B5 W11 a stop waits for no mode")
  func stopping() {
    let probe = MachineProbe.active()
    probe.beginMode()
    probe.enterBackground()
    probe.event { $0.stopRequested(.stopRequested, grace: .seconds(3), now: $1) }
    #expect(probe.last == [.tell(.willTerminate, trip: 0), .stopCompleted])
    #expect(probe.beginMode() == .failure(.stopping))
  }

  @Test("B5 L4 a mode does not excuse a didEnterBackground that does not return")
  func neverReturns() {
    let probe = MachineProbe.active()
    probe.beginMode()
    probe.enterBackground(returning: false)
    probe.advance(.seconds(5))
    #expect(probe.terminations == [.enterBackgroundOverran])
    #expect(probe.machine.modes == [])
  }

  @Test("B5 A16 the time of a mode is not charged to the quota")
  func quota() {
    let probe = inBackground(changed(MachineProbe.policy) { $0.dailyQuota = .seconds(40) })
    probe.advance(.seconds(10))
    probe.beginMode()
    probe.advance(.seconds(1_000))
    probe.endMode()
    #expect(probe.remaining == .seconds(30), "10 s of 40 are used")
    probe.advance(.seconds(20))
    probe.enterForeground()
    probe.enterBackground()
    #expect(probe.remaining == .seconds(10))
  }

  @Test("B5 A16 nor is it where the mode is in use until the trip is over")
  func quotaOfWholeTrip() {
    let probe = inBackground(changed(MachineProbe.policy) { $0.dailyQuota = .seconds(40) })
    probe.advance(.seconds(15))
    probe.beginMode()
    probe.advance(.seconds(1_000))
    probe.enterForeground()
    probe.endMode()
    probe.enterBackground()
    #expect(probe.remaining == .seconds(25))
  }

  @Test("B5 A16 the mode stays in use in the foreground and for the next trip")
  func nextTrip() {
    let probe = inBackground()
    probe.beginMode()
    probe.enterForeground()
    probe.enterBackground()
    probe.advance(.seconds(100))
    #expect(probe.handed == [])
    #expect(probe.machine.modes.map(\.mode) == [.audio])
  }
}

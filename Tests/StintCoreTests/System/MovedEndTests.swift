import StintCore
import Testing

@Suite("A trip whose end moves")
struct MovedEndTests {
  /// In the background with a task, 30 s left and a lead of 5 s.
  private func inBackground(_ delivery: TaskDelivery = .direct) -> MachineProbe {
    MachineProbe.inBackground("worker", delivery)
  }

  @discardableResult
  private func move(
    _ probe: MachineProbe, in duration: Duration, _ reason: ExpiryReason = .revoked
  ) -> Instant {
    let end = probe.now.advanced(by: duration)
    probe.event { $0.deadlineMoved(to: end, because: reason, now: $1) }
    return end
  }

  private let worker = BackgroundTaskIdentifier(rawValue: 1)

  @Test("E1 a later end moves the warning and the hard stop, and owners are told")
  func later() {
    let probe = inBackground()
    let end = move(probe, in: .seconds(100))
    #expect(probe.last == [.deadlineExtended(to: end)])
    #expect(probe.machine.hardStop == end)
    #expect(probe.remaining == .seconds(100))
    probe.advance(.seconds(94))
    #expect(probe.handed == [])
    probe.advance(.seconds(1))
    #expect(probe.handed == [worker])
  }

  @Test("E1 an earlier end moves them too, and who is not warned yet counts on it")
  func earlier() {
    let probe = inBackground()
    let end = move(probe, in: .seconds(20), .engineEndTime)
    #expect(probe.last == [.deadlineMoved(to: end)])
    #expect(probe.machine.hardStop == end)
    probe.advance(.seconds(15))
    #expect(
      probe.last.first == .expireDirectly([worker], .engineEndTime, deadline: end),
      "who took the time back says why")
  }

  @Test("E1 an end that is gone leaves the trip without a deadline, and one that comes sets it")
  func never() {
    let probe = inBackground()
    probe.event { $0.deadlineMoved(to: .distantFuture, now: $1) }
    #expect(probe.machine.hardStop == nil)
    #expect(probe.machine.usableUntil == nil)
    probe.advance(.seconds(3_600))
    #expect(probe.handed == [])
    move(probe, in: .seconds(10), .timeElapsed)
    #expect(probe.remaining == .seconds(10))
    probe.advance(.seconds(5))
    #expect(probe.handed == [worker])
  }

  @Test("E1 a later end takes back a revocation that nobody was told of")
  func untold() {
    let probe = inBackground()
    move(probe, in: .seconds(20), .engineEndTime)
    let end = move(probe, in: .seconds(25))
    probe.advance(.seconds(20))
    #expect(probe.last.first == .expireDirectly([worker], .timeElapsed, deadline: end))
  }

  @Test("E1 one that somebody was told of stays the reason of the trip")
  func told() {
    let probe = inBackground()
    move(probe, in: .seconds(4), .engineEndTime)
    let end = move(probe, in: .seconds(25))
    let second = probe.begin("second", .direct)
    probe.advance(.seconds(20))
    #expect(probe.last.first == .expireDirectly([second], .engineEndTime, deadline: end))
  }

  @Test(
    "E1 nothing is un-called: a warned task stays spent, and a new one is warned by the new end")
  func uncalls() {
    let probe = inBackground()
    probe.advance(.seconds(26))
    #expect(probe.handed == [worker])
    move(probe, in: .seconds(60))
    #expect(probe.machine.openTasks(at: probe.now).map(\.state) == [.spent])
    let second = probe.begin("second", .direct)
    #expect(probe.handed == [worker], "it has time of its own")
    #expect(probe.end(worker) == .handlerAlreadyStarted)
    #expect(probe.machine.lifeState == .background)
    probe.advance(.seconds(55))
    #expect(probe.handed == [worker, second])
    #expect(probe.log.filter { if case .announceExpiry = $0 { true } else { false } }.count == 2)
  }

  @Test("E1 a call that nobody has come to is taken back, and made by the new end")
  func waitingCall() {
    let probe = inBackground(.mainQueue)
    probe.advance(.seconds(26))
    let epoch = probe.lastEpoch
    move(probe, in: .seconds(60))
    #expect(!probe.claim(worker, epoch: epoch))
    probe.advance(.seconds(55))
    #expect(probe.called == [worker, worker])
    #expect(probe.claim(worker))
  }

  @Test("E1 within the lead of the new end the warning stands")
  func stillInLead() {
    let probe = inBackground(.mainQueue)
    probe.advance(.seconds(26))
    move(probe, in: .seconds(5))
    #expect(probe.claim(worker))
    let second = probe.begin("second", .direct)
    #expect(probe.handed == [second])
  }

  @Test("E1 a spent task that is still open at the later end is the one at fault")
  func causes() {
    let probe = inBackground(.mainQueue)
    probe.advance(.seconds(26))
    #expect(probe.claim(worker))
    probe.returned(worker)
    move(probe, in: .seconds(60))
    probe.advance(.seconds(60))
    #expect(probe.terminations == [.leakedTask(name: "worker")])
  }

  @Test("E1 W11 the end of a requested stop never moves later")
  func stopping() {
    let probe = inBackground()
    probe.advance(.seconds(27))
    let end = probe.now.advanced(by: .seconds(3))
    probe.event { $0.stopRequested(.stopRequested, grace: .seconds(10), now: $1) }
    #expect(probe.machine.hardStop == end)
    move(probe, in: .seconds(60))
    #expect(probe.machine.hardStop == end)
    #expect(probe.last == [])
    move(probe, in: .seconds(1))
    #expect(probe.remaining == .seconds(1))
  }

  @Test("E1 L4 the grace of didEnterBackground grows with the budget, up to its full length")
  func grace() {
    let probe = MachineProbe.active()
    probe.event { $0.resigned(now: $1) }
    probe.event { $0.backgroundEntered(granting: .seconds(2), now: $1) }
    probe.enterReturned()
    let start = probe.now
    #expect(probe.machine.trip?.graceEnd == start.advanced(by: .seconds(2)))
    move(probe, in: .seconds(4))
    #expect(probe.machine.trip?.graceEnd == start.advanced(by: .seconds(4)))
    move(probe, in: .seconds(40))
    #expect(probe.machine.trip?.graceEnd == start.advanced(by: .seconds(5)))
    probe.advance(.seconds(39))
    #expect(probe.machine.lifeState == .background, "all of the time can be used")
    probe.advance(.seconds(1))
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test("E1 A16 no source goes beyond the daily quota")
  func quota() {
    let probe = MachineProbe.inBackground(
      policy: changed(MachineProbe.policy) { $0.dailyQuota = .seconds(50) })
    move(probe, in: .seconds(100))
    #expect(probe.remaining == .seconds(50))
  }

  @Test("E1 suspended, nothing is told; the end counts when the trip goes on")
  func suspended() {
    let probe = inBackground()
    probe.end(worker)
    move(probe, in: .seconds(100))
    #expect(probe.lastWithTimers == [])
    probe.advance(.seconds(50))
    probe.event { $0.resumed(now: $1) }
    #expect(probe.machine.trip?.deadline == probe.now.advanced(by: .seconds(50)))
  }
}

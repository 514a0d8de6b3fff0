import StintCore
import Testing

/// An engine sends its warning when it looks, not when it said: half a minute early or late.
///
/// The deadline is the clock's.
@Suite("An engine's warning is not a clock")
struct EngineWarningTests {
  /// A worker's task in a trip of 90 seconds, so many seconds before the deadline.
  private static func probe(before deadline: Int) -> (MachineProbe, BackgroundTaskIdentifier) {
    let policy = SystemPolicy(name: "test", grant: .seconds(90), lead: .seconds(5))
    let probe = MachineProbe.active(policy)
    let worker = probe.begin("worker", .direct)
    probe.enterBackground()
    probe.advance(.seconds(90 - deadline))
    return (probe, worker)
  }

  @Test(
    "R20 a stop signal, however early, never moves the deadline back",
    arguments: [80, 36, 32, 30, 10, 4], [1, 5, 60, 3_600])
  func earlySignal(before: Int, grace: Int) {
    let (probe, worker) = Self.probe(before: before)
    let deadline = probe.now.advanced(by: .seconds(before))
    probe.event { $0.stopRequested(.signal(15), grace: .seconds(grace), now: $1) }
    #expect(probe.remaining == .seconds(min(before, grace)))
    #expect(probe.machine.hardStop == min(deadline, probe.now.advanced(by: .seconds(grace))))
    #expect(probe.handed == [worker])
    // It does not save itself: at the earlier of the two ends it is gone, and not before.
    probe.advance(.seconds(min(before, grace)) - .nanoseconds(1))
    #expect(probe.terminations.isEmpty)
    probe.advance(.nanoseconds(1))
    #expect(probe.terminations.count == 1)
  }

  @Test("R20 a revocation that comes early or twice leaves no more than there was")
  func revocation() {
    for before in [36, 30, 3] {
      let (probe, _) = Self.probe(before: before)
      probe.event { $0.revoked(.engineEndTime, now: $1) }
      #expect(probe.remaining == .seconds(min(before, 5)))
      probe.advance(.seconds(1))
      probe.event { $0.revoked(.engineEndTime, now: $1) }
      #expect(probe.remaining == .seconds(min(before, 5) - 1))
    }
  }

  @Test("R20 a signal that comes 30 s late finds that the deadline was kept without it")
  func lateSignal() {
    let (probe, worker) = Self.probe(before: 30)
    probe.advance(.seconds(25))
    #expect(probe.handed == [worker], "warned by the clock, at the lead")
    probe.end(worker)
    #expect(probe.machine.lifeState == .suspended)
    probe.advance(.seconds(35))
    probe.event { $0.stopRequested(.signal(15), grace: .seconds(5), now: $1) }
    #expect(probe.last == [.stopCompleted])
    #expect(probe.handed == [worker], "nobody is called again")
    #expect(probe.terminations.isEmpty)
    // The task that was not ended did not wait for the engine either.
    let (stuck, _) = Self.probe(before: 30)
    stuck.advance(.seconds(30))
    #expect(stuck.terminations.count == 1)
    stuck.event { $0.stopRequested(.signal(15), grace: .seconds(5), now: $1) }
    #expect(stuck.terminations.count == 1)
  }
}

import StintCore
import Testing

@Suite("What an authority in another process says")
struct AuthorityTests {
  private func inBackground() -> MachineProbe {
    let probe = MachineProbe.active(authority: .remote)
    let task = probe.begin("w", .direct)
    probe.event { $0.taskAnswered(task, .granted, now: $1) }
    probe.enterBackground()
    return probe
  }

  @Test("A18 it expires the tasks of the trip with its reason and its deadline, once")
  func expired() {
    let probe = inBackground()
    let task = BackgroundTaskIdentifier(rawValue: 1)
    let end = probe.now.advanced(by: .seconds(2))
    probe.event { $0.expiredByAuthority(.revoked, until: end, now: $1) }
    #expect(probe.last.contains(.expireDirectly([task], .revoked, deadline: end)))
    #expect(probe.machine.trip?.deadline == end)
    probe.event { $0.expiredByAuthority(.revoked, until: end, now: $1) }
    #expect(probe.last == [])
    let later = end.advanced(by: .seconds(9))
    probe.event { $0.expiredByAuthority(.revoked, until: later, now: $1) }
    #expect(probe.machine.trip?.deadline == end, "an expiry gives no time")
  }

  @Test("A17 an expiry that arrives in the foreground is stale")
  func stale() {
    let probe = inBackground()
    probe.event { $0.foregroundEntered(now: $1) }
    probe.event { $0.expiredByAuthority(.timeElapsed, until: $1, now: $1) }
    probe.event { $0.deadlineMoved(to: $1, now: $1) }
    #expect(probe.machine.tasks.count == 1)
    #expect(probe.machine.usableUntil == nil)
  }

  @Test(
    "A23 it moves the deadline to either side, and what was due by the former one does not happen")
  func moved() {
    let probe = inBackground()
    let end = probe.now.advanced(by: .seconds(300))
    probe.now = probe.now.advanced(by: .seconds(40))
    probe.event { $0.deadlineMoved(to: end, now: $1) }
    #expect(probe.machine.lifeState == .background, "30 s were over, and do not count")
    #expect(probe.machine.nextWake == end.advanced(by: .seconds(-5)))
    let near = probe.now.advanced(by: .seconds(4))
    probe.event { $0.deadlineMoved(to: near, now: $1) }
    #expect(
      probe.last.contains(
        .expireDirectly(
          [BackgroundTaskIdentifier(rawValue: 1)], .revoked, deadline: near)))
    let nearer = probe.now.advanced(by: .seconds(3))
    probe.event { $0.deadlineMoved(to: nearer, now: $1) }
    #expect(probe.last.contains(.deadlineMoved(to: nearer)))
  }
}

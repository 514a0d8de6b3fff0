import StintCore
import Testing

@Suite("A child that stops itself")
struct StandingChildTests {
  static let policy = SystemPolicy(name: "test", grant: .seconds(30), lead: .seconds(5))
  let start = Instant(nanoseconds: 1_000_000_000_000)
  let deadline = Instant(nanoseconds: 1_030_000_000_000)

  private func at(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

  private func view(
    _ state: LifeState, trip number: Int? = nil, stop: ServerMachine.Expired? = nil
  ) -> ServerMachine.View {
    ServerMachine.View(
      lifeState: state,
      trip: number.map { .init(number: $0, start: start, deadline: deadline) }, stop: stop,
      needsTask: false)
  }

  private func speaking(continuesChild: Bool = true) -> ServerMachine {
    var machine = ServerMachine(
      policy: Self.policy, holdsPresence: false, continuesChild: continuesChild)
    _ = machine.started(view(.background, trip: 1), pid: 5, now: start)
    _ = machine.received(.hello(version: 1, pid: 9, name: "c"), now: start)
    return machine
  }

  /// One that was suspended in trip 1, and whose process has stopped.
  private func standing(nextBegin: Instant? = nil, continuesChild: Bool = true) -> ServerMachine {
    var machine = speaking(continuesChild: continuesChild)
    _ = machine.received(.due(nextBegin), now: start)
    _ = machine.received(.suspended(trip: 1), now: start)
    _ = machine.processStopped(now: start)
    return machine
  }

  @Test("A15 the welcome says whether a child that stops itself is continued")
  func welcome() {
    for continues in [false, true] {
      var machine = ServerMachine(
        policy: Self.policy, holdsPresence: false, continuesChild: continues)
      let view = view(.background, trip: 1)
      let welcome = SystemMessage.Welcome(
        pid: 5, policy: Self.policy, state: .background, trip: view.trip, continuesChild: continues)
      #expect(machine.started(view, pid: 5, now: start) == [.send(.welcome(welcome))])
      #expect(SystemMessage.welcome(welcome).line.contains("\"continues\":true") == continues)
    }
  }

  @Test("A15 L5 it is continued when its next request may begin, and told so, once")
  func due() {
    var machine = speaking()
    #expect(machine.received(.suspended(trip: 1), now: start) == [])
    #expect(!machine.childStandsStill)
    #expect(machine.processStopped(now: start) == [])
    #expect(machine.childStandsStill)
    #expect(machine.received(.due(at(9)), now: start) == [.wake(at: at(9))])
    #expect(machine.timePassed(now: at(8)) == [], "woken for something else")
    #expect(machine.timePassed(now: at(9)) == [.send(.resumed), .continueChild])
    #expect(!machine.childStandsStill)
    // Suspended again before it said when the next one is.
    #expect(machine.processStopped(now: at(10)) == [])
    #expect(machine.received(.suspended(trip: 1), now: at(10)) == [])
    #expect(machine.received(.due(at(5)), now: at(10)) == [.send(.resumed), .continueChild])
  }

  @Test("A15 no request begins before the child's stop is seen, or at the end of its trip")
  func notDue() {
    var machine = speaking()
    _ = machine.received(.due(at(1)), now: start)
    #expect(machine.received(.suspended(trip: 1), now: at(2)) == [])
    #expect(machine.timePassed(now: at(3)) == [])
    #expect(machine.processStopped(now: at(4)) == [.send(.resumed), .continueChild])
    var late = standing(nextBegin: deadline)
    #expect(late.timePassed(now: deadline) == [], "the next trip begins it")
    var overdue = standing(nextBegin: at(29))
    #expect(overdue.timePassed(now: deadline) == [])
    var none = standing(nextBegin: at(3))
    #expect(none.received(.due(nil), now: start) == [])
    #expect(none.timePassed(now: at(4)) == [])
  }

  @Test("A15 W11 it is continued for a stop, of which it hears in the background")
  func stop() {
    let stop = ServerMachine.Expired(reason: .signal(15), deadline: deadline)
    let stopped = view(.background, trip: 1, stop: stop)
    let said: [ServerMachine.Action] = [
      .send(.resumed), .send(.stop(.signal(15), deadline: deadline)),
    ]
    var machine = standing()
    #expect(machine.systemChanged(to: stopped, now: start) == said + [.continueChild])
    // It stops itself after it was asked.
    var late = speaking()
    _ = late.received(.suspended(trip: 1), now: start)
    #expect(late.systemChanged(to: stopped, now: start) == said)
    #expect(late.processStopped(now: start) == [.continueChild])
    var running = speaking()
    #expect(running.systemChanged(to: stopped, now: start) == [said[1]])
  }

  @Test("A15 L5 in another trip and in the foreground it is continued, also if it stops too late")
  func nextTrip() {
    var machine = standing(nextBegin: at(2))
    #expect(machine.systemChanged(to: view(.inactive), now: start).last == .continueChild)
    var late = speaking()
    _ = late.systemChanged(to: view(.background, trip: 2), now: start)
    _ = late.received(.suspended(trip: 1), now: start)
    #expect(late.processStopped(now: start) == [.continueChild])
  }

  @Test("A23 suspended by its supervisor it is not continued before that one continues it")
  func suspendedBySupervisor() {
    var machine = standing(nextBegin: at(2))
    let actions = machine.systemChanged(to: view(.suspended), now: start)
    #expect(!actions.contains(.continueChild))
    #expect(machine.timePassed(now: at(3)) == [])
  }

  @Test("what somebody else stopped stands still, and one that is given up goes on")
  func others() {
    var foreign = speaking()
    _ = foreign.received(.due(at(1)), now: start)
    #expect(foreign.processStopped(now: at(2)) == [])
    #expect(!foreign.childStandsStill)
    #expect(foreign.processContinued() == [])
    // What it says then is no stop of its own yet.
    #expect(foreign.received(.suspended(trip: 1), now: at(3)) == [])
    var machine = standing()
    #expect(machine.conversationEnded("it does not read").last == .continueChild)
    var unpromised = standing(nextBegin: at(1), continuesChild: false)
    #expect(unpromised.timePassed(now: at(2)) == [])
    var ended = standing(nextBegin: at(1))
    _ = ended.childEnded()
    #expect(ended.timePassed(now: at(2)) == [])
  }

  @Test("A15 L5 in any order of what is said and seen, no child stands still that has a reason")
  func anyOrder() {
    for seed in UInt64(1)...500 {
      var random = SplitMix64(seed: seed)
      var machine = speaking()
      var (now, trip, due) = (start, 1, Instant?.none)
      var view = view(.background, trip: 1)
      var (said, isStopped) = (Int?.none, false)
      var wakes: [Instant] = []
      for _ in 0..<40 {
        now = now.advanced(by: .milliseconds(Int(random.next() % 700)))
        var actions: [ServerMachine.Action] = []
        switch random.next() % 6 {
        case 0:
          said = Int(random.next() % 2) + max(1, trip - 1)
          actions = machine.received(.suspended(trip: said ?? 0), now: now)
        case 1:
          isStopped = true
          actions = machine.processStopped(now: now)
        case 2:
          due = now.advanced(by: .milliseconds(Int(random.next() % 2_000)))
          actions = machine.received(.due(due), now: now)
        case 3 where random.next() % 4 == 0:
          trip += 1
          view = self.view(.background, trip: trip)
          actions = machine.systemChanged(to: view, now: now)
        case 4 where random.next() % 8 == 0:
          view.stop = ServerMachine.Expired(reason: .stopRequested, deadline: deadline)
          actions = machine.systemChanged(to: view, now: now)
        case _: break
        }
        while true {
          for case .wake(let instant) in actions { wakes.append(instant) }
          if actions.contains(.continueChild) { (said, isStopped) = (nil, false) }
          if actions.contains(.send(.resumed)), view.stop == nil { due = nil }
          guard let index = wakes.firstIndex(where: { $0 <= now }) else { break }
          wakes.remove(at: index)
          actions = machine.timePassed(now: now)
        }
        let hasReason = view.stop != nil || said != trip || due.map { $0 <= now } ?? false
        guard now < deadline, isStopped, said != nil, hasReason else { continue }
        Issue.record("seed \(seed): it stands still since trip \(said ?? 0) in trip \(trip)")
        return
      }
      #expect(machine.childStandsStill == (isStopped && said != nil), "seed \(seed)")
    }
  }
}

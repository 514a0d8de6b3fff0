import Testing

@testable import StintCore

@Suite("Schedule machine: fetches")
struct FetchMachineTests {
  private typealias Probe = ScheduleProbe

  private func makeProbe(_ interval: FetchInterval = .minimum, isWilling: Bool = true)
    -> ScheduleProbe
  {
    let probe = isWilling ? Probe.willing() : Probe()
    probe.event { $0.fetchIntervalSet(interval, now: $1) }
    return probe
  }

  @Test("B1 never without an interval; an interval is kept from begin to begin")
  func interval() {
    let never = Probe.willing()
    never.advance(.seconds(86_400))
    #expect(never.begins.isEmpty)
    let probe = makeProbe(.atLeast(.seconds(3_600)))
    probe.advance(.seconds(3_599))
    #expect(probe.begins.isEmpty)
    probe.advance(.seconds(1))
    #expect(probe.begins.count == 1)
    probe.complete(1, .newData)
    probe.advance(.seconds(3_599))
    #expect(probe.begins.count == 1)
    probe.advance(.seconds(1))
    #expect(probe.begins.count == 2)
    probe.event { $0.fetchIntervalSet(.never, now: $1) }
    #expect(probe.last.isEmpty, "the one that runs goes on")
    probe.complete(2, .newData)
    #expect(probe.last == [.end(Probe.task(of: 2))])
    probe.advance(.seconds(86_400))
    #expect(probe.begins.count == 2)
    probe.event { $0.fetchIntervalSet(.minimum, now: $1) }
    #expect(probe.begins.count == 3, "the last one is long ago")
  }

  @Test("B1 a fetch that the system denied has not begun: it is asked for again after 2 s")
  func denied() {
    let probe = makeProbe(isWilling: false)
    probe.advance(.seconds(900))
    #expect(probe.begins.count == 1)
    probe.deny(1)
    #expect(
      probe.why(ScheduleMachine.fetchName)
        == "\"background fetch\" waits: the system denied it, because no; it is asked again in 2s.")
    probe.advance(.seconds(2))
    probe.deny(2)
    probe.advance(.milliseconds(3_900))
    #expect(probe.begins.count == 2)
    probe.advance(.milliseconds(100))
    #expect(probe.begins.count == 3)
    probe.deny(3, .stopping)
    probe.enter(.suspended)
    probe.advance(.seconds(5_000))
    #expect(probe.begins.count == 3)
    probe.enter(.background)
    probe.start(4)
    probe.complete(4)
    probe.advance(.seconds(899))
    #expect(probe.begins.count == 4)
    probe.advance(.seconds(1))
    #expect(probe.begins.count == 5)
  }

  @Test("B2 a fetch has 30 s, no warning, one completion, and one end")
  func ends() {
    let probe = makeProbe()
    probe.advance(.seconds(900))
    probe.log = []
    probe.event { $0.taskExpired(1, .timeElapsed, deadline: $1.instant, now: $1) }
    #expect(!probe.simulateExpiry(ScheduleMachine.fetchName))
    probe.advance(.milliseconds(29_900))
    #expect(probe.log.isEmpty)
    probe.advance(.milliseconds(100))
    #expect(probe.log == [.fail(Probe.task(of: 1))])
    probe.complete(1)
    #expect(probe.last.isEmpty)
  }

  @Test("B2 a fetch that nobody was told of is given back, and concurrent ones each have their own")
  func concurrent() {
    let unheard = makeProbe(isWilling: false)
    unheard.advance(.seconds(900))
    unheard.grant(1)
    unheard.advance(.seconds(30))
    #expect(unheard.last == [.end(Probe.task(of: 1))])
    #expect(!unheard.claim(1))
    let probe = makeProbe()
    probe.advance(.seconds(900))
    probe.advance(.seconds(10))
    probe.simulate(ScheduleMachine.fetchName, kind: .fetch)
    probe.log = []
    probe.advance(.seconds(20))
    #expect(probe.log == [.fail(Probe.task(of: 1))])
    probe.complete(2)
    #expect(probe.last == [.end(Probe.task(of: 2))])
  }

  @Test("B2 a request may have the name of fetches, and neither takes the other's place")
  func name() {
    let name = ScheduleMachine.fetchName
    let probe = Probe(registered: [name])
    probe.event { $0.fetchIntervalSet(.minimum, now: $1) }
    probe.submit(Probe.request(name, .processing, after: .seconds(1_000), at: probe.now))
    probe.advance(.seconds(900))
    #expect(probe.begins == [name] && probe.machine.pending.count == 1)
    probe.deny(1)
    probe.advance(.seconds(2))
    probe.start(2)
    probe.complete(2)
    probe.advance(.seconds(98))
    #expect(probe.begins.count == 3 && probe.machine.pending.isEmpty)
  }

  @Test("B3 fetches that are long or find nothing come half as often, up to eight times, and back")
  func learning() {
    let probe = makeProbe()
    func distance() -> Duration {
      let begun = probe.begins.count
      let start = probe.now.instant
      while probe.begins.count == begun {
        probe.advance(probe.now.instant.duration(to: probe.machine.nextWake(now: probe.now)))
      }
      return start.duration(to: probe.now.instant)
    }
    #expect(distance() == .seconds(900))
    var distances: [Double] = []
    let results: [BackgroundFetchResult] = [
      .noData, .failed, .noData, .noData, .newData, .newData, .newData, .newData,
    ]
    for result in results {
      probe.complete(probe.newest, result)
      distances.append(distance().inSeconds / 900)
    }
    #expect(distances == [2, 4, 8, 8, 4, 2, 1, 1])
    probe.advance(.milliseconds(15_001))
    probe.complete(probe.newest, .newData)
    #expect(distance() == .milliseconds(1_800_000 - 15_001), "more than half of its time")
    probe.event { $0.terminated(now: $1) }
    probe.enter(.suspended)
    #expect(distance() == .seconds(3_600), "never completed")
  }

  @Test("B3 an hour of use pulls a fetch forward, from the life that the machine hears of")
  func usage() {
    let probe = makeProbe()
    // It begins at 13 minutes past the hour.
    probe.enter(.active)
    #expect(probe.machine.plan.usage.isLikely(at: probe.now.wall))
    probe.enter(.background)
    for _ in 0..<2 {
      probe.advance(.seconds(3_600))
      probe.complete(probe.newest, .noData)
    }
    var moments: [WallInstant] = []
    while probe.now.wall < WallInstant(nanoseconds: 1_700_000_000_000_000_000 + 691_200_000_000_000)
    {
      let begun = probe.begins.count
      probe.advance(probe.now.instant.duration(to: probe.machine.nextWake(now: probe.now)))
      if probe.begins.count > begun { moments.append(probe.now.wall) }
      probe.complete(probe.newest, .noData)
    }
    let inUse = moments.filter { probe.machine.plan.usage.isLikely(at: $0) }
    let distances = zip(moments, moments.dropFirst()).map { $0.duration(to: $1) }
    #expect(inUse.count == 4, "every quarter of the hour that was one of use a week before")
    #expect(distances.filter { $0 == .seconds(900) }.count == 3)
    #expect(distances.max() == .seconds(900 * 16), "else half as often as without known hours")
  }

  @Test("B4 a fetch is simulated at once, whatever the interval and the state, beside any other")
  func simulated() {
    for state in [LifeState.background, .suspended, .active] {
      let probe = Probe(in: state)
      for run in 1...2 {
        let number = probe.simulate(ScheduleMachine.fetchName, kind: .fetch)
        let request = TaskRequest(ScheduleMachine.fetchName, kind: .fetch)
        #expect(number == run)
        #expect(probe.log.last == .begin(run: run, request, allowance: .seconds(30)))
      }
      probe.deny(1)
      probe.start(2)
      probe.complete(2)
      #expect(probe.last == [.end(Probe.task(of: 2))])
      probe.advance(.seconds(86_400))
      #expect(probe.begins.count == 2, "no other follows without an interval")
    }
    let session = Probe.willing()
    session.simulate("session", kind: .sessionEvents)
    session.event { $0.terminated(now: $1) }
    #expect(session.machine.pending.isEmpty && session.machine.runs.isEmpty)
  }
}

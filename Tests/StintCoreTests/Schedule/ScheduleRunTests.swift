import Testing

@testable import StintCore

/// What the table of all pairs cannot say about what has begun.
@Suite("Schedule machine: what has begun")
struct ScheduleRunTests {
  private typealias Probe = ScheduleProbe

  // MARK: Grants and ends (Q4, Q9)

  @Test("Q4 warned at the lead, terminated once at the end, and completed exactly once")
  func neverCompleted() {
    let probe = Probe.willing()
    probe.submit(TaskRequest("r", kind: .processing))
    let end = probe.now.instant.advanced(by: .seconds(300))
    probe.log = []
    probe.advance(.milliseconds(294_900))
    #expect(probe.log.isEmpty)
    probe.advance(.milliseconds(100))
    #expect(probe.log == [.expire(run: 1, .timeElapsed, deadline: end)])
    probe.log = []
    probe.advance(.seconds(5))
    #expect(probe.log == [.fail(Probe.task(of: 1))])
    probe.event { $0.terminated(now: $1) }
    #expect(!probe.complete(1), "it is over")
    probe.advance(.seconds(1_000))
    #expect(probe.log == [.fail(Probe.task(of: 1))], "once")
  }

  @Test("Q4 a lead as long as the task is warns in its last quarter, and not before it begins")
  func longLead() {
    let probe = Probe.willing(MachineProbe.policy.withBudget(.seconds(120), lead: .seconds(40)))
    probe.submit(TaskRequest("r"))
    let end = probe.now.instant.advanced(by: .seconds(30))
    #expect(probe.machine.nextWake(now: probe.now) == end.advanced(by: .milliseconds(-7_500)))
    probe.advance(.seconds(23))
    #expect(probe.log.last == .expire(run: 1, .timeElapsed, deadline: end))
    #expect(probe.begins == ["r"])
  }

  @Test("Q4 a system that is short of time says until when, which no later word moves back")
  func earlierEnd() {
    let probe = Probe.willing()
    probe.submit(TaskRequest("r"))
    let soon = probe.now.instant.advanced(by: .seconds(3))
    probe.event { $0.taskExpired(1, .revoked, deadline: soon, now: $1) }
    #expect(probe.last == [.expire(run: 1, .revoked, deadline: soon)])
    let later = soon.advanced(by: .seconds(100))
    probe.event { $0.taskExpired(1, .timeElapsed, deadline: later, now: $1) }
    #expect(probe.last.isEmpty && probe.machine.nextWake(now: probe.now) == soon)
    probe.complete(1)
    #expect(probe.last == [.end(Probe.task(of: 1))])
    probe.complete(1)
    #expect(probe.last.isEmpty)
    let other = Probe.willing()
    other.submit(TaskRequest("r"))
    other.event { $0.taskExpired(1, .revoked, deadline: .distantFuture, now: $1) }
    #expect(
      other.last
        == [.expire(run: 1, .revoked, deadline: other.now.instant.advanced(by: .seconds(30)))],
      "never after its own end")
  }

  @Test("Q4 a grant that comes when it was given up is given back, and the request waits again")
  func lateGrant() {
    let probe = Probe()
    probe.submit(TaskRequest("r"))
    probe.event { $0.taskExpired(1, .timeElapsed, deadline: $1.instant, now: $1) }
    #expect(probe.machine.pending == [TaskRequest("r")] && probe.last.isEmpty)
    probe.grant(1)
    #expect(probe.last == [.end(Probe.task(of: 1))])
    #expect(!probe.claim(1))
    probe.advance(.seconds(1))
    #expect(probe.begins == ["r", "r"], "a second after it began")
    probe.grant(2)
    // Nothing serves its queue: its handler is not called before its time is up.
    probe.log = []
    probe.advance(.seconds(25))
    #expect(probe.log.first == .end(Probe.task(of: 2)), "given back, and nobody is to blame")
    #expect(probe.begins == ["r"], "and asked for again")
    #expect(!probe.claim(2), "the queue comes to it at last")
  }

  @Test("Q4 a continued task that nobody has heard of waits again, and so does what is terminated")
  func unheard() {
    let probe = Probe(in: .active)
    probe.submit(TaskRequest("c", kind: .continued))
    probe.grant(1)
    probe.enter(.background)
    probe.advance(.seconds(30))
    #expect(probe.machine.pending.map(\.identifier) == ["c"])
    probe.enter(.active)
    #expect(probe.begins == ["c", "c"])
    probe.enter(.background)
    probe.submit(TaskRequest("r"))
    probe.submit(Probe.request("s", .processing, after: .seconds(10), at: probe.now))
    probe.grant(3)
    probe.log = []
    probe.event { $0.terminated(now: $1) }
    #expect(probe.machine.pending.map(\.identifier) == ["s", "c", "r"])
    #expect(probe.log.isEmpty, "nothing begins in a process that is to end")
    // It was only reported: the application lives on, suspended.
    probe.advance(.seconds(20))
    #expect(probe.log.isEmpty)
    probe.enter(.suspended)
    #expect(probe.begins == ["s", "r"])
  }

  @Test("Q9 denied, it is asked for after 2 s, twice as long each time, and in the next trip")
  func denials() {
    let probe = Probe()
    probe.submit(TaskRequest("r"))
    for seconds in [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
      probe.deny(probe.newest, .tooLittleTime(remaining: .zero, least: .seconds(1)))
      let begun = probe.begins.count
      probe.advance(.milliseconds(seconds * 1_000 - 100))
      #expect(probe.begins.count == begun)
      probe.advance(.milliseconds(100))
      #expect(probe.begins.count == begun + 1)
    }
    probe.deny(probe.newest, .stopping)
    probe.advance(.seconds(5_000))
    let begun = probe.begins.count
    probe.enter(.suspended)
    #expect(probe.begins.count == begun)
    probe.enter(.background)
    #expect(probe.begins.count == begun + 1, "in the next trip")
    probe.deny(probe.newest)
    probe.advance(.seconds(2))
    #expect(probe.begins.count == begun + 2, "and from 2 s on again")
  }

  @Test("Q9 denied while a newer request waits, the newer one counts and nothing is asked twice")
  func deniedAnew() {
    let probe = Probe()
    probe.submit(TaskRequest("r"))
    let newer = Probe.request("r", .processing)
    probe.submit(newer)
    probe.deny(1)
    #expect(probe.last == [.begin(run: 2, newer, allowance: .seconds(300))])
    #expect(probe.machine.pending.isEmpty)
    probe.deny(1)
    #expect(probe.last.isEmpty, "it is known")
    probe.deny(2)
    #expect(probe.machine.pending == [newer])
    let later = Probe()
    later.submit(TaskRequest("r"))
    later.submit(Probe.request("r", after: .seconds(500), at: later.now))
    later.deny(1)
    later.advance(.seconds(499))
    #expect(later.begins == ["r"], "the older one is gone")
  }

  @Test("Q9 one second lies between two begins of one identifier, and of no other")
  func pacing() {
    let probe = Probe.willing()
    var begins: [Instant] = []
    probe.submit(TaskRequest("r"))
    begins.append(probe.now.instant)
    for _ in 0..<5 {
      probe.advance(.milliseconds(100))
      probe.submit(TaskRequest("r"))
      probe.complete(probe.newest)
      probe.submit(Probe.request("s", .processing))
      probe.complete(probe.newest)
      let count = probe.begins.count
      while probe.begins.count == count { probe.advance(.milliseconds(10)) }
      begins.append(probe.now.instant)
    }
    for (one, next) in zip(begins, begins.dropFirst()) {
      #expect(one.duration(to: next) == .seconds(1))
    }
    #expect(probe.begins.count { $0 == "s" } == 5, "on the way, at once")
  }

  @Test("Q9 what was denied has not begun: the pause counts from what did")
  func pauseAfterDenial() {
    let probe = Probe.willing()
    probe.submit(TaskRequest("r"))
    probe.complete(1)
    probe.isWilling = false
    probe.submit(TaskRequest("r"))
    #expect(probe.simulateLaunch("r"))
    probe.deny(2)
    probe.submit(TaskRequest("r"))
    #expect(probe.begins.count == 2)
    probe.advance(.milliseconds(999))
    #expect(probe.begins.count == 2)
    probe.advance(.milliseconds(1))
    #expect(probe.begins.count == 3)
  }

  @Test("Q9 the next one is asked for before the task of the one before ends")
  func joining() {
    let probe = Probe.willing()
    probe.submit(TaskRequest("r"))
    probe.advance(.seconds(2))
    probe.submit(TaskRequest("r"))
    probe.complete(1)
    let order = probe.log.map { action -> String in
      switch action {
      case .begin(let run, _, _): "begin \(run)"
      case .end: "end"
      case .launch, .expire, .fail, .allow: ""
      }
    }
    #expect(order.filter { !$0.isEmpty } == ["begin 1", "begin 2", "end"])
  }

  @Test("L11 denied to the program, what runs goes on, and what waits stays")
  func status() {
    let probe = Probe.willing()
    probe.submit(TaskRequest("r"))
    probe.submit(Probe.request("s", .processing, after: .seconds(5), at: probe.now))
    probe.event { $0.statusChanged(to: .denied, now: $1) }
    #expect(probe.submit(TaskRequest("c")) == .unavailable("c", .denied))
    probe.log = []
    probe.advance(.seconds(20))
    #expect(probe.log.isEmpty)
    probe.complete(1)
    #expect(probe.log == [.end(Probe.task(of: 1))])
    probe.event { $0.statusChanged(to: .available, now: $1) }
    #expect(probe.begins == ["s"])
  }

  // MARK: Continued tasks (Q5)

  @Test("Q5 no end in the foreground; in the background it goes on while it moves")
  func continued() {
    let probe = Probe.willing()
    probe.submit(TaskRequest("c", kind: .continued))
    #expect(probe.begins.isEmpty, "it begins in the foreground")
    probe.enter(.active)
    #expect(probe.machine.continuedRuns == [1])
    probe.advance(.seconds(1_000))
    #expect(probe.machine.nextWake(now: probe.now) == .distantFuture)
    probe.enter(.background)
    #expect(probe.last == [.allow(until: probe.now.instant.advanced(by: .seconds(30)))])
    for step in 1...50 {
      probe.advance(.seconds(20))
      probe.progress(1, to: Double(step) / 100)
      #expect(probe.last == [.allow(until: probe.now.instant.advanced(by: .seconds(30)))])
    }
    probe.advance(.seconds(1))
    probe.progress(1, to: 0.6)
    #expect(probe.last.isEmpty, "not worth an event")
    probe.enter(.inactive)
    probe.advance(.seconds(100))
    probe.enter(.background)
    probe.log = []
    probe.advance(.seconds(25))
    #expect(
      probe.log
        == [.expire(run: 1, .timeElapsed, deadline: probe.now.instant.advanced(by: .seconds(5)))])
    probe.progress(1, to: 0.9)
    probe.enter(.active)
    #expect(
      probe.machine.nextWake(now: probe.now) == probe.now.instant.advanced(by: .seconds(5)),
      "warned is warned")
  }

  @Test("Q5 progress that is no number is none; where it falls, it counts from there on")
  func oddProgress() {
    let probe = Probe.willing()
    probe.enter(.active)
    probe.submit(TaskRequest("c", kind: .continued))
    probe.enter(.background)
    probe.progress(1, to: 0.8)
    for fraction in [Double.nan, .infinity, -.infinity, 0.8, 0.2] {
      probe.advance(.seconds(4))
      probe.progress(1, to: fraction)
      #expect(probe.last.isEmpty, "\(fraction)")
    }
    probe.progress(1, to: 0.3)
    #expect(probe.last.count == 1, "the work turned out to be more, and goes on")
  }

  @Test("Q5 when memory is short, the least of several goes, of two that are as far the later one")
  func memory() {
    let probe = Probe.willing(in: .active)
    func press() -> [Int] {
      probe.event { $0.memoryPressed(now: $1) }
      return probe.last.compactMap { action in
        guard case .expire(let run, .leastProgress, _) = action else { return nil }
        return run
      }
    }
    #expect(press() == [])
    for identifier in ["r", "s", "c"] {
      probe.submit(TaskRequest(identifier, kind: .continued))
    }
    probe.progress(2, to: 0.5)
    #expect(press() == [3], "none of 1 and 3 has done anything")
    probe.progress(1, to: 0.9)
    probe.progress(1, to: 0.4)
    #expect(press() == [1], "it has fallen back")
    #expect(press() == [], "the last one stays")
    let waiting = Probe(in: .active)
    waiting.submit(TaskRequest("c", kind: .continued))
    waiting.submit(TaskRequest("d", kind: .continued))
    waiting.start(1)
    waiting.grant(2)
    waiting.event { $0.memoryPressed(now: $1) }
    #expect(waiting.last.isEmpty, "one alone runs")
  }

  // MARK: Simulation (Q8)

  @Test("Q8 a launch that is simulated and denied is asked for again, whatever it waits for")
  func simulatedAndDenied() {
    let probe = Probe(in: .active)
    probe.submit(Probe.request("r", after: .seconds(9_000), at: probe.now))
    #expect(probe.simulateLaunch("r"))
    probe.deny(1)
    probe.advance(.seconds(2))
    #expect(probe.begins == ["r", "r"])
    probe.start(2)
    #expect(!probe.simulateLaunch("r"))
    probe.submit(TaskRequest("r"))
    #expect(!probe.simulateLaunch("r"), "one runs")
    probe.complete(2)
    #expect(probe.simulateLaunch("r"), "also within a second of the last")
  }

  @Test("Q8 an expiry that is simulated is one like any other, before and after the launch")
  func simulatedExpiry() {
    let probe = Probe()
    probe.submit(TaskRequest("r"))
    #expect(!probe.simulateExpiry("r"), "not granted yet")
    probe.grant(1)
    #expect(probe.simulateExpiry("r"))
    #expect(probe.last == [.end(Probe.task(of: 1))] && probe.machine.pending.count == 1)
    probe.advance(.seconds(1))
    probe.start(2)
    let end = probe.now.instant.advanced(by: .seconds(5))
    #expect(probe.simulateExpiry("r"))
    #expect(probe.last == [.expire(run: 2, .revoked, deadline: end)])
    #expect(!probe.simulateExpiry("r"))
    probe.advance(.seconds(5))
    #expect(probe.last == [.fail(Probe.task(of: 2))])
  }

  // MARK: Cost

  @Test("Q9 an event costs no more than the requests that there are, and not their square")
  func cost() {
    func leastTime(_ count: Int) -> Duration {
      let names = (0..<count).map { "task \($0)" }
      let probe = Probe(.commandLine, in: .active, registered: names + ["r"])
      for name in names.dropFirst(count / 2) { probe.submit(TaskRequest(name)) }
      probe.enter(.background)
      for run in 1...count - count / 2 { probe.start(run) }
      for name in names.prefix(count / 2) {
        probe.submit(Probe.request(name, .processing, after: .seconds(1_000), at: probe.now))
      }
      let clock = ContinuousClock()
      return (0..<20).map { _ in
        clock.measure { probe.event { $0.timePassed(now: $1) } }
          + clock.measure { _ = probe.machine.nextWake(now: probe.now) }
          + clock.measure { probe.submit(TaskRequest("r", kind: .continued)) }
      }.min() ?? .zero
    }
    // Eight times as many; their square would be 64 times as much.
    #expect(leastTime(1_200) < leastTime(150) * 24)
  }
}

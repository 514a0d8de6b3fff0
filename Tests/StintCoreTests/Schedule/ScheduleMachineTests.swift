import Testing

@testable import StintCore

/// What the table of all pairs cannot say: several requests, several times, and orders of events.
@Suite("Schedule machine: requests, times and races")
struct ScheduleMachineTests {
  private typealias Probe = ScheduleProbe

  // MARK: Registering and asking (Q1, Q2)

  @Test("Q1 a handler counts once, and one that came late is taken")
  func registering() {
    let probe = Probe(in: .active, registered: [])
    #expect(probe.submit(TaskRequest("r")) == .notRegistered("r"))
    #expect(probe.register("r", isLate: true) == .late)
    #expect(probe.register("r", isLate: false) == .twice)
    #expect(probe.submit(TaskRequest("r", kind: .continued)) == nil)
    #expect(probe.begins == ["r"])
    #expect(probe.register("", isLate: false) == .taken)
    #expect(probe.submit(TaskRequest("")) == nil, "an empty name is a name")
    probe.enter(.background)
    #expect(probe.begins == ["r", ""])
  }

  @Test("Q2 limits of what waits are for each kind, do not count what is replaced or has begun")
  func limits() {
    let probe = Probe(in: .active, registered: (0..<12).map { "p\($0)" } + ["r", "s"])
    for number in 0..<10 {
      #expect(probe.submit(TaskRequest("p\(number)", kind: .processing)) == nil)
    }
    #expect(
      probe.submit(TaskRequest("p10", kind: .processing))
        == .tooManyWaiting("p10", .processing, most: 10))
    #expect(probe.submit(TaskRequest("p3", kind: .processing)) == nil, "it replaces itself")
    #expect(probe.machine.pending.map(\.identifier).last == "p3", "and goes to the end")
    #expect(probe.submit(TaskRequest("r")) == nil)
    #expect(probe.submit(TaskRequest("s")) == .tooManyWaiting("s", .refresh, most: 1))
    #expect(probe.submit(TaskRequest("p10")) == .tooManyWaiting("p10", .refresh, most: 1))
    probe.isWilling = true
    probe.enter(.background)
    #expect(probe.begins.count == 11)
    #expect(probe.submit(TaskRequest("s")) == nil, "the first has begun")
    let unlimited = Probe(.commandLine, in: .active)
    for identifier in ["r", "s", "c"] { #expect(unlimited.submit(TaskRequest(identifier)) == nil) }
  }

  @Test("Q2 a continued task that must not wait leaves what waited as it was, or is taken back")
  func mustNotWait() {
    let probe = Probe(in: .active)
    probe.submit(TaskRequest("c"))
    probe.enter(.suspended)
    probe.deny(probe.newest)
    let before = probe.machine
    var request = TaskRequest("c", kind: .continued)
    request.waitsForRoom = false
    let words = probe.submit(request)?.description ?? ""
    #expect(
      words.hasSuffix("it cannot begin now, because the application is not in the foreground."))
    #expect(probe.machine == before, "with its denials")
    probe.enter(.active)
    #expect(probe.submit(request) == nil)
    #expect(probe.takeBackDenial(of: "c") == nil, "it is being asked for")
    probe.deny(probe.newest, .tooManyTasks(maximum: 3))
    #expect(probe.takeBackDenial(of: "c") == .tooManyTasks(maximum: 3))
    #expect(probe.machine.pending.isEmpty)
    request.waitsForRoom = true
    probe.submit(request)
    probe.deny(probe.newest)
    #expect(probe.takeBackDenial(of: "c") == nil, "it may wait")
    #expect(probe.machine.pending == [request])
  }

  @Test("Q2 what is taken back never begins, also if nobody had heard of what had begun")
  func takenBack() {
    for isAll in [false, true] {
      func cancel(_ probe: ScheduleProbe) {
        if isAll { probe.machine.allCancelled() } else { probe.machine.requestCancelled("r") }
      }
      let denied = Probe()
      denied.submit(TaskRequest("r"))
      cancel(denied)
      denied.deny(denied.newest)
      #expect(denied.machine.pending.isEmpty)
      let unheard = Probe()
      unheard.submit(TaskRequest("r"))
      unheard.grant(unheard.newest)
      cancel(unheard)
      unheard.advance(.seconds(100))
      #expect(unheard.machine.pending.isEmpty && unheard.begins == ["r"])
      let anew = Probe()
      anew.submit(TaskRequest("r"))
      cancel(anew)
      anew.submit(TaskRequest("r", kind: .processing))
      anew.deny(anew.newest)
      anew.advance(.seconds(1))
      #expect(anew.begins == ["r", "r"], "the newer request stands for itself")
    }
  }

  // MARK: Time and conditions (Q3)

  @Test("Q3 requirements that go at different times count from when each went")
  func losses() {
    let probe = Probe.willing()
    probe.submit(
      Probe.request("r", .processing, needing: [.network, .externalPower]))
    func lose(network: Bool, power: Bool) {
      var conditions = MachineConditions()
      (conditions.hasNetwork, conditions.hasExternalPower) = (!network, !power)
      probe.event { $0.conditionsChanged(to: conditions, now: $1) }
    }
    lose(network: true, power: false)
    probe.advance(.seconds(6))
    lose(network: true, power: true)
    probe.advance(.seconds(3))
    lose(network: false, power: true)
    probe.advance(.seconds(6))
    #expect(probe.log.allSatisfy { if case .expire = $0 { false } else { true } })
    lose(network: true, power: true)
    let end = probe.now.instant.advanced(by: .seconds(6))
    probe.advance(.seconds(1))
    #expect(
      probe.log.last
        == .expire(run: 1, .requirementLost(.externalPower), deadline: end),
      "10 s without power, and a lead of 5 s")
    probe.log = []
    probe.advance(.seconds(5))
    #expect(probe.log == [.fail(Probe.task(of: 1))])
  }

  @Test("Q3 extremes of the wall clock are neither reached nor passed by")
  func extremes() {
    for wall in [Int64.min, .max, 0] {
      for earliest in [Int64.min, .max] {
        let probe = Probe.willing()
        probe.now.wall = WallInstant(nanoseconds: wall)
        var request = TaskRequest("r")
        request.earliestBegin = WallInstant(nanoseconds: earliest)
        probe.submit(request)
        let isDue = wall >= earliest
        #expect(probe.begins.count == (isDue ? 1 : 0))
        #expect(probe.why("r").isEmpty == false)
        probe.event { $0.fetchIntervalSet(.minimum, now: $1) }
        for interval in [Duration.nanoseconds(Int64.max), .nanoseconds(Int64.min), .zero] {
          probe.event { $0.fetchIntervalSet(.atLeast(interval), now: $1) }
          _ = probe.machine.nextWake(now: probe.now)
          _ = probe.why(ScheduleMachine.fetchName)
        }
        probe.enter(.active)
        probe.enter(.background)
        probe.advance(.seconds(3_600))
        probe.now.wall = WallInstant(nanoseconds: wall == .max ? .min : .max)
        probe.event { $0.timePassed(now: $1) }
        #expect(!probe.begins.isEmpty)
      }
    }
    let late = Probe.willing()
    late.now.instant = Instant(nanoseconds: .max - 1)
    late.submit(TaskRequest("r"))
    late.submit(TaskRequest("s"))
    #expect(late.begins == ["r", "s"])
    late.event { $0.timePassed(now: $1) }
    #expect(late.machine.nextWake(now: late.now) == .distantFuture)
  }

  @Test("Q3 a clock that is set back and forth begins nothing twice, and moves no end")
  func clockSet() {
    let probe = Probe.willing()
    probe.submit(Probe.request("r", after: .seconds(600), at: probe.now))
    let wake = probe.machine.nextWake(now: probe.now)
    #expect(probe.now.instant.duration(to: wake) == .seconds(600))
    #expect(probe.machine.needsWallClock(now: probe.now))
    for step in [86_400.0, -172_800, 86_400] {
      probe.now.wall = probe.now.wall.advanced(by: .seconds(step))
      probe.event { $0.timePassed(now: $1) }
      #expect(probe.begins == ["r"])
    }
    #expect(!probe.machine.needsWallClock(now: probe.now))
    #expect(
      probe.now.instant.duration(to: probe.machine.nextWake(now: probe.now)) == .seconds(25))
  }

  @Test("Q3 load, memory and disk keep a task from beginning, and nothing that has begun")
  func thresholds() {
    let probe = Probe.willing()
    var request = TaskRequest("r")
    (request.mostLoad, request.leastMemory, request.leastDisk) = (0.5, 100, 200)
    var conditions = MachineConditions()
    (conditions.load, conditions.freeMemory, conditions.freeDisk) = (0.75, 99, 199)
    func tell() { probe.event { $0.conditionsChanged(to: conditions, now: $1) } }
    tell()
    probe.submit(request)
    #expect(
      probe.why("r")
        == "\"r\" waits: the load is 0.75, and 0.50 is the most."
    )
    #expect(probe.machine.needsConditions(now: probe.now))
    conditions.load = 0.5
    tell()
    #expect(probe.why("r").contains("99 bytes of memory are free"))
    conditions.freeMemory = 100
    tell()
    #expect(probe.why("r").contains("199 bytes of the disk are free"))
    #expect(probe.begins.isEmpty)
    conditions.freeDisk = 200
    tell()
    #expect(probe.begins == ["r"])
    (conditions.load, conditions.freeMemory, conditions.freeDisk) = (9, 0, 0)
    tell()
    probe.advance(.seconds(20))
    #expect(probe.log.allSatisfy { if case .expire = $0 { false } else { true } })
    #expect(!probe.machine.needsConditions(now: probe.now))
  }

  // MARK: Why (Q7)

  @Test("Q7 whatever a request waits for, and that it runs, is one sentence")
  func why() {
    let probe = Probe(in: nil)
    func why(_ identifier: String = "r") -> String {
      probe.why(identifier)
    }
    #expect(why() == "No request for \"r\" waits.")
    var request = Probe.request("r", after: .seconds(90), at: probe.now, needing: [.externalPower])
    request.mostLoad = -1e300
    probe.submit(request)
    #expect(why() == "\"r\" waits: the application is not running.")
    probe.enter(.inactive)
    #expect(why() == "\"r\" waits: the application is in the foreground.")
    probe.enter(.background)
    #expect(why() == "\"r\" waits: its earliest time comes in 1m30s.")
    probe.event { $0.statusChanged(to: .restricted, now: $1) }
    #expect(why() == "\"r\" waits: work in the background is restricted.")
    probe.event { $0.statusChanged(to: .denied, now: $1) }
    #expect(why() == "\"r\" waits: work in the background is denied.")
    probe.event { $0.statusChanged(to: .available, now: $1) }
    var conditions = MachineConditions()
    conditions.hasExternalPower = false
    probe.event { $0.conditionsChanged(to: conditions, now: $1) }
    probe.advance(.seconds(90))
    #expect(why() == "\"r\" waits: external power is missing.")
    probe.event { $0.conditionsChanged(to: MachineConditions(), now: $1) }
    #expect(why() == "\"r\" waits: the load is 0.00, and 0.00 is the most.")
    request.mostLoad = .nan
    probe.submit(request)
    probe.deny(probe.newest)
    #expect(
      why() == "\"r\" waits: the system denied it, because no; it is asked again in 2s.")
    probe.advance(.seconds(2))
    probe.deny(probe.newest, .stopping)
    #expect(why().hasPrefix("\"r\" waits: the system denied it, because "))
    #expect(!why().contains("asked again"), "the next state decides")
    probe.submit(TaskRequest("c", kind: .continued))
    #expect(why("c") == "\"c\" waits: the application is not in the foreground.")
    probe.enter(.active)
    probe.enter(.background)
    probe.start(probe.newest)
    probe.advance(.milliseconds(300))
    #expect(why() == "\"r\" is running since 300ms.")
    probe.submit(TaskRequest("r"))
    #expect(why() == "\"r\" waits: the one before is not completed.")
    probe.complete(probe.newest)
    #expect(
      why() == "\"r\" waits: 1s have to lie between two of them, and 700ms are left.")
  }
}

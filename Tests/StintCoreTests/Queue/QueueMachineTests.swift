import StintCore
import Testing

@Suite("Which requests of a queue begin")
struct QueueMachineTests {
  private typealias Entry = QueueMachine.Entry

  private static let start = WallInstant(nanoseconds: 1_000_000_000_000_000_000)

  private static func at(_ seconds: Int64) -> WallInstant {
    start.advanced(by: .seconds(seconds))
  }

  private var machine = QueueMachine(machine: "here", places: 1)

  private static func entry(
    _ id: String, submitted: Int64 = 0, _ change: (inout RequestTerms) -> Void = { _ in }
  ) -> Entry {
    var terms = RequestTerms(
      launch: LaunchRecord(words: ["/bin/true"], directory: "/"), submitted: at(submitted),
      machine: "here")
    change(&terms)
    return Entry(QueuedRequest(id: id, terms: terms))
  }

  private mutating func add(_ entries: Entry...) {
    for entry in entries { machine.entries[entry.id] = entry }
  }

  private func due(_ seconds: Int64 = 0) -> [String] { machine.outlook(now: Self.at(seconds)).due }

  private func sentence(_ id: String, isServed: Bool = true, _ seconds: Int64 = 0) -> String {
    machine.entries[id].map {
      machine.sentence(of: $0, isServed: isServed, now: Self.at(seconds))
    } ?? "gone"
  }

  // MARK: Order and places

  @Test("Q6 the highest priority begins first, then the one that was submitted first")
  mutating func order() {
    machine = QueueMachine(machine: "here", places: 9)
    add(
      Self.entry("10"), Self.entry("9"), Self.entry("11") { $0.priority = 1 },
      Self.entry("12") { $0.priority = -1 }, Self.entry("2"),
      Self.entry("13", submitted: -5) { $0.priority = -1 })
    #expect(due() == ["11", "2", "9", "10", "13", "12"])
  }

  @Test("Q6 no more begin than there are places, and those that wait take none")
  mutating func places() {
    machine = QueueMachine(machine: "here", places: 2)
    add(
      Self.entry("1") { $0.earliestBegin = Self.at(60) }, Self.entry("2"), Self.entry("3"),
      Self.entry("4"))
    #expect(due() == ["2", "3"])
    #expect(!machine.outlook(now: Self.at(0)).isCrowded)
    machine.running = ["2"]
    #expect(due() == ["3"])
    machine.running = ["2", "3"]
    #expect(due() == [] && machine.outlook(now: Self.at(0)).isCrowded)
    machine.running = ["2", "3", "4"]
    #expect(due(60) == [] && machine.outlook(now: Self.at(60)).isCrowded)
    machine.running = []
    #expect(due(60) == ["1", "2"])
    #expect(QueueMachine(machine: "here", places: 0).places == 1)
  }

  @Test("Q6 a repetition that is always due lets in what was submitted before its time came")
  mutating func turns() {
    var always = Self.entry("1") { $0.every = .seconds(1) }
    always.request.standing.workBegan(now: Self.at(0))
    always.request.standing.workEnded(.finished, always.request.terms, now: Self.at(60))
    add(always, Self.entry("2", submitted: 5), Self.entry("3", submitted: 90))
    #expect(due(100) == ["2"])
    machine.entries["2"] = nil
    #expect(due(100) == ["1"])
  }

  // MARK: Waits

  @Test("Q7 each wait has its sentence")
  mutating func waits() {
    func check(
      _ sentence: String, _ terms: (inout RequestTerms) -> Void = { _ in },
      entry change: (inout Entry) -> Void = { _ in },
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      var machine = machine
      machine.conditions.hasNetwork = false
      machine.conditions.load = 3
      machine.conditions.freeMemory = 100
      machine.conditions.freeDisk = 200
      var entry = Self.entry("1", terms)
      change(&entry)
      machine.entries["1"] = entry
      #expect(
        machine.sentence(of: entry, isServed: true, now: Self.at(0)) == sentence,
        sourceLocation: sourceLocation)
      let begins = machine.outlook(now: Self.at(0)).due == ["1"]
      #expect(begins == (sentence == "It begins now."), sourceLocation: sourceLocation)
    }
    check("It begins now.")
    check("It waits: it belongs to another machine (elsewhere-an).") {
      $0.machine = "elsewhere-and-far"
    }
    check("It waits: a process works on it.", entry: { $0.isLocked = true })
    check("It waits: somebody stops it.", entry: { $0.isStopAsked = true })
    check("It waits: it is paused.", entry: { $0.pause = .init() })
    check(
      "It waits: it is held: a folder is missing.",
      entry: { $0.pause = .init(reason: "a folder is missing") })
    check("It waits: its time comes in 1h.") { $0.earliestBegin = Self.at(3_600) }
    check("It begins now.") { $0.earliestBegin = Self.at(-3_600) }
    check(
      "It waits: 7 is not finished.", { $0.afterJob = "7" }, entry: { $0.dependency = .unfinished })
    check(
      "It waits: 7 was to be finished before, and has ended otherwise.", { $0.afterJob = "7" },
      entry: { $0.dependency = .failed })
    check("It begins now.", { $0.afterJob = "7" }, entry: { $0.dependency = .finished })
    check(
      "It waits: $TOKEN is not set where the queue is served.",
      entry: { $0.missingVariable = "TOKEN" })
    check("It waits: the network is missing.") {
      $0.needs.requirements = [.network, .externalPower]
    }
    check("It begins now.") { $0.needs.requirements = [.externalPower] }
    check("It waits: the load is 3.00, and 0.50 is the most.") { $0.needs.mostLoad = 0.5 }
    check("It waits: 100 bytes of memory are free, and 101 are needed.") {
      $0.needs.leastMemory = 101
    }
    check("It waits: 200 bytes of the disk are free, and 201 are needed.") {
      $0.needs.leastDisk = 201
    }
    check("It waits: its program has asked for nothing.") { $0.work = .application }
    check(
      "It waits: the run before crashed by signal 6; it may begin again in 10s.",
      entry: { entry in
        entry.request.standing.workBegan(now: Self.at(0))
        entry.request.standing.workEnded(.crashed(signal: 6), entry.request.terms, now: Self.at(0))
      })
    check(
      "It waits: it may begin again in 1s.",
      entry: { entry in
        entry.request.standing.workBegan(now: Self.at(0))
        entry.request.standing.workEnded(.unfinished, entry.request.terms, now: Self.at(0))
      })
  }

  @Test("Q7 what does not wait has a sentence, too")
  mutating func others() {
    func told(_ id: String, _ change: (inout RequestStanding) -> Void) -> String {
      var entry = Self.entry(id)
      change(&entry.request.standing)
      return machine.sentence(of: entry, isServed: false, now: Self.at(90))
    }
    let terms = Self.entry("1").request.terms
    #expect(told("1") { $0.state = .done } == "It is done.")
    #expect(told("1") { $0.stopAsked(now: Self.at(0)) } == "It was stopped.")
    #expect(
      told("1") {
        $0.workBegan(now: Self.at(0))
        $0.workEnded(.failed(status: 65, isCertain: true), terms, now: Self.at(0))
      } == "It is set aside: It ended with status 65, which another run would repeat.")
    #expect(
      told("1") { $0.workBegan(now: Self.at(0)) }
        == "The process that ran it is gone; it goes on when the queue is served.")
    var running = Self.entry("1")
    running.request.standing.workBegan(now: Self.at(0))
    running.isLocked = true
    add(running, Self.entry("2"))
    #expect(sentence("1", 90) == "It runs since 1m30s.")
    #expect(sentence("2") == "It waits: another one runs.")
    #expect(
      sentence("2", isServed: false)
        == "It waits: nobody serves the queue; stint wake or stint serve begins it.")
    var second = running
    second.request.id = "3"
    add(second)
    #expect(sentence("2") == "It waits: 2 others run.")
    var far = Self.entry("4") { $0.machine = "there" }
    far.request.standing.workBegan(now: Self.at(0))
    add(far)
    #expect(sentence("4") == "It has begun on another machine (there).")
  }

  @Test(
    "Q6 one of another machine, one that is taken and one that is over never begin, even if forced")
  mutating func never() {
    for state in RequestStanding.State.allCases where state != .waiting {
      var entry = Self.entry("1")
      entry.request.standing.state = state
      entry.isForced = true
      add(entry)
      #expect(due() == [] && machine.outlook(now: Self.at(0)).next == nil)
    }
    // Somebody has taken it and is about to begin.
    var taken = Self.entry("1")
    (taken.isLocked, taken.isForced) = (true, true)
    add(taken)
    #expect(due() == [])
    var foreign = Self.entry("1") { $0.machine = "there" }
    foreign.isForced = true
    add(foreign)
    #expect(due() == [])
  }

  @Test("Q8 a forced request waits for nothing but a resume and its variables")
  mutating func forced() {
    var entry = Self.entry("1") {
      $0.earliestBegin = Self.at(60)
      $0.afterJob = "9"
      $0.needs.requirements = [.network]
    }
    machine.conditions.hasNetwork = false
    entry.dependency = .failed
    entry.request.standing.retry = .init(since: Self.at(0), wait: .seconds(60))
    add(entry)
    #expect(due() == [])
    entry.isForced = true
    add(entry)
    #expect(due() == ["1"])
    entry.pause = .init()
    add(entry)
    #expect(due() == [])
    entry.pause = nil
    entry.missingVariable = "HOME"
    add(entry)
    #expect(due() == [])
  }

  @Test("Q3 conditions are asked for only while something of this machine waits for them")
  mutating func asks() {
    #expect(!machine.needsConditions)
    var entry = Self.entry("1") { $0.needs.leastDisk = 1 }
    add(Self.entry("2"), Self.entry("3") { ($0.needs.leastDisk, $0.machine) = (1, "there") })
    #expect(!machine.needsConditions)
    add(entry)
    #expect(machine.needsConditions)
    machine.running = ["1"]
    #expect(!machine.needsConditions)
    machine.running = []
    entry.request.standing.state = .setAside
    add(entry)
    #expect(!machine.needsConditions)
    var program = Self.entry("4") { $0.work = .application }
    program.tasks = [TaskRequest("a", kind: .processing)]
    add(program)
    #expect(!machine.needsConditions)
    program.tasks[0].requirements = [.network]
    add(program)
    #expect(machine.needsConditions)
  }

  @Test("Q3 an application is due with the first of what its program asked for")
  mutating func tasks() {
    var program = Self.entry("app-0123456789abcdef") { $0.work = .application }
    program.tasks = [
      TaskRequest("late", earliestBegin: Self.at(90)),
      TaskRequest("soon", earliestBegin: Self.at(30)),
      TaskRequest("power", kind: .processing),
    ]
    program.tasks[2].requirements = [.externalPower]
    machine.conditions.hasExternalPower = false
    add(program)
    #expect(machine.outlook(now: Self.at(0)).next == .seconds(30))
    #expect(sentence(program.id) == "It waits: its time comes in 30s.")
    #expect(due(29) == [] && due(30) == [program.id])
    machine.conditions.hasExternalPower = true
    #expect(due() == [program.id])
  }

  // MARK: Time

  @Test(
    "Q3 the earliest begin is a lower bound, and what has begun goes on whatever the clock says")
  mutating func earliest() {
    add(Self.entry("1") { $0.earliestBegin = Self.at(100) })
    #expect(due(99) == [] && machine.outlook(now: Self.at(99)).next == .seconds(1))
    #expect(due(100) == ["1"])
    let terms = machine.entries["1"]?.request.terms ?? Self.entry("1").request.terms
    machine.entries["1"]?.request.standing.workBegan(now: Self.at(100))
    machine.entries["1"]?.request.standing.workEnded(.unfinished, terms, now: Self.at(150))
    #expect(due(0) == ["1"])
  }

  @Test("Q3 a clock that jumps both ways runs no repetition twice")
  mutating func steps() {
    let terms = Self.entry("1") { $0.every = .seconds(3_600) }.request.terms
    add(Self.entry("1") { $0.every = .seconds(3_600) })
    var begins: [Int64] = []
    // It begins at 0 and at 3,600, is set back by an hour and forward by five.
    for now: Int64 in [0, 10, 3_599, 3_600, 3_700, 100, 3_650, 7_199, 7_200, 25_000, 25_100, 7_300]
    {
      guard due(now) == ["1"] else { continue }
      begins.append(now)
      machine.entries["1"]?.request.standing.workBegan(now: Self.at(now))
      machine.entries["1"]?.request.standing.workEnded(.finished, terms, now: Self.at(now + 5))
    }
    #expect(begins == [0, 3_600, 7_200, 25_000])
  }

  @Test("Q3 the next look is when the first wait ends; what only an event can end has no time")
  mutating func nextDue() {
    #expect(machine.outlook(now: Self.at(0)).next == nil)
    var paused = Self.entry("1") { $0.earliestBegin = Self.at(5) }
    paused.pause = .init()
    var dependent = Self.entry("2")
    dependent.dependency = .unfinished
    add(paused, dependent, Self.entry("3"))
    #expect(machine.outlook(now: Self.at(0)).next == nil)
    add(Self.entry("4") { $0.earliestBegin = Self.at(50) })
    var retried = Self.entry("5") { $0.earliestBegin = Self.at(-50) }
    retried.request.standing.retry = .init(since: Self.at(-5), wait: .seconds(20))
    add(retried)
    #expect(machine.outlook(now: Self.at(0)).next == .seconds(15))
    #expect(machine.outlook(now: Self.at(-6)).next == .seconds(56))
    #expect(machine.outlook(now: Self.at(15)).next == .seconds(35))
  }
}

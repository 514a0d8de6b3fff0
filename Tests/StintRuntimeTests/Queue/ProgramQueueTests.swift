import Foundation
import StintCore
import Testing

@testable import StintRuntime

/// What the queue of a machine knows of a program whose requests outlive it, on a real disk.
@Suite("A program in the queue of a machine")
struct ProgramQueueTests {
  private let folder: String
  private let store: QueueStore
  private let launch: LaunchRecord
  private let now = WallInstant(nanoseconds: 1_800_000_000_000_000_000)

  init() throws {
    folder = NSTemporaryDirectory() + "/stint-program-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    store = QueueStore(jobsPath: folder + "/jobs")
    launch = LaunchRecord(words: ["/usr/bin/reader", "a b"], directory: "/", umask: 0o27)
  }

  private func requests() -> ProgramRequests {
    ProgramRequests(launch, in: store, now: now, machine: "m")
  }

  private func later(_ seconds: Int) -> WallInstant { now.advanced(by: .seconds(seconds)) }

  private func record(_ requests: [ScheduleRecord.Kept]) -> ScheduleRecord {
    var record = ScheduleRecord()
    record.requests = requests
    return record
  }

  private var machine: QueueMachine { QueueMachine(machine: "m", places: 1) }

  @Test("Q6 a program that runs begins its requests itself, and one that does not is launched")
  func running() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = requests().id
    #expect(QueueStore.isID(id))
    do {
      let program = requests()
      #expect(try program.take(making: true) == .taken(ScheduleRecord()))
      try program.keep(
        record([.init(TaskRequest("r")), .init(TaskRequest("p", earliestBegin: later(60)))]))
      let entry = try #require(try store.entry(id))
      #expect(entry.isProgramRunning && entry.request.terms.work == .application)
      #expect(entry.request.terms.launch == launch && entry.request.terms.name == "reader")
      #expect(machine.wait(of: entry, now: now) == .programRuns)
      #expect(
        machine.sentence(of: entry, isServed: false, now: now)
          == "It waits: its program runs, and begins its requests itself.")
      #expect(try requests().take(making: true) == .held, "a second process")
      #expect(try !store.remove(id), "nobody takes away what a program uses")
      withExtendedLifetime(program) {}
    }
    let entry = try #require(try store.entry(id))
    #expect(!entry.isProgramRunning)
    #expect(machine.wait(of: entry, now: now) == nil)
    #expect(machine.dueTasks(of: entry, now: now).map(\.identifier) == ["r"])
    #expect(machine.dueTasks(of: entry, now: later(60)).map(\.identifier) == ["r", "p"])
    #expect(try store.remove(id))
    #expect(try store.entry(id) == nil)
  }

  @Test("Q7 why a program is not launched, in one sentence")
  func sentences() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = requests().id
    func sentence(_ record: ScheduleRecord, at time: WallInstant) throws -> String {
      do {
        let program = requests()
        _ = try program.take(making: true)
        try program.keep(record)
      }
      return machine.sentence(of: try #require(try store.entry(id)), isServed: true, now: time)
    }
    #expect(
      try sentence(record([]), at: now) == "It waits: its program has asked for nothing.")
    let early = record([.init(TaskRequest("r", earliestBegin: later(90)))])
    #expect(try sentence(early, at: now) == "It waits: its time comes in 1m30s.")
    var died = record([.init(TaskRequest("r"), began: now)])
    #expect(
      try sentence(died, at: later(4))
        == "It waits: the program ended before \"r\" was done; it may begin again in 6s.")
    #expect(try sentence(died, at: later(10)) == "It begins now.")
    #expect(try sentence(died, at: later(-3_600)) == "It begins now.", "the clock was set back")
    died.deaths["r"] = ScheduleRecord.Death(count: 2, began: now)
    #expect(
      try sentence(died, at: later(900))
        == "It waits: its program has asked for nothing. \"r\" is set aside: 3 programs in a row "
        + "ended before it was completed.")
    let homeless = record([.init(TaskRequest("r"), setAside: .noHandler)])
    #expect(
      try sentence(homeless, at: now)
        == "It waits: its program has asked for nothing. \"r\" is set aside: its program has no "
        + "handler for it.")
    var needy = TaskRequest("p", kind: .processing)
    needy.requirements = [.externalPower]
    #expect(try sentence(record([.init(needy)]), at: now) == "It begins now.")
  }

  @Test("B1 the queue launches a program for the fetch that its plan says")
  func fetches() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = requests().id
    do {
      let program = requests()
      _ = try program.take(making: true)
      var record = ScheduleRecord()
      record.plan = FetchPlan(
        interval: .atLeast(.seconds(100)), usage: UsageHistory(), doublings: 1, since: now)
      try program.keep(record)
    }
    let entry = try #require(try store.entry(id))
    #expect(machine.wait(of: entry, now: now) == .earliest(left: .seconds(200)))
    #expect(machine.dueTasks(of: entry, now: later(200)).map(\.kind) == [.fetch])
  }

  @Test("Q8 what is simulated is due whatever it waits for, and a running program hears of it")
  func simulated() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = requests().id
    do {
      let program = requests()
      _ = try program.take(making: true)
      try program.keep(record([.init(TaskRequest("r", earliestBegin: later(90)))]))
    }
    try store.set(.launch, to: true, with: "r", for: id)
    var entry = try #require(try store.entry(id))
    #expect(machine.wait(of: entry, now: now) == nil)
    #expect(machine.dueTasks(of: entry, now: now).map(\.identifier) == ["r"])
    try store.set(.launch, to: true, with: "unknown", for: id)
    entry = try #require(try store.entry(id))
    #expect(machine.dueTasks(of: entry, now: now) == [])
    try store.set(.launch, to: false, for: id)
    try store.set(.fetch, to: true, for: id)
    entry = try #require(try store.entry(id))
    #expect(machine.dueTasks(of: entry, now: now).map(\.kind) == [.fetch])
    // What was put there before the program ran, and what comes while it does.
    let program = requests()
    let (heard, continuation) = AsyncStream.makeStream(of: ScheduleSimulation.self)
    program.listen { continuation.yield($0) }
    _ = try program.take(making: false)
    var iterator = heard.makeAsyncIterator()
    #expect(await iterator.next() == .fetch)
    try store.set(.expire, to: true, with: "r", for: id)
    #expect(await iterator.next() == .expiry("r"))
    try store.set(.lose, to: true, for: id)
    #expect(await iterator.next() == .lossOfRequirement(nil))
    #expect(!store.isSet(.fetch, for: id) && !store.isSet(.expire, for: id))
  }

  @Test("Q6 a program that was set aside waits again when it is started by hand")
  func startedByHand() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = requests().id
    do {
      let program = requests()
      _ = try program.take(making: true)
      try program.keep(record([.init(TaskRequest("r"))]))
    }
    do {
      let lock = try #require(try store.take(id))
      try lock.update { ($0.standing.state, $0.standing.why) = (.setAside, "It crashed.") }
    }
    #expect(try store.entry(id)?.tasks == [], "what is over is not looked into")
    let program = requests()
    #expect(try program.take(making: false) == .taken(record([.init(TaskRequest("r"))])))
    #expect(try store.read(id)?.standing == RequestStanding())
  }

  @Test(
    "Q6 what is no record is refused with its reason",
    arguments: [
      #"{"formatVersion":2}"#, #"{"formatVersion":1,"requests":[{"kind":"refresh"}]}"#,
      #"{"formatVersion":1,"requests":[{"identifier":"r","kind":"fetch"}]}"#,
      #"{"formatVersion":1,"requests":[{"identifier":"r","kind":"refresh","requirements":["x"]}]}"#,
      #"{"formatVersion":1,"deaths":[{"identifier":"r","count":3,"beganUnixNs":1}]}"#,
      #"{"formatVersion":1,"deaths":[{"identifier":"r","count":1}]}"#,
      #"{"formatVersion":1,"fetch":{"interval":"often"}}"#, #"{"formatVersion":1,"fetch":3}"#,
      #"{"formatVersion":1,"fetch":{"interval":"never"},"usage":{"hours":[{"hour":168,"weight":1}]}}"#,
      #"{"formatVersion":1,"fetch":{"interval":"never"},"usage":{"hours":[{"hour":1,"weight":-1}]}}"#,
    ])
  func refused(text: String) {
    #expect(throws: JSONFault.self) { try ScheduleRecord(contents: Array(text.utf8)) }
  }

  @Test(
    "Q6 a record that lacks everything but its version is empty, and what is unknown is skipped")
  func lenient() throws {
    #expect(
      try ScheduleRecord(contents: Array(#"{"formatVersion":1,"later":[{}]}"#.utf8))
        == ScheduleRecord())
  }
}

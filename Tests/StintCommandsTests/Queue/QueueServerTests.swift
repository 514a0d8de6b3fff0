import Foundation
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

@Suite("Who serves a queue, in virtual time")
struct QueueServerTests {
  private let world = QueueWorld()

  private typealias Run = QueueWorld.Run

  /// Work that saves every minute and needs so many runs more.
  private static func long(_ runs: Int) -> [Run] {
    [Run](repeating: Run(end: .unfinished, takes: .seconds(60), madeProgress: true), count: runs)
  }

  private func expectDone(_ ids: String..., sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    for id in ids {
      #expect(try world.standing(id)?.state == .done, "\(id)", sourceLocation: sourceLocation)
    }
  }

  // MARK: A wake

  @Test("Q6 a wake with nothing that is due ends at once with 0")
  func nothing() throws {
    #expect(try world.wake() == 0)
    try world.submit { $0.earliestBegin = self.world.wall.advanced(by: .seconds(60)) }
    try world.submit { $0.needs.requirements = [.network] }
    world.conditions.hasNetwork = false
    #expect(try world.wake() == 0)
    #expect(world.order == [] && world.now == Instant(nanoseconds: 0))
  }

  @Test("Q6 a wake begins what is due, goes on with it, and ends with 0 when it is done")
  func wakes() throws {
    try world.submit(Self.long(2))
    try world.submit()
    #expect(try world.wake() == 0)
    #expect(world.order == ["1", "1", "1", "2"] && world.mostAtOnce == 1)
    try expectDone("1", "2")
  }

  @Test(
    "Q6 a wake whose time is over ends with 75 if begun or due work is left, and the next goes on")
  func budget() throws {
    try world.submit(Self.long(7))
    #expect(try world.wake(budget: .seconds(150)) == 75)
    #expect(world.order.count == 3 && world.running == [])
    #expect(try world.wake(budget: .seconds(30)) == 75)
    try world.submit()
    #expect(try world.wake(budget: .seconds(90)) == 75)
    #expect(try world.wake() == 0)
    try expectDone("1", "2")
    // Begun nothing, and something is due.
    try world.submit()
    #expect(try world.wake(budget: .milliseconds(500)) == 75)
  }

  @Test("Q6 a crash is waited for by the wake that began it, and a paused request is not")
  func crashes() throws {
    let crash = Run(end: .crashed(signal: 11))
    try world.submit([crash, crash])
    try world.submit([crash, crash, crash])
    #expect(try world.wake() == 0)
    try expectDone("1")
    #expect(try world.standing("2")?.state == .setAside)
    #expect(world.now.duration(to: Instant(nanoseconds: 0)) < .seconds(-30))
    try world.submit(Self.long(9))
    let host = try world.serve(isResident: false)
    world.advance(by: .seconds(90))
    try world.set(.pause, for: "3")
    world.advance(by: .seconds(5))
    #expect(host.left == 0 && world.running == [])
  }

  // MARK: A server that stays

  @Test("Q6 a server stays, and begins what is submitted while it serves")
  func stays() throws {
    let host = try world.serve()
    world.advance(by: .seconds(3_600))
    try world.submit()
    #expect(host.left == nil)
    world.advance(by: .milliseconds(10))
    #expect(world.running == ["1"])
    world.advance(by: .seconds(5))
    try expectDone("1")
    try world.submit(Self.long(9))
    world.advance(by: .seconds(90))
    host.end()
    #expect(host.left == nil)
    world.advance(by: .seconds(60))
    #expect(host.left == 75)
  }

  @Test("Q6 a server that is told of no changes sees them within 30 s, a resume included")
  func deaf() throws {
    try world.serve(hears: false)
    world.advance(by: .seconds(10))
    try world.submit([Run(end: .failed(status: 3, isCertain: false))])
    world.advance(by: .seconds(30))
    #expect(try world.standing("1")?.state == .setAside)
    let lock = try #require(try world.store.take("1"))
    try lock.update { $0.standing.resumed() }
    lock.giveBack()
    world.advance(by: .seconds(31))
    try expectDone("1")
  }

  @Test("Q6 priorities, then the order of submission; so many at once as there are places")
  func order() throws {
    for priority in [0, 1, 0, 5, -1] { try world.submit { $0.priority = priority } }
    try world.serve(2)
    world.advance(by: .seconds(30))
    #expect(world.order == ["4", "2", "1", "3", "5"] && world.mostAtOnce == 2)
  }

  @Test("Q6 a chain of ten requests, each after the one before; a failure holds those behind it")
  func chain() throws {
    for number in 1...10 {
      try world.submit(number == 4 ? Self.long(1) : []) {
        if number > 1 { $0.afterJob = "\(number - 1)" }
        // The later, the more urgent.
        $0.priority = number
      }
    }
    try world.submit([Run(end: .failed(status: 65, isCertain: true))])
    try world.submit { $0.afterJob = "11" }
    try world.submit { $0.afterJob = "99" }
    try world.serve(4)
    world.advance(by: .seconds(600))
    let tenth = ["1", "2", "3", "4", "4", "5", "6", "7", "8", "9", "10"]
    #expect(world.order.filter { $0 != "11" } == tenth)
    #expect(try world.standing("12")?.runs == 0 && world.standing("13")?.runs == 0)
  }

  @Test("Q6 what waits for a repetition begins after the first one")
  func afterRepetition() throws {
    try world.submit { $0.every = .seconds(3_600) }
    try world.submit { $0.afterJob = "1" }
    #expect(try world.wake() == 0)
    #expect(world.order == ["1", "2"])
  }

  // MARK: Several servers

  @Test("Q6 two servers and a wake beside them begin nothing twice, and lose nothing")
  func several() throws {
    for number in 0..<12 { try world.submit(number.isMultiple(of: 3) ? Self.long(1) : []) }
    try world.serve(2)
    try world.serve(2, hears: false)
    #expect(try world.wake(3) == 0)
    world.advance(by: .seconds(600))
    for number in 1...12 {
      try expectDone("\(number)")
      #expect(world.begins["\(number)"]?.count == ((number - 1).isMultiple(of: 3) ? 2 : 1))
    }
    #expect(world.mostAtOnce <= 7)
  }

  @Test("Q6 a server that is killed has its work saved; the next one goes on with it")
  func killedServer() throws {
    try world.submit(Self.long(2))
    let host = try world.serve()
    world.advance(by: .seconds(30))
    world.kill(host)
    #expect(world.running == ["1"])
    // The work still saves when the next one comes.
    try world.serve()
    world.advance(by: .seconds(1))
    #expect(world.order == ["1", "1"] && world.mostAtOnce == 1)
    world.advance(by: .seconds(300))
    try expectDone("1")
  }

  @Test("Q6 what vanished with its machine, or was killed alone, goes on after a second")
  func vanished() throws {
    try world.submit(Self.long(3))
    try world.serve()
    world.advance(by: .seconds(30))
    world.killRun("1")
    #expect(try world.standing("1")?.state == .waiting && world.standing("1")?.vanished == 1)
    world.advance(by: .seconds(30))
    #expect(world.running == ["1"])
    world.goDown()
    #expect(try world.standing("1")?.state == .running)
    world.advance(by: .seconds(3_600))
    #expect(try world.wake() == 0)
    try expectDone("1")
  }

  // MARK: People

  @Test("Q6 a stop, a pause and a resume by files reach what waits and what runs")
  func markers() throws {
    try world.submit(Self.long(9))
    try world.submit()
    try world.submit()
    try world.serve()
    world.advance(by: .seconds(10))
    try world.set(.stop, for: "2")
    #expect(try world.standing("2")?.state == .stopped)
    try world.set(.pause, for: "3")
    try world.set(.pause, for: "1")
    world.advance(by: .seconds(10))
    #expect(world.running == [] && world.order == ["1"])
    try world.set(.pause, to: false, for: "1")
    world.advance(by: .seconds(10))
    #expect(world.running == ["1"])
    try world.set(.stop, for: "1")
    world.advance(by: .seconds(10))
    #expect(try world.standing("1")?.state == .stopped && world.order == ["1", "1"])
    try world.set(.pause, to: false, for: "3")
    world.advance(by: .seconds(10))
    try expectDone("3")
    #expect(world.order == ["1", "1", "3"])
  }

  @Test("Q8 a forced request begins whatever it waits for, once")
  func forced() throws {
    try world.submit {
      $0.earliestBegin = self.world.wall.advanced(by: .seconds(86_400))
      $0.every = .seconds(86_400)
    }
    try world.serve()
    world.advance(by: .seconds(60))
    #expect(world.order == [])
    try world.set(.launch, for: "1")
    world.advance(by: .seconds(60))
    #expect(world.order == ["1"] && !world.store.isSet(.launch, for: "1"))
  }

  // MARK: What is wrong

  @Test("Q6 requests of another machine are left alone, running ones included")
  func others() throws {
    try world.submit { $0.machine = "there" }
    try world.submit { $0.machine = "there" }
    let lock = try #require(try world.store.take("2"))
    try lock.update { $0.standing.workBegan(now: $0.terms.submitted) }
    lock.giveBack()
    let before = [try world.store.read("1"), try world.store.read("2")]
    try world.serve()
    world.advance(by: .seconds(3_600))
    #expect(try [world.store.read("1"), world.store.read("2")] == before && world.order == [])
  }

  @Test(
    "C2 a record that cannot be read is told once, hinders nothing, and begins when it is mended")
  func unreadable() throws {
    try world.submit()
    try world.submit()
    let file = URL(filePath: world.store.path(of: "1") + "/request.json")
    let whole = try Data(contentsOf: file)
    try whole.prefix(40).write(to: file)
    let host = try world.serve()
    world.advance(by: .seconds(3_600))
    try expectDone("2")
    #expect(
      host.said.count == 1 && host.said.first?.contains("The request 1 cannot be read") == true)
    try whole.write(to: file)
    world.advance(by: .seconds(60))
    try expectDone("1")
  }

  @Test("Q6 a process that cannot be started is told, tried again, and no reason to end with 0")
  func refused() throws {
    try world.submit()
    let host = try world.serve()
    host.refusals = 1
    try world.submit()
    world.advance(by: .seconds(60))
    try expectDone("1", "2")
    #expect(host.said.count == 1)
  }

  @Test("Q6 R4 a disk that fails now and then loses no request and begins none in two places")
  func failingDisk() throws {
    for seed: UInt64 in 0..<8 {
      let disk = FaultyFileSystem()
      disk.keepsCalls = false
      let world = QueueWorld(on: disk, userID: 1000)
      for number in 1...8 {
        try world.submit(number.isMultiple(of: 2) ? Self.long(2) : []) {
          if number > 5 { $0.afterJob = "\(number - 5)" }
        }
      }
      try world.serve(2, hears: false)
      try world.serve(1, hears: false)
      disk.faults.scatter([.ioError, .diskFull], probability: 0.02, seed: seed)
      world.advance(by: .seconds(1_800))
      disk.faults = [:]
      world.advance(by: .seconds(1_800))
      for number in 1...8 {
        #expect(try world.standing("\(number)")?.state == .done, "\(number), seed \(seed)")
      }
      #expect(world.mostAtOnce <= 3)
    }
  }

  @Test("Q6 a request whose variable is not set waits for a server that has it")
  func variables() throws {
    try world.submit { $0.launch.variables = ["TOKEN"] }
    #expect(try world.wake() == 0 && world.order == [])
    try world.serve(variables: ["TOKEN"])
    world.advance(by: .seconds(5))
    try expectDone("1")
  }

  @Test("Q3 a request begins when the machine offers what it needs, within five seconds")
  func conditions() throws {
    try world.submit { $0.needs.requirements = [.externalPower] }
    world.conditions.hasExternalPower = false
    try world.serve()
    world.advance(by: .seconds(3_600))
    #expect(world.order == [])
    world.conditions.hasExternalPower = true
    world.advance(by: .seconds(7))
    try expectDone("1")
  }

  // MARK: Time

  @Test("Q3 a week of repetitions with a clock that is set both ways: none twice, none too early")
  func week() throws {
    let start = world.wall
    let every = Duration.seconds(21_600)
    try world.submit { $0.every = every }
    try world.serve()
    // By hours of the week: the clock is set by so many seconds.
    let steps = [13: -7_200, 30: 3_600, 31: -3_600, 50: 100_000, 51: -100_000, 100: 86_400 * 2]
    for hour in 0..<168 {
      if let step = steps[hour] { world.wallAtZero = world.wallAtZero.advanced(by: .seconds(step)) }
      world.advance(by: .seconds(3_600))
    }
    let begins = world.begins["1"] ?? []
    let turns = begins.map { start.duration(to: $0).nanoseconds / every.nanoseconds }
    #expect(Set(turns).count == turns.count && turns == turns.sorted())
    #expect((24...34).contains(turns.count), "\(turns)")
    try world.set(.stop, for: "1")
    #expect(try world.standing("1")?.state == .stopped)
  }

  @Test("Q3 repetitions that were missed while nobody served run once")
  func missed() throws {
    try world.submit { $0.every = .seconds(3_600) }
    #expect(try world.wake() == 0)
    world.advance(by: .seconds(36_000))
    #expect(try world.wake() == 0)
    #expect(try world.wake() == 0)
    #expect(world.order.count == 2)
  }
}

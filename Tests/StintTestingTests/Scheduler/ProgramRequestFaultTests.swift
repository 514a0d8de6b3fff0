import StintCore
import StintRuntime
import StintTesting
import Testing

/// Kills, full disks, clocks that are set, and second processes.
@Suite("Faults around requests that outlive their process")
@MainActor
struct ProgramRequestFaultTests {
  private typealias Process = ProgramRequestsTests.Process

  private let clock = VirtualClock()
  private let disk = FaultyFileSystem()

  private func process(_ disk: FaultyFileSystem) -> Process { Process(on: disk, clock: clock) }

  /// Submits, lets the task begin and complete; how often it began, and how far that came.
  private func life(
    on disk: FaultyFileSystem
  ) throws -> (begins: Int, isSubmitted: Bool, isDone: Bool, isCompleted: Bool) {
    let one = process(disk)
    let (isDone, isCompleted) = (Protected(false), Protected(false))
    one.handle.withLock {
      $0 = { task in
        guard disk.isAlive else { return }
        isDone.withLock { $0 = true }
        task.complete(success: true)
        isCompleted.withLock { $0 = disk.isAlive }
      }
    }
    try one.launch(intoBackground: true)
    try? one.submit("p", .processing)
    let isSubmitted = disk.isAlive
    let begins = one.begun.count
    one.kill()
    return (begins, isSubmitted, isDone.withLock { $0 }, isCompleted.withLock { $0 })
  }

  @Test(
    "Q6 a kill or a loss of power at any instant loses no request and completes none twice",
    arguments: [FileFault.kill, .powerLoss])
  func anyInstant(fault: FileFault) throws {
    let calls = try { () throws -> Int in
      let disk = FaultyFileSystem()
      _ = try life(on: disk)
      return disk.callCount
    }()
    #expect(calls > 20)
    for call in 1...calls {
      let disk = FaultyFileSystem()
      disk.faults[call] = fault
      let first = try life(on: disk)
      let next = fault == .kill ? disk.anotherProcess() : disk.rebooted(.nothing)
      let second = process(next)
      try second.launch(intoBackground: true)
      second.system.advance(by: .seconds(30))
      let total = first.begins + second.begun.count
      if first.isCompleted {
        #expect(second.begun == [], "completed, and begun again: \(fault) at call \(call)")
      } else if first.isSubmitted, !first.isDone {
        #expect(second.begun == ["p"], "submitted, and lost: \(fault) at call \(call)")
      }
      #expect(total <= 2 && second.record?.requests ?? [] == [], "\(fault) at call \(call)")
    }
  }

  @Test("Q6 on a full disk a program says so, goes on, and keeps its requests when there is room")
  func fullDisk() throws {
    let one = process(disk)
    try one.launch(intoBackground: true)
    disk.faults.add(.diskFull, at: .write, times: 3)
    try one.submit("r", in: 50)
    try one.submit("p", .processing, in: 60)
    #expect(one.record == nil)
    let diagnostics = one.system.record.diagnostics
    #expect(diagnostics.count == 1, "told once: \(diagnostics)")
    guard case .requestsNotKept(let error)? = diagnostics.first else {
      Issue.record("\(diagnostics)")
      return
    }
    #expect(error.errno == 28)
    one.system.advance(by: .seconds(55))
    #expect(one.begun == ["r"])
    #expect(one.record?.requests.map(\.request.identifier) == ["p"], "there is room again")
  }

  @Test("Q6 a damaged record is named, and left as it is")
  func damaged() throws {
    let one = process(disk)
    try one.launch()
    try one.submit("r", in: 50)
    one.kill()
    let path = try #require(disk.anotherProcess().files().first { $0.hasSuffix("tasks.json") })
    disk.anotherProcess().setContents(Array("{}".utf8), of: path)
    let two = process(disk.anotherProcess())
    try two.launch()
    try two.submit("p", .processing, in: 10)
    #expect(two.system.record.diagnostics.count == 1)
    #expect("\(two.system.record.diagnostics)".contains("tasks.json is damaged"))
    #expect(disk.anotherProcess().contents(of: path) == Array("{}".utf8))
  }

  @Test("Q6 a second process keeps its requests to itself, and takes over when the first is gone")
  func secondProcess() throws {
    let one = process(disk)
    try one.launch()
    try one.submit("r", in: 100)
    let two = process(disk.anotherProcess())
    try two.launch()
    try two.submit("p", .processing, in: 200)
    two.system.enterBackground()
    two.system.advance(by: .seconds(2))
    #expect(two.system.record.diagnostics.count == 1)
    #expect("\(two.system.record.diagnostics)".contains("another process of this program"))
    #expect(two.scheduler.pending.map(\.identifier) == ["p"])
    #expect(one.record?.requests.map(\.request.identifier) == ["r"])
    one.kill()
    // Anything that changes lets it look again.
    two.scheduler.fetchInterval = .atLeast(.seconds(5_000))
    #expect(two.scheduler.pending.map(\.identifier) == ["r", "p"])
    #expect(two.record?.requests.map(\.request.identifier) == ["r", "p"])
    two.system.advance(by: .seconds(250))
    #expect(two.begun == ["r", "p"])
  }

  @Test("Q6 a clock that is set back ends the wait after a crash, and runs nothing twice")
  func clockSet() throws {
    let one = process(disk)
    one.handle.withLock { $0 = { _ in } }
    try one.launch(intoBackground: true)
    try one.submit("r")
    #expect(one.begun == ["r"])
    one.kill()
    let two = process(disk.anotherProcess())
    try two.launch(intoBackground: true)
    #expect(two.begun == [])
    #expect(
      two.scheduler.why("r")
        == "\"r\" waits: the program ended before it was completed; it is tried again in 10s.")
    two.system.wallTime = two.system.wallTime.advanced(by: .seconds(-86_400))
    #expect(two.begun == ["r"])
    two.system.wallTime = two.system.wallTime.advanced(by: .seconds(86_400))
    two.system.advance(by: .seconds(60))
    #expect(two.begun == ["r"])
  }

  @Test("Q6 another user's folder and another program's are not touched")
  func strangers() throws {
    let one = process(disk)
    try one.launch()
    try one.submit("r")
    func requests(
      _ argument: String, machine: String = "m", userID: UInt32 = 1_000
    ) -> ProgramRequests {
      ProgramRequests(
        LaunchRecord(words: ["/usr/bin/reader", argument], directory: "/home/reader"),
        in: QueueStore(
          jobsPath: "/state/jobs", fileSystem: disk.anotherProcess(), userID: userID),
        now: WallInstant(nanoseconds: 0), machine: machine)
    }
    #expect(try requests("a").take(making: false) == .held)
    #expect(try requests("b").take(making: false) == .absent, "another program")
    #expect(try requests("a", machine: "n").take(making: false) == .absent, "another machine's")
    #expect(throws: StintError.self) { try requests("a", userID: 1_001).take(making: false) }
  }
}

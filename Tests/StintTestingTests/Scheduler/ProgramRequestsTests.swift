import Foundation
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import Stint

/// One process of a program after another, on one disk, in virtual time.
@Suite("Requests that outlive their process")
@MainActor
struct ProgramRequestsTests {
  /// A process of the program.
  @MainActor
  final class Process {
    let system: VirtualSystem
    let application: Application
    let disk: FaultyFileSystem
    /// The identifiers whose handlers were called.
    private let called = Protected<[String]>([])
    /// What the handlers do; by default they complete.
    let handle = Protected<@Sendable (ScheduledTask) -> Void>({ $0.complete(success: true) })

    var scheduler: TaskScheduler { system.taskScheduler }
    var begun: [String] {
      system.run()
      return called.withLock { $0 }
    }

    init(on disk: FaultyFileSystem, clock: VirtualClock) {
      self.disk = disk
      system = VirtualSystem(policy: .iOS13, clock: clock)
      application = Application(system: system)
      scheduler.keep(with: Self.requests(on: disk))
    }

    /// The requests as another process of the program has them.
    static func requests(on disk: FaultyFileSystem) -> ProgramRequests {
      ProgramRequests(
        LaunchRecord(words: ["/usr/bin/reader", "a"], directory: "/home/reader"),
        in: QueueStore(jobsPath: "/state/jobs", fileSystem: disk, userID: 1_000),
        now: WallInstant(nanoseconds: 0), machine: "m")
    }

    /// Registers handlers, as didFinishLaunching does, in the midst of the launch.
    func launch(intoBackground: Bool = false, _ identifiers: [String] = ["r", "p"]) throws {
      for identifier in identifiers {
        try scheduler.register(identifier) { [called, handle] task in
          called.withLock { $0.append(identifier) }
          handle.withLock { $0 }(task)
        }
      }
      if intoBackground { system.launchIntoBackground() } else { system.launch() }
      scheduler.launchEnded()
    }

    func submit(
      _ identifier: String, _ kind: ScheduledTaskKind = .refresh, in seconds: Int = 0
    ) throws {
      let earliest = seconds == 0 ? nil : system.wallTime.advanced(by: .seconds(seconds))
      try scheduler.submit(TaskRequest(identifier, kind: kind, earliestBegin: earliest))
    }

    /// Kills this process (SIGKILL).
    func kill() {
      disk.killProcess()
      system.kill()
    }

    var record: ScheduleRecord? {
      let store = QueueStore(jobsPath: "/state/jobs", fileSystem: disk.anotherProcess())
      return (try? store.tasks(of: Self.requests(on: disk).id)) ?? nil
    }
  }

  private let clock = VirtualClock()
  private let disk = FaultyFileSystem()

  /// The next process of the program.
  private func process() -> Process { Process(on: disk.anotherProcess(), clock: clock) }

  @Test("Q6 what waited when its program was killed begins in the next process, once")
  func nextProcess() throws {
    let first = process()
    try first.launch()
    try first.submit("r", in: 100)
    try first.submit("p", .processing, in: 200)
    first.scheduler.fetchInterval = .atLeast(.seconds(1_000))
    first.system.advance(by: .seconds(10))
    first.kill()

    let second = process()
    #expect(second.scheduler.pending.map(\.identifier) == ["r", "p"])
    #expect(second.scheduler.why("r") == "\"r\" waits: the application is being launched.")
    try second.launch(intoBackground: true)
    second.system.advance(by: .seconds(89))
    #expect(second.begun == [])
    second.system.advance(by: .seconds(2))
    #expect(second.begun == ["r"])
    #expect(second.scheduler.fetchInterval == .atLeast(.seconds(1_000)))
    second.kill()

    let third = process()
    try third.launch(intoBackground: true)
    third.system.advance(by: .seconds(200))
    #expect(third.begun == ["p"], "the one that was completed is gone")
    #expect(third.record?.requests == [] && third.record?.begins == 2)
  }

  @Test("Q6 nothing is written before the first request or fetch interval")
  func nothing() throws {
    let one = process()
    try one.launch()
    one.system.enterBackground()
    one.system.enterForeground()
    one.scheduler.fetchInterval = .never
    #expect(disk.anotherProcess().files() == [])
    one.scheduler.fetchInterval = .minimum
    #expect(one.record?.plan.interval == .minimum)
  }

  @Test("Q6 a task in which programs end is begun three times, and then set aside and named")
  func crashes() throws {
    let first = process()
    try first.launch()
    try first.submit("r")
    try first.submit("p", .processing, in: 1_000)
    first.kill()
    var begins: [Duration] = []
    let start = clock.now
    for count in 1...3 {
      let next = process()
      next.handle.withLock { $0 = { _ in } }
      try next.launch(intoBackground: true)
      while next.begun.isEmpty, begins.count < 10 { next.system.advance(by: .seconds(1)) }
      begins.append(start.duration(to: clock.now))
      #expect(next.begun == ["r"])
      #expect(next.record?.requests.contains { $0.began != nil } == true)
      #expect(next.system.record.diagnostics == [], "time \(count)")
      next.kill()
    }
    #expect(begins == [.zero, .seconds(10), .seconds(30)])
    let last = process()
    #expect(
      last.system.record.diagnostics == [
        .requestSetAside(
          identifier: "r", "3 programs in a row ended before it was completed")
      ])
    try last.launch(intoBackground: true)
    last.system.advance(by: .seconds(900))
    #expect(last.begun == [])
    #expect(last.scheduler.why("r").contains("set aside: 3 programs in a row"))
    #expect(last.scheduler.pending.map(\.identifier) == ["p"], "what else was asked for goes on")
    // It is asked for anew.
    try last.submit("r")
    last.system.run()
    #expect(last.begun == ["r"])
    #expect(last.record?.requests.map(\.request.identifier) == ["p"])
  }

  @Test("Q6 a handler that asks for the next task first does not hide that its program ends")
  func chainOfCrashes() throws {
    let first = process()
    try first.launch()
    try first.submit("r")
    first.kill()
    var count = 0
    for _ in 1...6 {
      let next = process()
      next.handle.withLock { [scheduler = next.scheduler] in
        $0 = { _ in try? scheduler.submit(TaskRequest("r")) }
      }
      try next.launch(intoBackground: true)
      next.system.advance(by: .seconds(15))
      count += next.begun.count
      next.kill()
    }
    #expect(count == 3)
  }

  @Test(
    "Q6 a completion with or without success forgets the ends before it", arguments: [true, false])
  func completed(success: Bool) throws {
    let first = process()
    first.handle.withLock { $0 = { _ in } }
    try first.launch(intoBackground: true)
    try first.submit("r")
    #expect(first.begun == ["r"])
    first.kill()
    let second = process()
    #expect(second.record?.deaths["r"]?.count == 1)
    second.handle.withLock { $0 = { $0.complete(success: success) } }
    try second.launch(intoBackground: true)
    second.system.advance(by: .seconds(11))
    #expect(second.begun == ["r"])
    #expect(second.record?.deaths == [:] && second.record?.requests == [])
  }

  @Test("Q6 a request without a handler is set aside and named, until a program has one")
  func noHandler() throws {
    let first = process()
    try first.launch()
    try first.submit("p", .processing)
    first.kill()
    let second = process()
    try second.launch(intoBackground: true, ["r"])
    second.system.advance(by: .seconds(5))
    guard case .requestSetAside("p", _)? = second.system.record.diagnostics.first else {
      Issue.record("\(second.system.record.diagnostics)")
      return
    }
    #expect(second.record?.requests.map(\.setAside) == [.noHandler])
    second.kill()
    let third = process()
    try third.launch(intoBackground: true)
    #expect(third.begun == ["p"])
  }

  @Test("Q6 a continued task ends with its process")
  func continued() throws {
    let first = process()
    try first.launch()
    first.system.enterBackground()
    try first.scheduler.submit(TaskRequest("r", kind: .continued))
    #expect(first.scheduler.pending.count == 1)
    try first.submit("p", .processing, in: 100)
    first.kill()
    #expect(process().scheduler.pending.map(\.identifier) == ["p"])
  }

  @Test("Q6 a request that is submitted in the launch replaces the one that was left")
  func replaced() throws {
    let first = process()
    try first.launch()
    try first.submit("r", in: 10)
    first.kill()
    let second = process()
    try second.scheduler.register("r") { $0.complete(success: true) }
    try second.submit("r", in: 500)
    second.system.launchIntoBackground()
    second.scheduler.launchEnded()
    second.system.advance(by: .seconds(400))
    #expect(second.scheduler.pending.map(\.identifier) == ["r"])
    #expect(second.record?.requests.count == 1)
  }

  @Test("B3 what the system has learnt of fetches is known to the next process")
  func learnt() throws {
    let first = process()
    try first.launch()
    first.scheduler.fetchInterval = .minimum
    let usage = first.scheduler.usage
    #expect(!usage.isEmpty)
    first.system.enterBackground()
    // A delegate that is not there has nothing to fetch.
    first.system.advance(by: .seconds(1_900))
    let plan = try #require(first.record?.plan)
    #expect(plan.doublings > 0)
    first.kill()
    let second = process()
    #expect(second.scheduler.usage == usage)
    try second.launch(intoBackground: true)
    #expect(second.record?.plan == plan)
  }

  @Test("Q6 a fetch that a kill cut off is not begun again, and the next one comes later")
  func fetchCut() throws {
    let first = process()
    let delegate = NeverDone()
    first.application.delegate = delegate
    try first.launch()
    first.scheduler.fetchInterval = .atLeast(.seconds(100))
    first.system.enterBackground()
    first.system.advance(by: .seconds(105))
    #expect(delegate.fetches == 1 && first.record?.isFetching == true)
    first.kill()
    let second = process()
    try second.launch(intoBackground: true)
    #expect(second.record?.plan.doublings == 1 && second.record?.isFetching == false)
  }

  @MainActor
  private final class NeverDone: NSObject, ApplicationDelegate {
    var fetches = 0
    func application(
      _ application: Application,
      performFetchWithCompletionHandler completionHandler:
        @escaping @Sendable (BackgroundFetchResult) -> Void
    ) {
      fetches += 1
    }
  }
}

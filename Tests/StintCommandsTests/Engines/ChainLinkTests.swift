import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Slices of a chain, with an engine in memory")
struct ChainLinkTests {
  let fixture = VerbFixture()
  let engine = FakeEngine()
  private let said = Protected<[String]>([])

  private func context(_ words: [String]) throws -> VerbContext {
    try fixture.context(words, engine: engine)
  }

  /// Submits a chain as a user does; its key.
  private func chain(_ options: String...) throws -> String {
    _ = try SubmitCommand(
      context: context(["submit"] + options + ["--", "exec", "--resumable", "--", "a"])
    ).run()
    return try #require(
      try context(["list"]).catalog.keys().last { $0.hasPrefix("chain-") })
  }

  private func record(_ key: String) throws -> ChainRecord {
    try #require(try context(["list"]).catalog.chain(key))
  }

  /// Runs a slice of the newest submission; the status that the engine gets.
  @discardableResult
  private func slice(
    _ task: Int, of key: String, _ life: FakeLife, needs places: [(String, String)] = []
  ) throws -> Int32 {
    let (context, record) = (try context(["list"]), try record(key))
    let array = record.array ?? "7"
    let setup = ChainLink.Setup(
      slice: EngineSlice(array: array, task: task, job: "\(array)_\(task)", node: "n1"),
      submission: context.submission(to: engine), catalog: context.catalog, life: life,
      places: { _ in places },
      durablePoints: { _ in 0 }
    ) { [said] text in said.withLock { $0.append(text) } }
    return try ChainLink.run(
      key, submission: record.submission, patience: JobLock.Patience(duration: .zero), setup)
  }

  private func status(_ key: String) throws -> String {
    try StatusCommand(context: context(["status", key])).run().output
  }

  @Test("E3 a slice that saved is followed by another; the one that finishes ends the chain")
  func followed() throws {
    let key = try chain("--links", "3", "--then", "after.sh")
    #expect(engine.queue == ["7"])
    #expect(try slice(1, of: key, FakeLife(.exited(75))) == 0)
    #expect(try record(key).state == .active && record(key).link == 1)
    #expect(engine.taken.count == 1 && engine.queue == ["7"])
    #expect(try slice(2, of: key, FakeLife(.exited(0))) == 0)
    #expect(try record(key).ending == .finished && record(key).link == 2)
    // What follows is submitted, and what is left of the array is gone.
    #expect(engine.taken.last == ["follower", "after.sh"] && engine.queue == ["8"])
    #expect(try slice(3, of: key, FakeLife(.exited(1))) == 0)
    #expect(try record(key).link == 2 && engine.taken.count == 2)
  }

  @Test(
    "E3 a failure that another slice would repeat ends the chain; the last slice gives its status")
  func failed() throws {
    let key = try chain()
    #expect(try slice(1, of: key, FakeLife(.exited(3))) == 3)
    #expect(try record(key).why == "Slice 1 ended with status 3, which another one would repeat.")
    let short = try chain("--links", "1")
    #expect(try slice(1, of: short, FakeLife(.exited(75))) == 75)
    #expect(try record(short).ending == .usedUp)
  }

  @Test(
    "E9 a node that lacks the folder of the work holds the slices that wait; no slice is used up")
  func held() throws {
    let key = try chain()
    #expect(try slice(1, of: key, FakeLife(.exited(0), entering: ENOENT)) == ExitStatus.io)
    let why = "\(fixture.path) cannot be entered: No such file or directory (node n1)"
    #expect(engine.held("7") == why)
    #expect(try record(key).link == 0 && record(key).state == .active)
    #expect(try status(key).contains("it is held: \(why)"))
    let resumed = try ResumeCommand(context: context(["resume", key])).next()
    guard case .done = resumed else {
      Issue.record("\(resumed)")
      return
    }
    #expect(engine.held("7") == nil)
    #expect(try slice(2, of: key, FakeLife(.exited(0))) == 0)
    #expect(try record(key).ending == .finished && record(key).link == 1)
  }

  @Test("E4 slices that die in a row without a checkpoint end the chain, but not with their nodes")
  func died() throws {
    let lost = try chain("--links", "9")
    for task in 1...4 {
      #expect(throws: FakeLife.Killed.self) { try slice(task, of: lost, FakeLife(nil)) }
      engine.state.withLock { $0.ends["7_\(task)"] = .nodeLost }
    }
    #expect(try slice(5, of: lost, FakeLife(.exited(75))) == 0)
    #expect(try record(lost).deaths == 0 && record(lost).link == 5)
    engine.state.withLock { $0.ends = [:] }
    for task in 6...8 {
      #expect(throws: FakeLife.Killed.self) { try slice(task, of: lost, FakeLife(nil)) }
    }
    #expect(try slice(9, of: lost, FakeLife(.exited(0))) == ExitStatus.unavailable)
    #expect(try record(lost).ending == .died)
    #expect(try status(lost).contains("its node was lost"))
  }

  @Test("E3 a slice that was cancelled is excused, and a chain that was is submitted again")
  func cancelled() throws {
    let key = try chain()
    engine.state.withLock { $0.ends["7_1"] = .cancelled }
    // The command may take the signal of its end for a failure.
    #expect(try slice(1, of: key, FakeLife(.exited(1))) == 1)
    #expect(try record(key).state == .active && record(key).deaths == 0)
    engine.state.withLock { $0.queue = [:] }
    #expect(try status(key).contains("is not in The engine's queue any more"))
    #expect(try chain() == key)
    #expect(engine.queue == ["8"])
    #expect(try record(key).submission == 2)
  }

  @Test("E7 after a submission of which nobody knows, the array is found by its script")
  func late() throws {
    engine.state.withLock { ($0.refusals, $0.takesLate) = ([FakeEngine.late], true) }
    expectError(.unavailable, saying: "Nobody knows whether it took the slices") { try chain() }
    let key = try #require(try context(["list"]).catalog.keys().first)
    #expect(try record(key).state == .submitting && record(key).array == nil)
    let again = try SubmitCommand(
      context: context(["submit", "--", "exec", "--resumable", "--", "a"])
    ).run()
    #expect(again.output == "\(key) is queued already, as The engine job 7.\n")
    #expect(engine.taken.count == 1)
    #expect(try slice(1, of: key, FakeLife(.exited(0))) == 0)
    #expect(try record(key).ending == .finished)
  }

  @Test("E3 what is refused is written down, and begins nothing")
  func refused() throws {
    engine.state.withLock { $0.refusals = [FakeEngine.limit] }
    expectError(.unavailable, saying: "It took none of the 50 slices", "smaller number") {
      try chain()
    }
    let key = try #require(try context(["list"]).catalog.keys().first)
    #expect(try record(key).isUntaken)
    expectError(.usage, saying: "no more than 100") { try chain("--links", "101") }
  }

  @Test(
    "E8 the end of a chain waits until the engine takes what follows; what never is taken is said")
  func follower() throws {
    let key = try chain("--then", "after.sh")
    engine.state.withLock { $0.refusals = [FakeEngine.busy, FakeEngine.limit] }
    let life = FakeLife(.exited(0))
    #expect(try slice(1, of: key, life) == 0)
    #expect(life.rests.withLock { $0 } == 2)
    #expect(engine.taken.last == ["follower", "after.sh"])
    let other = try chain("--then", "never.sh", "--links", "2")
    engine.state.withLock { $0.refusals = [FakeEngine.never] }
    #expect(try slice(1, of: other, FakeLife(.exited(0))) == 0)
    #expect(try record(other).why?.contains("it has no such place") ?? false)
  }

  @Test("E3 with --again as many slices are handed over when all are used")
  func again() throws {
    let key = try chain("--links", "1", "--again")
    #expect(try slice(1, of: key, FakeLife(.exited(75))) == 0)
    #expect(try record(key).submission == 2 && record(key).link == 0)
    #expect(engine.queue == ["8"])
  }

  @Test("E9 a folder of the work that a node does not reach is named with its option")
  func unreachable() throws {
    let key = try chain()
    let gone = fixture.path + "/gone"
    let places = [("output", "f"), ("done-file", gone + "/done")]
    #expect(try slice(1, of: key, FakeLife(.exited(0)), needs: places) == ExitStatus.io)
    let why = "\(gone) (of --done-file) cannot be reached: No such file or directory (node n1)"
    #expect(engine.held("7") == why)
  }

  @Test("E8 what follows shards is submitted once, by the slice that ends last")
  func shards() throws {
    let file = fixture.path + "/lines"
    try Document("exec --resumable -- a\nexec --resumable -- b\n").write(to: file)
    let words = ["submit", "--shards", "2", "--then", "after.sh", "--", "batch", file]
    let result = try SubmitCommand(context: context(words)).run()
    #expect(result.output.contains("Submitted shard 2 of 2"))
    let keys = try context(["list"]).catalog.keys().filter { $0.hasPrefix("chain-") }
    #expect(keys.count == 2 && engine.queue == ["7", "8"])
    try slice(1, of: keys[1], FakeLife(.exited(0)))
    #expect(engine.taken.count == 2)
    try slice(1, of: keys[0], FakeLife(.exited(0)))
    try slice(2, of: keys[0], FakeLife(.exited(0)))
    #expect(engine.taken.count == 3 && engine.taken.last == ["follower", "after.sh"])
  }

  @Test("E8 the end of a chain hands over the next line of its array, and stop ends all")
  func arrays() throws {
    let file = fixture.path + "/lines"
    let lines = (1...4).map { "exec --resumable -- w\($0)\n" }.joined()
    try Document(lines).write(to: file)
    let result = try SubmitCommand(
      context: context(["submit", "--array", file, "--at-once", "2"])
    ).run()
    #expect(result.output.contains("0 of 4 chains finished, 2 active"))
    let key = try #require(
      try context(["list"]).catalog.keys().first { $0.hasPrefix(ChainArray.kind + "-") })
    func active() throws -> [String] {
      let array = try #require(ChainArrayView(key, in: context(["list"]), most: .max))
      return array.active.map(\.key)
    }
    let first = try active()
    try slice(1, of: first[0], FakeLife(.exited(0)))
    #expect(try active().first == first[1] && active().count == 2)
    try slice(1, of: first[1], FakeLife(.exited(9)))
    #expect(
      try record(key).sums == "1 of 4 chains finished, 2 active, 1 ended unfinished, 0 not begun")
    let stopped = try StopCommand(context: context(["stop", key])).run()
    #expect(stopped.output == "Stopped \(key): no other chain and no other slice follows.\n")
    #expect(try record(key).ending == .stopped && engine.queue.isEmpty)
  }
}

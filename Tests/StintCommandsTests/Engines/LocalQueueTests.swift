import Foundation
import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Chains and commands in the queue of this machine")
struct LocalQueueTests {
  let fixture = VerbFixture()

  private var store: QueueStore { QueueStore(jobsPath: fixture.jobsPath) }
  private var queue: LocalQueue {
    LocalQueue(environment: [:], jobsPath: fixture.jobsPath)
  }

  private func submit(_ words: String...) throws -> VerbResult {
    try SubmitCommand(context: fixture.context(["submit", "--engine", "local"] + words)).run()
  }

  private func request(_ id: String) throws -> QueuedRequest { try #require(try store.read(id)) }

  private func standing(_ id: String) throws -> EngineStanding {
    try queue.standing(of: id, within: .zero).get()
  }

  private func refusal(_ words: String...) -> String {
    do {
      _ = try SubmitCommand(context: fixture.context(["submit"] + words)).run()
      return "nothing"
    } catch {
      return (error as? StintError)?.message ?? "\(error)"
    }
  }

  @Test("Q6 a chain is one request whose runs are its slices, and says which engine has it")
  func chain() throws {
    let result = try submit(
      "--time", "1h", "--needs", "idle", "--links", "4", "--", "run", "fibonacci", "9", "-o", "f")
    let record = try #require(try fixture.context("list").catalog.chain(key()))
    #expect(record.engine == "local" && record.array == "1" && record.state == .active)
    #expect(record.options == ["--needs=idle", "--time=1h"])
    #expect(record.launch.umask != nil)
    #expect(try ChainRecord(contents: record.contents) == record)
    let request = try request("1")
    #expect(request.terms.work == .chain(try key()) && request.terms.slices == 5)
    #expect(request.terms.time == .seconds(3600) && request.terms.needs.mostLoad != nil)
    #expect(request.terms.launch.words.suffix(2) == [try key(), "1"])
    #expect(result.output.contains("as request 1 of the local queue, up to 4 slices"))
    #expect(result.messages.joined().contains("stint wake --jobs-dir"))
    #expect(try submit("--", "run", "fibonacci", "9", "-o", "f").output.contains("queued already"))
    #expect(try store.ids() == ["1"])
  }

  private func key() throws -> String {
    try #require(try fixture.context("list").catalog.keys().first { $0.hasPrefix("chain-") })
  }

  @Test("Q7 the standing of a chain's request says why it waits; held, cancelled and set aside")
  func standings() throws {
    _ = try submit("--", "run", "fibonacci", "9", "-o", "f")
    #expect(try standing("1").reason == "nobody serves the queue")
    #expect(try standing("1").isQueued && queue.standings(within: .zero).get().keys.contains("1"))
    #expect(queue.hold("1", because: "no folder") == nil)
    #expect(try standing("1").isHeld && standing("1").comment == "no folder")
    #expect(try status(key()).contains("it is held: no folder; when that is mended"))
    #expect(queue.release("1") == nil)
    #expect(try !standing("1").isHeld)
    let lock = try #require(try store.take("1"))
    try lock.update { request in
      (request.standing.state, request.standing.why) = (.setAside, "It is gone.")
    }
    lock.giveBack()
    #expect(try standing("1").isHeld && standing("1").comment == "It is gone.")
    #expect(queue.release("1") == nil)
    #expect(try request("1").standing.state == .waiting)
    #expect(queue.cancelPending(["1"]) == nil)
    #expect(try request("1").standing.state == .done && !standing("1").isQueued)
    #expect(try queue.array(ofChainIn: "/x/" + key()).get() == nil)
  }

  private func status(_ name: String) throws -> String { try fixture.status(name).output }

  @Test("a run that goes on is not ended by a cancellation, and nothing begins after it")
  func cancelled() throws {
    _ = try submit("--", "run", "fibonacci", "9", "-o", "f")
    let lock = try #require(try store.take("1"))
    try lock.update { $0.standing.workBegan(now: .now) }
    #expect(queue.cancelPending(["1"]) == nil)
    #expect(try request("1").standing.state == .running)
    try lock.update { $0.standing.workEnded(.slice, $0.terms, now: .now) }
    try lock.obeyCancel()
    #expect(try request("1").standing.state == .done)
  }

  @Test("Q6 a machine that went down is no fault of the slice before, and of no other one")
  func vanished() throws {
    _ = try submit("--", "run", "fibonacci", "9", "-o", "f")
    let lock = try #require(try store.take("1"))
    try lock.update { $0.standing.workBegan(now: .now) }
    try lock.update { $0.standing.workEnded(.vanished, $0.terms, now: .now) }
    #expect(queue.end(of: "1_1") == .vanished)
    try lock.update { $0.standing.workBegan(now: .now) }
    #expect(queue.end(of: "1_1") == .vanished && queue.end(of: "1_2") == nil)
    #expect(queue.end(of: "9_1") == nil && queue.end(of: "x") == nil)
  }

  @Test("Q6 what submits for another one reads a number, however quiet its words are")
  func numbers() throws {
    #expect(
      try submit("-q", "--json", "--", "sh").output == "{\"engine\":\"local\",\"request\":\"1\"}\n")
    let chain = try submit("-q", "--json", "--", "run", "fibonacci", "9", "-o", "f").output
    #expect(chain.contains("\"request\":\"2\",\"job\":\"chain-"))
    try "run fibonacci 8 -o a\n"
      .write(toFile: fixture.path + "/lines", atomically: false, encoding: .utf8)
    let array = try submit("-q", "--json", "--array", "lines").output
    #expect(array.contains("\"engine\":\"local\",\"job\":\"chains-"))
    #expect(try submit("-q", "--", "sh") == VerbResult())
  }

  @Test("what follows is found by its mark, if whoever submitted it was killed meanwhile")
  func origin() throws {
    var context = try fixture.context(["submit", "--engine", "local", "--", "sh"])
    #expect(try queue.follower(markedAs: "chain-0a/1/then").get() == nil)
    var surroundings = context.surroundings
    surroundings.environment[RequestOptions.originVariable] = "chain-0a/1/then"
    context = try VerbContext(context.parsed, in: surroundings, kinds: .stint)
    _ = try SubmitCommand(context: context).run()
    #expect(try queue.follower(markedAs: "chain-0a/1/then").get() == "1")
    #expect(try queue.follower(markedAs: "chain-0a/2/then").get() == nil)
    #expect(try request("1").terms.origin == "chain-0a/1/then")
  }

  @Test("a slice knows its request, its run and its end by the environment of this boot alone")
  func slice() throws {
    var environment = QueueSlice.variables(request: "12", run: 3)
    environment[QueueSlice.endVariable] = "5000000000"
    let queue = LocalQueue(environment: environment, jobsPath: "/j")
    #expect(queue.slice?.array == "12" && queue.slice?.task == 3 && queue.slice?.job == "12_3")
    #expect(
      EngineJob { environment[$0] }?.text.hasPrefix("run 12_3 of the local queue on ") == true)
    let allocation = try #require(EngineTable.allocation(in: environment))
    guard case .settled(let source) = allocation else {
      Issue.record("it has to be asked")
      return
    }
    #expect(source.end(ofTripSince: BootClock.now) == .at(Instant(nanoseconds: 5_000_000_000)))
    // Another engine may have carried the variables to another machine.
    for (name, value) in [
      ("STINT_BOOT_ID", "other"), ("STINT_REQUEST", "../x"), ("STINT_REQUEST_RUN", "0"),
    ] {
      var other = environment
      other[name] = value
      #expect(LocalQueue(environment: other, jobsPath: "/j").slice == nil, "\(name)")
      #expect(EngineTable.allocation(in: other) == nil)
    }
  }

  @Test(
    "a command is found by number and name; what follows another job names it as it was called then, and stays while it waits"
  )
  func afterJob() throws {
    _ = try submit("--name", "one", "--env", "PATH", "--priority", "-3", "--", "sh", "-c", ":")
    let first = try request("1")
    #expect(first.terms.launch.words.first?.hasSuffix("bin/sh") ?? false)
    #expect(first.terms.launch.words.first?.hasPrefix("/") ?? false)
    #expect(first.terms.name == "one" && first.terms.priority == -3)
    #expect(first.terms.launch.variables == ["PATH"])
    _ = try submit("--after-job", "one", "--after", "2h", "--", "sh")
    #expect(try request("2").terms.afterJob == "1")
    #expect(try request("2").terms.earliestBegin != nil)
    #expect(try status("one").contains("request 1\n  name         one\n"))
    let list = try fixture.list().output
    #expect(list.contains("1  waiting  one: sh -c :  It waits: "))
    #expect(list.contains("It waits: its time comes in 1h59m") || list.contains("comes in 2h"))
    #expect(try store.stop("1", now: .now))
    #expect(try CleanCommand(context: fixture.context("clean", "1")).run().exitStatus == 69)
    #expect(try store.stop("2", now: .now))
    #expect(try CleanCommand(context: fixture.context("clean", "2", "one")).run().exitStatus == 0)
    #expect(try store.ids().isEmpty)
  }

  @Test("options of one engine are refused on the other, with what to write")
  func refused() {
    #expect(
      refusal("--engine", "slurm", "--needs", "idle", "--", "true").contains("--engine local"))
    #expect(refusal("--engine", "local", "--job-name", "n", "--", "true").contains("give --name"))
    #expect(refusal("--engine", "local", "--mail", "me", "--", "true").contains("leave it out"))
    #expect(refusal("--engine", "locl", "--", "true").contains("Did you mean local?"))
    #expect(
      refusal("--engine", "local", "--links", "3", "--", "true").contains("goes on in slices"))
    #expect(refusal("--engine", "local", "--", "no-such-program").contains("no-such-program"))
    let follower = refusal("--engine", "local", "--then", "--wrong", "--", "exec", "true")
    #expect(follower.contains("--then") && follower.contains("--wrong"), "\(follower)")
    // Without a time there is no limit, so that a command need not say how it goes on (X5).
    #expect(
      refusal("--engine", "local", "--time", "1h", "--", "exec", "true").contains("begin anew"))
    #expect(refusal("--engine", "local", "--", "exec", "true") == "nothing")
  }

  @Test("lines of an array have options of their own, which replace those of all")
  func lines() throws {
    #expect(
      RequestOptions.words(["--needs=idle", "--time=1h"], replacedBy: ["--time=2h"])
        == ["--needs=idle", "--time=2h"])
    try "--time 2h --priority 7 -- run fibonacci 8 -o a\nrun fibonacci 9 -o b\n"
      .write(toFile: fixture.path + "/lines", atomically: false, encoding: .utf8)
    _ = try submit("--time", "1h", "--array", "lines")
    #expect(try request("1").terms.time == .seconds(7200) && request("1").terms.priority == 7)
    #expect(try request("2").terms.time == .seconds(3600) && request("2").terms.priority == 0)
  }

  @Test("E9 lines of --setup that fail pause the request, and say why")
  func setup() throws {
    var record = ChainRecord(
      launch: LaunchRecord(words: ["run"], directory: "/"), links: 3, options: [])
    record.setup = "#!/bin/bash -l\nmodule load a\n"
    let chain = ChainHandOver(record: record, key: "chain-0a", program: "/s", jobsPath: "/j x")
    let script = LocalScript(chain)
    #expect(script.command == ["/bin/bash", "-l", "/j x/chain-0a/chain.sh"])
    #expect(script.text.hasPrefix("#!/bin/bash -l\n"))
    #expect(script.text.contains("folder='/j x'/requests/$STINT_REQUEST"))
    #expect(script.text.contains("\nmodule load a\n\ntrap - EXIT\nexec /s link"))
  }
}

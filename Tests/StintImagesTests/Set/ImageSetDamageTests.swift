#if Images
import Glibc
import StintRuntime
import StintCore
import StintTesting
import Testing

@testable import StintImages

@Suite("A ledger of which lines are lost")
struct ImageSetDamageTests {
  private let workspace = MemoryWorkspace()
  private var fixture: ImageSetFixture
  /// The ledger of a set that is finished, and the results.
  private let ledger: [UInt8]
  private let results: [[UInt8]]

  init() throws {
    let inputs = try ImageFolder()
    let names = ["a.png", "b.png", "c.png"]
    for (seed, name) in names.enumerated() {
      let shape = TestImage.shape(6 + seed, 5, bands: 3)
      try inputs.save(TestImage.image(shape, seed: UInt64(seed)), name)
    }
    fixture = try ImageSetFixture(inputs, names)
    try fixture.finish(in: workspace)
    let outputs = fixture.outputs
    results = try names.map { try outputs.bytes($0) }
    ledger = workspace.file(ImageSetLedger.fileName).bytes
  }

  /// Runs again in a process of its own.
  private func again(
    _ bytes: [UInt8], lacksLines: Bool = false
  ) throws -> (made: [String], account: ImageSetAccount, notices: [String]) {
    var fixture = fixture
    fixture.lacksLines = lacksLines
    workspace.file(ImageSetLedger.fileName).bytes = bytes
    let notices = Protected<[String]>([])
    let (made, account) = try fixture.finish(in: workspace) { hooks in
      let tell = hooks.tell
      hooks.tell = { event in
        if case .notice(let notice) = event { notices.withLock { $0.append(notice.message) } }
        tell(event)
      }
    }
    return (made, account, notices.withLock { $0 })
  }

  private func expectResults(_ why: String) throws {
    let names = fixture.names
    #expect(try names.map { try fixture.outputs.bytes($0) } == results, "\(why)")
    #expect(fixture.outputs.names.sorted() == names, "\(why)")
  }

  @Test("C2 C9 whichever byte is another one, it is told, and every result stays")
  func everyByte() throws {
    for index in ledger.indices {
      var wrong = ledger
      wrong[index] ^= 1 << UInt8(index % 8)
      let run = try again(wrong)
      #expect(run.account.done == 3 && run.account.failures.isEmpty, "byte \(index)")
      #expect(run.made.count <= 2, "byte \(index)")
      #expect(run.notices.count == 1, "byte \(index): \(run.notices)")
      #expect(run.notices.first?.contains("partial/set, is damaged") == true)
      try expectResults("byte \(index)")
      guard index.isMultiple(of: 50) else { continue }
      // Once it is made good, there is nothing to say or to do.
      let next = try again(workspace.file(ImageSetLedger.fileName).bytes)
      #expect(next.made.isEmpty && next.notices.isEmpty && next.account.done == 3, "\(index)")
    }
  }

  @Test("C2 C9 wherever the ledger of a finished set is cut, every result stays")
  func everyLength() throws {
    for count in ledger.indices {
      let run = try again(Array(ledger[..<count]), lacksLines: true)
      #expect(run.account.done == 3 && run.account.failures.isEmpty, "\(count) bytes")
      #expect(run.notices.count == 1, "\(count) bytes: \(run.notices)")
      try expectResults("\(count) bytes")
    }
  }

  @Test("C2 a line that a checkpoint counts on may be lost")
  func counted() throws {
    let first = try fixture.computation()
    let checkpoint = try first.encoded(try first.start(in: workspace))
    for bytes in [Array(ledger.dropLast(90)), ledger.map { $0 == 0x61 ? 0x62 : $0 }] {
      workspace.file(ImageSetLedger.fileName).bytes = bytes
      let notices = Protected(0)
      var hooks = ImageSetComputation.Hooks()
      hooks.tell = { if case .notice = $0 { notices.withLock { $0 += 1 } } }
      let computation = try fixture.computation(hooks: hooks)
      let state = try computation.decoded(checkpoint, in: workspace)
      try computation.goOn(from: state, in: workspace)
      #expect(notices.withLock { $0 } == 1)
      try expectResults("\(bytes.count) bytes")
    }
  }

  @Test("C9 another file under the name of a result whose line is lost stays, and is named")
  func others() throws {
    let lines = ledger.split(separator: UInt8(ascii: "\n")).map(Array.init)
    let last = try #require(lines.last)
    let place: Int = try #require(SealedLine.object(last)?["place"]?.integer())
    let name = fixture.names[place]
    for bytes in [Array(ledger.dropLast(20)), Array(ledger.dropLast(20)) + Array("x\n".utf8)] {
      let other = try fixture.outputs.write([1, 2, 3], name)
      let run: Result<ImageSetAccount, any Error> = Result {
        try again(bytes, lacksLines: true).account
      }
      guard case .failure(let error as StintError) = run else {
        Issue.record("another file was taken for a result")
        continue
      }
      #expect(error.code == .partlyFailed)
      #expect(error.message.contains(other) && error.message.contains("damaged ledger"))
      #expect(try fixture.outputs.bytes(name) == [1, 2, 3])
    }
  }

  @Test("a folder that was renamed during the run is named, and the set is not finished")
  func renamed() throws {
    let inputs = try ImageFolder()
    let names = ["a.png"]
    try inputs.save(TestImage.image(TestImage.shape(6, 5, bands: 3), seed: 1), names[0])
    let fixture = try ImageSetFixture(inputs, names)
    let (path, other) = (fixture.outputs.path, fixture.outputs.path + "-other")
    let workspace = MemoryWorkspace()
    let isThere = Protected(true)
    let error = #expect(throws: StintError.self) {
      try fixture.finish(in: workspace) { hooks in
        let finish = hooks.finish
        hooks.finish = { account in
          Issue.record("the folder is not there")
          try finish(account)
        }
        hooks.tell = { event in
          guard case .done = event, isThere.withLock({ $0 }) else { return }
          isThere.withLock { $0 = false }
          #expect(rename(path, other) == 0)
        }
      }
    }
    #expect(error?.code == .io)
    #expect(error?.message.contains("results are in \(other)") == true)
    #expect(rename(other, path) == 0)
    let (made, account) = try fixture.finish(in: workspace)
    #expect(made.isEmpty && account.done == 1)
  }

  @Test("C9 a result of an input whose line is lost may be replaced, though the input has changed")
  func strays() throws {
    let lines = ledger.split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
    let input = try #require(
      lines.firstIndex { SealedLine.object($0.dropLast())?["event"]?.text == "input" })
    var wrong = lines
    wrong[input][5] ^= 1
    let (inputs, name) = (fixture.inputs, fixture.names[0])
    try inputs.save(TestImage.image(TestImage.shape(9, 9, bands: 3), seed: 77), name)
    let run = try again(Array(wrong.joined()))
    #expect(run.account.done == 3 && run.made == [name])
    #expect(try fixture.outputs.bytes(name) == fixture.expected(name))
  }
}
#endif

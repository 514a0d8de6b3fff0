import Foundation
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Work that is cut into shards")
struct WholeTests {
  private static let work: JobParameters = ["file": "/lines", "directory": "/"]
  private static let whole = JobKey(kind: "batch", parameters: work, outputPath: nil).description

  let fixture = VerbFixture()

  private func directory(_ text: String?) throws -> BatchDirectory {
    let shard = text.flatMap(Shard.init(text:))
    return try BatchDirectory(
      parameters: shard?.parameters(Self.work, of: Self.whole) ?? Self.work,
      jobsPath: fixture.jobsPath, startsOver: false, report: { _ in })
  }

  private static func line(_ number: Int) -> BatchJob {
    BatchJob(
      number: number, verb: .exec, words: ["w\(number)"],
      key: "exec-" + String(repeating: "\(number)", count: 16))
  }

  /// A shard of five lines whose process has ended, and what became of its lines.
  private func shard(_ text: String, _ outcomes: [(Int, BatchLineEnd)]) throws -> String {
    let directory = try directory(text)
    let lines = (1...5).map(Self.line)
    let part = try #require(Shard(text: text)).part(of: lines)
    for (number, outcome) in outcomes {
      var record = BatchRecord(
        .lineEnded, of: Self.line(number), stints: 1, unixNanoseconds: 1)
      record.outcome = outcome
      record.words = ["exec", "w\(number)"]
      record.exitStatus = outcome == .failed ? 3 : 0
      try directory.log.append(record, durably: false)
    }
    // What is in the file no more.
    let gone = outcomes.map(\.0).filter { number in !part.contains { $0.number == number } }
      .map {
        BatchRecord(Self.line($0).key, stands: .gone, line: $0, stints: 1, unixNanoseconds: 2)
      }
    try directory.log.append(
      BatchBegin(count: part.count, wholeCount: lines.count, unixNanoseconds: 2), correcting: gone)
    return directory.key
  }

  private func refusal(_ shard: String?) throws -> String? {
    do {
      try fixture.context("list").catalog.refuseOtherCut(
        of: Self.whole, kind: "batch", into: shard.flatMap(Shard.init(text:)))
      return nil
    } catch let error as StintError {
      #expect(error.code == .usage)
      return error.message
    }
  }

  @Test("another cut of the same work is refused until the jobs of the first are finished or gone")
  func otherCut() throws {
    #expect(try refusal("1/2") == nil)
    let key = try shard("1/2", [])
    #expect(try refusal("2/2") == nil)
    for other in ["1/3", nil] {
      let message = try #require(try refusal(other))
      #expect(message.contains(key))
      #expect(message.contains("as shard 1 of 2"))
    }
    try directory("1/2").record(.finished(sizeBytes: 0, checksum: "", workTime: .zero))
    #expect(try refusal("1/3") == nil)
    let done = try #require(
      #expect(throws: StintError.self) {
        try fixture.context("list").catalog.refuseResultsOfOtherCut(
          of: Self.whole, kind: "batch", into: nil)
      })
    let advice = "Go on as shard 1 of 2; or forget that (stint clean --all \(key))"
    #expect(done.message.contains(advice))
    #expect(done.message.contains("make all results again with --force"))
    try fixture.context("list").catalog.refuseResultsOfOtherCut(
      of: Self.whole, kind: "batch", into: Shard(text: "2/2"))
    let uncut = try directory(nil).key
    let message = try #require(try refusal("1/3"))
    #expect(message.contains("\(uncut) does the same work without --shard"))
    try fixture.context("list").catalog.remove(uncut)
    #expect(try refusal("1/3") == nil)
  }

  @Test(
    "the sums are over all shards, also one that nobody has begun, and without lines that are gone")
  func sums() throws {
    let first = try shard("1/3", [(1, .finished), (4, .failed), (9, .failed)])
    _ = try shard("2/3", [(2, .unfinished), (5, .finished)])
    for name in [Self.whole, first] {
      let view = try #require(WholeView(name, in: fixture.context("list")))
      #expect(view.sums == "2 of 5 done, 1 failed, 2 left")
      #expect(view.states == "2 waiting, 1 not begun")
      #expect(view.failures.map(\.failure.text) == ["exec w4 (exit status 3)"])
      #expect(view.isAtRest)
    }
    #expect(WholeView("batch-0123456789abcdef", in: try fixture.context("list")) == nil)
  }

  @Test("status, report, watch, list and their JSON know the whole and each shard of it")
  func verbs() throws {
    let first = try shard("1/2", [(1, .finished), (3, .finished), (5, .failed)])
    _ = try shard("2/2", [(2, .finished)])
    let page = try fixture.status(Self.whole).output
    #expect(page.contains("3 of 5 done, 1 failed, 1 left"))
    #expect(page.contains("5: exec w5 (exit status 3)"))
    let one = try fixture.status(first).output
    #expect(one.contains("shard 1 of 2"))
    #expect(one.contains(page))
    let json = try VerbFixture.object(try fixture.status(Self.whole, "--json").output)
    #expect(json["left"] as? Int == 1)
    #expect((json["parts"] as? [[String: Any]])?.count == 2)
    #expect((json["failures"] as? [[String: Any]])?.first?["number"] as? Int == 5)
    let ofOne = try VerbFixture.object(try fixture.status(first, "--json").output)
    #expect(ofOne["shard"] as? Int == 1)
    #expect(ofOne["whole"] as? String == Self.whole)
    let report = try VerbFixture.object(
      try ReportCommand(context: fixture.context("report", Self.whole, "--json")).run().output)
    #expect((report["reports"] as? [Any])?.count == 2)
    #expect(report["done"] as? Int == 3)
    let list = try fixture.list().output
    #expect(list.contains("3 of 5 done, 1 failed, 1 left"))
    #expect(list.contains("--shard 2/2"))
  }

  @Test("a name that fits the whole and its shards means the whole; a word of one shard that shard")
  func names() throws {
    let first = try shard("1/2", [])
    #expect(try fixture.context("status", "batch").target() == .whole(Self.whole))
    #expect(try fixture.context("status", first).target() == .job(first))
    let hash = String(JobName(key: first).hash.prefix(10))
    #expect(try fixture.context("status", hash).target() == .job(first))
    #expect(throws: StintError.self) { try fixture.context("status", "none").target() }
  }
}

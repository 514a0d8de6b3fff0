import Foundation
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

@Suite("How the lines of a batch stand")
struct LineTallyTests {
  let fixture = VerbFixture()

  private static func key(_ number: Int) -> String {
    "exec-" + String(repeating: "0", count: 16 - "\(number)".count) + "\(number)"
  }

  private static func record(
    _ number: Int, _ event: BatchRecord.Event, _ outcome: BatchLineEnd? = nil,
    words: [String] = ["exec", "--", "true"]
  ) -> BatchRecord {
    var record = BatchRecord(
      event, of: BatchJob(number: number, verb: .exec, words: words, key: Self.key(number)),
      stints: 1, unixNanoseconds: 1)
    record.outcome = outcome
    record.words = outcome == nil ? nil : words
    record.exitStatus = outcome == .failed ? 3 : nil
    return record
  }

  private static func begin(_ count: Int) -> String {
    BatchBegin(count: count, wholeCount: count, unixNanoseconds: 1).text
  }

  private func write(_ text: String) throws {
    try text.write(toFile: "\(fixture.path)/lines.jsonl", atomically: true, encoding: .utf8)
  }

  private func append(_ text: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: "\(fixture.path)/lines.jsonl"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  @Test("read in pieces, a log says what it says as a whole, torn and odd lines too")
  func pieces() {
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let odd = [
        "a,", "\"outcome\":\"failed\"", ",\"outcome\":\"failed", "\\", "\n", "}}", "é\u{7}",
      ]
      var text = ""
      for _ in 0..<60 {
        let event = BatchRecord.Event.allCases.randomElement(using: &random) ?? .lineBegan
        var record = Self.record(
          Int.random(in: 1...9, using: &random), event,
          event == .lineEnded ? BatchLineEnd.allCases.randomElement(using: &random) : nil,
          words: (0..<3).compactMap { _ in odd.randomElement(using: &random) })
        if event == .lineStands {
          record.stands = BatchStanding.allCases.randomElement(using: &random)
        }
        if record.outcome == .finished {
          record.output = BatchOutputMark(path: FilePath(#filePath))
        }
        if Int.random(in: 0..<9, using: &random) == 0 { record.key += "\"\\é" }
        let line = record.text
        let isTorn = Int.random(in: 0..<8, using: &random) == 0
        text += isTorn ? line.prefix(Int.random(in: 0..<line.count, using: &random)) + "\n" : line
      }
      var tally = LineTally()
      let bytes = Array(text.utf8)
      while tally.offset < bytes.count {
        let end = min(bytes.count, tally.offset + Int.random(in: 1...2_000, using: &random))
        tally.take(Array(bytes[tally.offset..<end]))
      }
      let entries = Dictionary(
        uniqueKeysWithValues: BatchLog.fold(bytes).entries.filter { $0.value.number > 0 }
          .map { ($0.key, $0.value) })
      #expect(
        // The log takes no line that is not known by a key.
        tally.lines.filter { JobKey.isKey($0.key) }.mapValues {
          [$0.standing.rawValue, "\($0.number)"]
        }
          == entries.mapValues { [$0.standing.rawValue, "\($0.number)"] }, "seed \(seed)")
      func count(_ standing: BatchStanding) -> Int {
        entries.values.count { $0.standing == standing }
      }
      func ofOddKeys(_ standing: BatchStanding) -> Int {
        tally.lines.count { !JobKey.isKey($0.key) && $0.value.standing == standing }
      }
      #expect(tally.done == count(.finished) + ofOddKeys(.finished), "seed \(seed)")
      #expect(tally.failed == count(.failed) + ofOddKeys(.failed), "seed \(seed)")
      #expect(tally.running.count == count(.running) + ofOddKeys(.running), "seed \(seed)")
    }
  }

  @Test("what ran before a process began runs no more, and nothing runs without a process")
  func begins() throws {
    try write(
      Self.begin(4) + Self.record(1, .lineBegan).text + Self.record(2, .lineBegan).text
        + Self.record(2, .lineEnded, .finished).text)
    var reader = LineTallyReader(fixture.path)
    let live = reader.read(isRunning: true, failures: .first(0))?.counts
    #expect(live == "1/4 done, 1 running, 2 waiting")
    let dead = reader.read(isRunning: false, failures: .first(0))?.counts
    #expect(dead == "1/4 done, 3 waiting")
    try append(Self.begin(5) + Self.record(3, .lineBegan).text)
    let now = reader.read(isRunning: true, failures: .first(0))
    #expect(now?.running == [3])
    #expect(now?.counts == "1/5 done, 1 running, 3 waiting")
  }

  @Test("a log that was cut, written anew or is gone is read from its beginning, or is none")
  func anew() throws {
    let log = "\(fixture.path)/lines.jsonl"
    var reader = LineTallyReader(fixture.path)
    func expect(_ counts: String?, sourceLocation: SourceLocation = #_sourceLocation) {
      let read = reader.read(isRunning: false, failures: .first(9))
      #expect(read?.counts == counts, sourceLocation: sourceLocation)
    }
    expect(nil)
    let whole = Self.begin(2) + Self.record(1, .lineEnded, .failed).text
    try write(whole)
    expect("0/2 done, 1 failed, 1 waiting")
    // Cut in the middle of a line.
    #expect(truncate(log, off_t(whole.utf8.count - 9)) == 0)
    expect("0/2 done, 2 waiting")
    try write(Self.begin(1) + Self.record(1, .lineEnded, .finished).text)
    expect("1/1 done")
    try write("\u{0}\u{0}garbage\n")
    expect(nil)
    try write(Self.begin(0))
    expect("0/0 done")
    unlink(log)
    #expect(symlink("/etc/passwd", log) == 0)
    expect(nil)
  }

  @Test("failed lines come by their numbers, with why and with their output, and new ones once")
  func failures() throws {
    try FileManager.default.createDirectory(
      atPath: "\(fixture.path)/partial", withIntermediateDirectories: false)
    let output = "\(fixture.path)/partial/\(Self.key(2)).failed.out"
    try "x".write(toFile: output, atomically: false, encoding: .utf8)
    try "".write(
      toFile: "\(fixture.path)/partial/\(Self.key(2)).err", atomically: false, encoding: .utf8)
    try write(
      Self.begin(9) + [7, 2, 5].map { Self.record($0, .lineEnded, .failed).text }.joined())
    var reader = LineTallyReader(fixture.path)
    let first = reader.read(isRunning: true, failures: .first(2))
    let two = try #require(first)
    #expect(two.failed == 3)
    #expect(two.failures.map(\.number) == [2, 5])
    #expect(two.failures[0].text == "exec -- true (exit status 3)")
    #expect(two.failures[0].outputPath == output)
    #expect(two.failures[0].errorPath == nil, "it wrote nothing there")
    func news() -> [Int] {
      reader.read(isRunning: true, failures: .new(atMost: 9))?.failures.map(\.number) ?? []
    }
    let twice = [news(), news()]
    #expect(twice == [[7, 2, 5], []])
    try append(
      Self.record(5, .lineBegan).text + Self.record(6, .lineEnded, .failed).text
        + BatchRecord(Self.key(7), stands: .gone, line: 7, stints: 1, unixNanoseconds: 1).text)
    let last = news()
    #expect(last == [6])
    let text = reader.read(isRunning: true, failures: .first(9))?.failureList(indent: 0)
    #expect(
      text == "\nFailed:\n  2: exec -- true (exit status 3)\n      output: \(output)\n"
        + "  6: exec -- true (exit status 3)\n")
  }

  @Test("what an earlier version wrote of a part is understood; of a whole file it wrote nothing")
  func earlier() throws {
    try write(
      [1, 3, 5].map { Self.record($0, .lineEnded, .finished).text }.joined())
    var reader = LineTallyReader(fixture.path)
    let before = reader.read(isRunning: false, failures: .first(9))
    #expect(before == nil)
    let keys = [1, 3, 7, 9].map { "\"\(Self.key($0))\"" }.joined(separator: ",")
    try "{\"wholeCount\":8,\"keys\":[\(keys)]}".write(
      toFile: "\(fixture.path)/shard.json", atomically: false, encoding: .utf8)
    let tally = reader.read(isRunning: false, failures: .first(9))
    #expect(tally?.counts == "2/4 done, 2 waiting")
    #expect(tally?.wholeCount == 8)
  }

  @Test("a hundred thousand lines are counted, and only the failures that are shown are read")
  func many() throws {
    let count = 100_000
    var text = Self.begin(count)
    let (fine, bad) = (
      Self.record(1, .lineEnded, .finished).text.split(separator: "\(Self.key(1))\",\"line\":1,"),
      Self.record(1, .lineEnded, .failed).text.split(separator: "\(Self.key(1))\",\"line\":1,")
    )
    for number in 1...count {
      let ends = number % 10 == 0 ? bad : fine
      text += ends[0] + "\(Self.key(number))\",\"line\":\(number)," + ends[1]
    }
    try write(text)
    var reader = LineTallyReader(fixture.path)
    let read = reader.read(isRunning: false, failures: .first(3))
    let tally = try #require(read)
    #expect(tally.counts == "90000/100000 done, 10000 failed")
    #expect(tally.failures.map(\.number) == [10, 20, 30])
    #expect(tally.failureList(indent: 0).hasSuffix("and 9997 more; --json lists them all\n"))
  }
}

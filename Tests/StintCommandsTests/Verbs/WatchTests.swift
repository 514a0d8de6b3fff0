import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint watch")
struct WatchTests {
  @Test("a journal is read on from its last whole line")
  func tail() {
    var tail = JournalTail(offset: 10)
    var lines = tail.take([])
    #expect(lines == [])
    lines = tail.take(Array("a\nbc\nde".utf8))
    #expect(lines == [Array("a".utf8), Array("bc".utf8)])
    #expect(tail.offset == 15)
    lines = tail.take(Array("de".utf8))
    #expect(lines == [])
    lines = tail.take(Array("def\n".utf8))
    #expect(lines == [Array("def".utf8)])
    #expect(!tail.sawFinish)
    let record = JournalRecord(
      stamp: LastTerminationTests.stamp(1),
      content: .event(.finished(sizeBytes: 1, checksum: "x", workTime: .zero)))
    _ = tail.take(Array(record.line.utf8))
    #expect(tail.sawFinish)
  }

  @Test("the same report is told once")
  func news() {
    var tail = JournalTail(offset: 0)
    let answers = [[1], [1], [2]].map { tail.isNew($0) }
    #expect(answers == [true, false, true])
  }

  @Test("a job that is finished already is told of, and that is all")
  func finished() throws {
    let fixture = VerbFixture()
    let key = try fixture.finishedJob(1)
    let result = try WatchCommand(
      context: fixture.context("watch", key), output: StandardOutput()
    ).run()
    #expect(
      result.output
        == "Finished: \(fixture.path)/result-1, 6 bytes; 4s of work in 1 stint.\n")
    #expect(result.exitStatus == 0)
  }

  @Test("how a stint ended is told in words, not by its name in the journal")
  func endings() throws {
    for end in StintEnd.allCases {
      let text = try #require(
        EventText.sentence(
          for: JournalRecord(
            stamp: LastTerminationTests.stamp(1),
            content: .event(.stintEnded(reason: end, saved: .seconds(1), lost: .zero)))))
      #expect(text.contains("the stint ended: \(end.words)"), "\(text)")
      let isAWord = [.paused, .finished, .denied].contains(end)
      #expect(isAWord || !text.contains(end.rawValue), "\(text)")
    }
  }

  @Test("events are told in words")
  func words() {
    func words(_ event: JournalEvent) -> String? {
      EventText.sentence(
        for: JournalRecord(stamp: LastTerminationTests.stamp(1), content: .event(event)))
    }
    let checkpoint = JournalEvent.checkpoint(
      sequence: 3, sizeBytes: 1234, took: .milliseconds(5), workTime: .zero, fraction: 0.5)
    #expect(words(checkpoint) == "00:00:00 checkpoint 3 at 50.0%, 1,234 bytes in 5ms")
    #expect(words(.restoreProved(sequence: 3)) == nil)
  }
}

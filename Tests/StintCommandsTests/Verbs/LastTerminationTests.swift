import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("How the last stint ended")
struct LastTerminationTests {
  static func stamp(_ seconds: Int64, boot: String = "b") -> JournalRecord.Stamp {
    JournalRecord.Stamp(
      unixNanoseconds: 0, bootID: boot, instant: Instant(nanoseconds: seconds * 1_000_000_000),
      pid: 7)
  }

  static func infer(
    _ events: [JournalEvent], now: Int64 = 100, boot: String = "b"
  ) -> LastTermination.Cause? {
    var summary = JournalSummary()
    for (index, event) in events.enumerated() {
      summary.add(JournalRecord(stamp: stamp(Int64(index)), content: .event(event)))
    }
    return LastTermination.infer(
      summary, bootID: boot, now: Instant(nanoseconds: now * 1_000_000_000))
  }

  static let began = JournalEvent.stintBegan(
    budget: .seconds(5), end: nil, restoredSequence: nil, workTime: .zero)
  static let announced = JournalEvent.expiryAnnounced(
    reason: .timeElapsed, deadline: Instant(nanoseconds: 50_000_000_000), openTasks: ["run"])

  @Test("L8 a stint that said how it ended, or finished, is not explained")
  func inOrder() {
    #expect(Self.infer([]) == nil)
    #expect(
      Self.infer([Self.began, .stintEnded(reason: .expired, saved: .zero, lost: .zero)]) == nil)
    #expect(
      Self.infer([Self.began, .finished(sizeBytes: 1, checksum: "", workTime: .zero)]) == nil)
  }

  @Test("L8 a stint that never said so was killed, overran, or lost its machine")
  func causes() {
    #expect(Self.infer([Self.began]) == .killed)
    #expect(Self.infer([Self.began, Self.announced]) == .overrun)
    #expect(Self.infer([Self.began, Self.announced], now: 40) == .killed)
    #expect(Self.infer([Self.began, Self.announced], boot: "another") == .machineRestarted)
  }

  @Test("L8 E1 the last end that was written down decides whether a killed stint overran")
  func movedEnd() {
    let later = JournalEvent.deadlineMoved(
      to: Deadline(source: "test", instant: Instant(nanoseconds: 90_000_000_000)))
    #expect(Self.infer([Self.began, Self.announced], now: 60) == .overrun)
    #expect(Self.infer([Self.began, Self.announced, later], now: 60) == .killed)
    #expect(Self.infer([Self.began, Self.announced, later], now: 99) == .overrun)
    #expect(Self.infer([Self.began, Self.announced, .deadlineMoved(to: nil)], now: 99) == .killed)
  }

  @Test("L8 an isolated worker's own end is the cause, whatever was announced")
  func workerEnded() {
    #expect(Self.infer([Self.began, .workerEnded(signal: 6)]) == .crash)
    #expect(Self.infer([Self.began, .workerEnded(signal: 9)]) == .killed)
  }

  @Test("L8 the cause is recorded and reported once")
  func once() throws {
    let fixture = VerbFixture()
    do {
      let job = try fixture.job(1)
      fixture.begin(job)
      try job.materialize()
    }
    do {
      let job = try fixture.job(1)
      #expect(LastTermination.explain(job)?.contains("did not end normally") == true)
      #expect(job.summary.inferredCause == "killed")
    }
    #expect(LastTermination.explain(try fixture.job(1)) == nil)
  }

  @Test("every cause has words, and one of a version to come stays as it is")
  func words() {
    for cause in LastTermination.Cause.allCases {
      #expect(LastTermination.words(for: cause.rawValue) != cause.rawValue)
    }
    #expect(LastTermination.words(for: "abducted") == "abducted")
  }
}

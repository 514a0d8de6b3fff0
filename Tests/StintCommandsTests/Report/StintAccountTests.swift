import StintCore
import StintReport
import StintRuntime
import Testing

@testable import StintCommands

@Suite("The account of a stint")
struct StintAccountTests {
  static func record(
    _ event: JournalEvent, at seconds: Double, pid: Int32 = 1, boot: String = "b"
  ) -> JournalRecord {
    let time = Duration(clampingSeconds: seconds).nanoseconds
    return JournalRecord(
      stamp: .init(
        unixNanoseconds: time, bootID: boot, instant: Instant(nanoseconds: time), pid: pid),
      content: .event(event))
  }

  static func history(_ records: [JournalRecord]) -> StintHistory {
    StintHistory(journal: Array(records.map(\.line).joined().utf8))
  }

  @Test("what a stint calls saved and no checkpoint holds is lost")
  func withoutCheckpoint() throws {
    let history = Self.history([
      Self.record(
        .stintBegan(budget: .seconds(2), end: nil, restoredSequence: nil, workTime: .zero), at: 10),
      Self.record(.stintEnded(reason: .expired, saved: .seconds(1), lost: .zero), at: 12),
    ])
    let stint = try #require(history.stints.first)
    #expect(stint.saved == .zero)
    #expect(stint.lost == .seconds(1))
  }

  @Test("E1 an end that moved is the budget of which a share was used")
  func movedEnd() throws {
    let began = Self.record(
      .stintBegan(
        budget: .seconds(20),
        end: Deadline(source: "budget", instant: Instant(nanoseconds: 30_000_000_000)),
        restoredSequence: nil, workTime: .zero), at: 10)
    let moved = Self.record(
      .deadlineMoved(to: Deadline(source: "x", instant: Instant(nanoseconds: 15_000_000_000))),
      at: 12)
    let never = Self.record(.deadlineMoved(to: nil), at: 13)
    #expect(try #require(Self.history([began]).stints.first).budget == .seconds(20))
    #expect(try #require(Self.history([began, moved]).stints.first).budget == .seconds(5))
    #expect(try #require(Self.history([began, moved, never]).stints.first).budget == nil)
    var summary = JournalSummary()
    for record in [began, moved] { summary.add(record) }
    #expect(summary.lastStint?.end?.instant == Instant(nanoseconds: 15_000_000_000))
    #expect(summary.lastStint?.end?.source == "x")
  }

  @Test("what a command keeps by its own word is saved, and counts as the job's work")
  func keptByTheCommand() throws {
    let records = [
      Self.record(
        .stintBegan(budget: .seconds(2), end: nil, restoredSequence: nil, workTime: .zero), at: 10),
      Self.record(.progressKept, at: 11),
      Self.record(.stintEnded(reason: .expired, saved: .seconds(1), lost: .zero), at: 12),
    ]
    var summary = JournalSummary()
    for record in records { summary.add(record) }
    #expect(summary.workTime == .seconds(1))
    let stint = try #require(Self.history(records).stints.first)
    #expect(stint.saved == .seconds(1))
    #expect(stint.lost == .zero)
  }

  @Test("a chunk that ran since an earlier stint counts only as far as this stint ran")
  func chunkOfAnEarlierStint() throws {
    let history = Self.history([
      Self.record(
        .stintBegan(budget: .seconds(9), end: nil, restoredSequence: nil, workTime: .zero), at: 10),
      Self.record(
        .checkpoint(
          sequence: 1, sizeBytes: 9, took: .zero, workTime: .seconds(5), fraction: 0.5), at: 11),
      Self.record(.stintEnded(reason: .paused, saved: .seconds(5), lost: .zero), at: 12),
    ])
    let life = JobLife.life(of: history, isRunning: false)
    #expect(life.stints.first?.saved == .seconds(2))
    #expect(life.stints.first?.savedShare == 1)
  }

  @Test("a budget that was prolonged is no share above 100 %")
  func prolonged() {
    let history = Self.history([
      Self.record(
        .stintBegan(budget: .seconds(1), end: nil, restoredSequence: nil, workTime: .zero), at: 10),
      Self.record(
        .checkpoint(
          sequence: 1, sizeBytes: 9, took: .zero, workTime: .seconds(5), fraction: 0.5), at: 15),
      Self.record(.stintEnded(reason: .expired, saved: .seconds(5), lost: .zero), at: 16),
    ])
    let figures = LifeFigures(JobLife.life(of: history, isRunning: false))
    #expect(figures.savedShare == 1)
  }

  @Test("of any journal no share is above 100 %, and nothing is saved that nothing holds")
  func anyJournal() {
    for seed in UInt64(1)...2_000 {
      var numbers = SplitMix64(seed: seed)
      let keepsSomething = seed % 2 == 0
      let records = Self.journal(keepsSomething: keepsSomething, &numbers)
      let history = Self.history(records)
      for stint in history.stints {
        #expect(stint.saved >= .zero, "seed \(seed)")
        #expect(stint.saved + (stint.lost ?? .zero) <= stint.elapsed, "seed \(seed)")
        #expect(stint.lost ?? .zero >= .zero, "seed \(seed)")
        if !keepsSomething { #expect(stint.saved == .zero, "seed \(seed)") }
      }
      let life = JobLife.life(of: history, isRunning: seed % 3 == 0)
      for stint in life.stints {
        #expect(stint.savedShare ?? 0 <= 1, "seed \(seed)")
        #expect(stint.savedShare ?? 0 >= 0, "seed \(seed)")
      }
      let figures = LifeFigures(life)
      #expect(figures.savedShare ?? 0 <= 1, "seed \(seed)")
      #expect(figures.saved + figures.lost <= figures.elapsed, "seed \(seed)")
    }
  }

  /// Lines of any kind in any order, as no worker writes them.
  private static func journal(
    keepsSomething: Bool, _ numbers: inout SplitMix64
  ) -> [JournalRecord] {
    var time = 1_000.0
    var records: [JournalRecord] = []
    for _ in 0..<Int.random(in: 1...40, using: &numbers) {
      // Clocks of the journal stand still and go back as well.
      time += Double.random(in: -1...5, using: &numbers)
      let event = event(keepsSomething: keepsSomething, &numbers)
      records.append(
        record(
          event, at: time, pid: Int32.random(in: 1...2, using: &numbers),
          boot: Int.random(in: 0..<9, using: &numbers) == 0 ? "other" : "b"))
    }
    return records
  }

  private static func event(
    keepsSomething: Bool, _ numbers: inout SplitMix64
  ) -> JournalEvent {
    func time() -> Duration { .milliseconds(Int.random(in: 0...20_000, using: &numbers)) }
    switch Int.random(in: 0..<(keepsSomething ? 10 : 7), using: &numbers) {
    case 0, 1:
      return .stintBegan(
        budget: Bool.random(using: &numbers) ? time() : nil, end: nil, restoredSequence: nil,
        workTime: time()
      )
    case 2, 3, 4:
      let reason = StintEnd.allCases.randomElement(using: &numbers) ?? .expired
      return .stintEnded(reason: reason, saved: time(), lost: time())
    case 5:
      return .expiryAnnounced(
        reason: .timeElapsed, deadline: Instant(nanoseconds: 1_000_000_000_000), openTasks: [])
    case 6: return .notice("a word")
    case 7: return .progressKept
    case 8:
      return .checkpoint(
        sequence: 1, sizeBytes: 1, took: .zero, workTime: time(), fraction: 0.5)
    default: return .finished(sizeBytes: 1, checksum: "", workTime: time())
    }
  }
}

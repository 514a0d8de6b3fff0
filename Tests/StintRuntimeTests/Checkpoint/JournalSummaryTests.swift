import StintCore
import Testing

@testable import StintRuntime

@Suite("Journal summaries")
struct JournalSummaryTests {
  /// Folds events, one second apart.
  private func summary(
    _ contents: [JournalRecord.Content], pids: [Int32] = [], isOver: Bool = true
  ) -> JournalSummary {
    var summary = JournalSummary()
    for (index, content) in contents.enumerated() {
      let stamp = JournalRecord.Stamp(
        unixNanoseconds: Int64(index), bootID: "b",
        instant: Instant(nanoseconds: Int64(index) * 1_000_000_000),
        pid: index < pids.count ? pids[index] : 1)
      summary.add(JournalRecord(stamp: stamp, content: content))
    }
    if isOver { summary.processIsGone() }
    return summary
  }

  /// How many stints in a row, at the end, got no further.
  private func fruitless(
    _ contents: [JournalRecord.Content], pids: [Int32] = [], isOver: Bool = true
  ) -> Int {
    summary(contents, pids: pids, isOver: isOver).stintsWithoutProgress
  }

  private let began = JournalRecord.Content.event(
    .stintBegan(budget: .seconds(1), end: nil, restoredSequence: nil, workTime: .zero))
  private let checkpoint = JournalRecord.Content.event(
    .checkpoint(
      sequence: 5, sizeBytes: 10, took: .zero, workTime: .seconds(4), fraction: 0.5))

  private let finished = JournalRecord.Content.event(
    .finished(sizeBytes: 9, checksum: "aa", workTime: .seconds(6)))

  private func ended(_ reason: StintEnd) -> JournalRecord.Content {
    .event(.stintEnded(reason: reason, saved: .zero, lost: .seconds(1)))
  }

  private func announced(_ reason: ExpiryReason) -> JournalRecord.Content {
    .event(
      .expiryAnnounced(reason: reason, deadline: Instant(nanoseconds: 1), openTasks: []))
  }

  @Test("R16 an end that found the work unprepared counts for the interval of checkpoints")
  func unprepared() {
    func ends(_ contents: [JournalRecord.Content]) -> Int {
      summary([began] + contents).workHistory.suddenEnds
    }
    func lost(_ time: Duration, _ reason: ExpiryReason) -> Int {
      ends([
        announced(reason), .event(.stintEnded(reason: .expired, saved: .zero, lost: time)),
      ])
    }
    #expect(ends([]) == 1)
    #expect(ends([checkpoint]) == 1)
    #expect(ends([ended(.didNotFit)]) == 0)
    // Killed after the news: what counts is whether there was time to save.
    #expect(ends([announced(.revoked)]) == 1)
    #expect(ends([checkpoint, announced(.timeElapsed)]) == 1)
    #expect(ends([announced(.revoked), checkpoint]) == 0)
    // Ended in order, with a loss.
    #expect(lost(.seconds(1), .revoked) == 1 && lost(.seconds(1), .signal(15)) == 1)
    #expect(lost(.zero, .revoked) == 0)
    // What was lost had been begun after a checkpoint that the news left time for.
    let lostLater = ended(.expired)
    #expect(ends([announced(.revoked), checkpoint, lostLater]) == 0)
    #expect(ends([checkpoint, announced(.revoked), lostLater]) == 1)
    #expect(lost(.seconds(1), .timeElapsed) == 0 && lost(.seconds(1), .stopRequested) == 0)
  }

  @Test("W13 stints whose own time ran out count, in a row, at the end")
  func stintsWithoutProgress() {
    let late = announced(.timeElapsed)
    #expect(fruitless([]) == 0)
    #expect(fruitless([began, late]) == 1)
    #expect(fruitless([began, late], isOver: false) == 0)
    #expect(fruitless([began, late, began, late, began, late]) == 3)
    #expect(fruitless([began, announced(.engineEndTime)]) == 1)
    #expect(fruitless([began, ended(.expired), began, ended(.didNotFit)]) == 2)
    #expect(fruitless([began, late, began, checkpoint]) == 0)
    #expect(fruitless([began, checkpoint, ended(.expired), began, late]) == 1)
    let kept = JournalRecord.Content.event(.progressKept)
    #expect(fruitless([began, late, began, kept]) == 0)
    #expect(fruitless([began, kept, ended(.expired), began, late]) == 1)
  }

  @Test("W13 stints that were killed from outside neither count nor break the row")
  func killedFromOutside() {
    let late = announced(.timeElapsed)
    #expect(fruitless([began, began, began, began]) == 0)
    #expect(fruitless([began, late, began, began, late]) == 2)
    for reason in [ExpiryReason.signal(15), .revoked, .stopRequested, .denied(.stopping)] {
      #expect(fruitless([began, late, began, announced(reason)]) == 1)
    }
  }

  @Test("W13 stints that had less time than a step takes neither count nor break the row")
  func tooShort() {
    func began(at second: Int64, lasting left: Int64, budget: Duration?) -> JournalRecord.Content {
      let end = Deadline(
        source: "x", instant: Instant(nanoseconds: (second + left) * 1_000_000_000))
      return .event(
        .stintBegan(budget: budget, end: end, restoredSequence: nil, workTime: .zero))
    }
    func ended(least: Duration) -> JournalRecord.Content {
      .event(
        .stintEnded(
          reason: .expired, saved: .zero, lost: .seconds(1), leastBudget: least))
    }
    let wait = JournalRecord.Content.lockAwaited(took: .seconds(4))
    let late = announced(.timeElapsed)
    // It waited for longer than there was time then, or for less.
    #expect(
      fruitless([self.began, late, wait, began(at: 3, lasting: 3, budget: .seconds(7)), late]) == 1)
    #expect(
      fruitless([self.began, late, wait, began(at: 3, lasting: 5, budget: .seconds(9)), late]) == 2)
    // The wait was another process's, or before another stint.
    let own = began(at: 1, lasting: 3, budget: .seconds(7))
    #expect(fruitless([wait, own, late], pids: [1, 2, 2]) == 1)
    let second = began(at: 3, lasting: 3, budget: .seconds(3))
    #expect(fruitless([wait, own, late, second, late]) == 1)
    // What a step takes is known.
    let short = [wait, began(at: 1, lasting: 3, budget: .seconds(7))]
    #expect(fruitless(short + [ended(least: .seconds(5))]) == 0)
    #expect(fruitless(short + [ended(least: .seconds(2))]) == 1)
    // The end was an engine's, or the budget that every stint gets.
    let engine = began(at: 0, lasting: 3, budget: nil)
    #expect(fruitless([engine, ended(least: .seconds(5))]) == 0)
    #expect(fruitless([engine, ended(least: .seconds(2))]) == 1)
    let usual = began(at: 0, lasting: 3, budget: .seconds(3))
    #expect(fruitless([usual, ended(least: .seconds(5))]) == 1)
    // Its time was up while it loaded.
    #expect(fruitless([self.began, late, wait, late], pids: [1, 1, 2, 2]) == 1)
  }

  @Test("W10 a result that went out in part is known until a stint ends it or begins anew")
  func cutStream() {
    let began = self.began
    #expect(!summary([began]).hasCutStream)
    #expect(summary([began, .streaming]).hasCutStream)
    #expect(!summary([began, .streaming, began], pids: [1, 1, 2]).hasCutStream)
    #expect(!summary([began, .streaming, finished]).hasCutStream)
  }

  @Test("W13 a run whose time was up before its first stint began counts too, once it is gone")
  func cutWhileLoading() {
    let (cut, stop) = (announced(.timeElapsed), announced(.stopRequested))
    let done = [began, checkpoint, ended(.expired)]
    let restart = JournalRecord.Content.restoreAttempted(sequence: 5)
    let two = summary(done + [restart, cut, restart, cut], pids: [1, 1, 1, 2, 2, 3, 3])
    #expect(two.stintsWithoutProgress == 2)
    // What was announced to it says nothing of the stint before.
    #expect(two.lastStint?.announced == nil)
    // Before a restart was tried, and in a container where every process has the same number.
    #expect(fruitless(done + [cut, cut], pids: [1, 1, 1, 2, 3]) == 2)
    #expect(fruitless(done + [restart, cut, restart, cut]) == 2)
    #expect(fruitless(done + [restart, cut], pids: [1, 1, 1, 2, 2], isOver: false) == 0)
    // Time enough in the next trip of the same process.
    #expect(
      fruitless(done + [restart, cut, began, ended(.expired)], pids: [1, 1, 1, 2, 2, 2, 2]) == 1)
    #expect(
      fruitless(done + [restart, cut, restart, began, checkpoint], pids: [1, 1, 1, 2, 2, 3, 3, 3])
        == 0)
    #expect(fruitless(done + [restart, stop], pids: [1, 1, 1, 2, 2]) == 0)
    // An announcement to a stint that runs belongs to that stint.
    #expect(summary([began, cut]).lastStint?.announced != nil)
  }

  @Test("W13 a stop, a pause or a denial neither counts nor breaks the row; a told error breaks it")
  func otherEnds() {
    for reason in [StintEnd.stopRequested, .paused, .denied] {
      let late = announced(.timeElapsed)
      #expect(fruitless([began, late, began, ended(reason), began, late]) == 2)
    }
    #expect(
      fruitless([began, ended(.expired), began, ended(.expired), began, ended(.failed)]) == 0)
  }

  @Test("L8 an announced expiry without an end is what the next run is told of")
  func announced() {
    let announced = JournalRecord.Content.event(
      .expiryAnnounced(
        reason: .timeElapsed, deadline: Instant(nanoseconds: 7), openTasks: ["worker"]))
    let killed = summary([began, checkpoint, announced])
    #expect(killed.lastStint?.ended == nil)
    #expect(killed.lastStint?.announced?.deadline == Instant(nanoseconds: 7))
    #expect(killed.lastStint?.announced?.openTasks == ["worker"])
    #expect(killed.lastStint?.began.bootID == "b")
    #expect(summary([began, announced, ended(.expired)]).lastStint?.ended == .expired)
    #expect(summary([began, announced, began]).lastStint?.announced == nil)
  }

  @Test("W10 kept work time and elapsed time are two numbers")
  func times() {
    let two = summary([began, checkpoint, ended(.expired), began, ended(.didNotFit)])
    #expect(two.stints == 2)
    #expect(two.elapsed == .seconds(3))
    #expect(two.workTime == .zero, "the second stint began from nothing")
    #expect(summary([began, checkpoint]).workTime == .seconds(4))
    #expect(summary([began, checkpoint]).lastCheckpoint?.fraction == 0.5)
    #expect(summary([began, checkpoint]).lastSequence == 5)
  }

  @Test("W9 a checkpoint that came after the durable result is not missed once it is removed")
  func checkpointAfterFinish() {
    func checkpoint(_ sequence: UInt64, workTime: Duration) -> JournalRecord.Content {
      .event(
        .checkpoint(
          sequence: sequence, sizeBytes: 1, took: .zero, workTime: workTime, fraction: 0.9))
    }
    let finished = JournalRecord.Content.event(
      .finished(sizeBytes: 7, checksum: "00", workTime: .seconds(9)))
    let history = [
      began, checkpoint(1, workTime: .seconds(4)), finished, checkpoint(2, workTime: .seconds(8)),
    ]
    let over = summary(history)
    #expect(over.lastCheckpoint == nil)
    #expect(over.workTime == .seconds(9))
    #expect(over.checkpoints == 2 && over.lastSequence == 2)
    #expect(over.finish?.sizeBytes == 7)
    // The next run does begin anew; from there on a checkpoint that is gone is a loss again.
    let again = summary(history + [began])
    #expect(again.lastCheckpoint == nil)
    let later = summary(history + [began, checkpoint(3, workTime: .seconds(1))])
    #expect(later.lastCheckpoint?.sequence == 3)
  }

  @Test("the finish record stands until a stint begins after it")
  func finish() {
    let done = summary([began, checkpoint, finished, ended(.finished)])
    #expect(done.finish?.checksum == "aa")
    #expect(done.lastCheckpoint == nil)
    #expect(done.publishing?.sizeBytes == 9)
    #expect(summary([began, finished, began]).finish == nil)
    #expect(summary([began, finished, began]).publishing?.checksum == "aa")
  }

  @Test("W9 a result that becomes durable just before the next stint begins finishes the job")
  func finishedBeforeTheNextStint() {
    let crossed = summary([
      began, checkpoint, ended(.expired), finished, began, checkpoint, ended(.finished),
    ])
    #expect(crossed.finish?.checksum == "aa")
    #expect(crossed.workTime == .seconds(6))
    #expect(crossed.lastCheckpoint == nil, "it is removed with the others")
    #expect(summary([began, finished, began, ended(.expired)]).finish == nil)
    let behind = summary([began, ended(.expired), finished, checkpoint])
    #expect(behind.finish?.checksum == "aa")
    #expect(behind.workTime == .seconds(6))
    #expect(behind.lastCheckpoint == nil, "a checkpoint behind the result goes with it")
  }

  @Test("W2 a step that seemed too long makes its stint doubtful, until another one saves without")
  func doubtful() {
    let tooLong = JournalRecord.Content.event(.stepTooLong(expected: .seconds(9)))
    let ended = ended(.didNotFit)
    func doubts(_ contents: [JournalRecord.Content]) -> Int {
      summary(contents).workHistory.doubtfulStints
    }
    #expect(summary([began]).lastStint?.isDoubtful == false)
    #expect(summary([began, tooLong]).lastStint?.isDoubtful == true)
    #expect(summary([began, tooLong, began]).lastStint?.isDoubtful == false)
    #expect(doubts([began]) == 0)
    #expect(doubts([began, tooLong, tooLong, ended]) == 1)
    #expect(doubts([began, tooLong, ended, began, tooLong, ended]) == 2)
    #expect(doubts([tooLong]) == 0, "without a stint nothing was measured")
    // That it saved takes nothing back; that another one did, without a doubt, does.
    #expect(doubts([began, tooLong, checkpoint, ended]) == 1)
    #expect(doubts([began, tooLong, ended, began, ended]) == 1)
    #expect(doubts([began, tooLong, ended, began, checkpoint, ended]) == 0)
  }

  @Test("what an account of a stint has no figure for leaves it as it was")
  func nothingToCount() {
    let stamp = JournalRecord.Stamp(
      unixNanoseconds: 0, bootID: "b", instant: Instant(nanoseconds: 0), pid: 1)
    let before = StintAccount(
      began: stamp, budget: .seconds(1), end: nil, restoredSequence: nil, workTime: .zero,
      waited: .zero)
    let events: [JournalEvent] = [
      .stintBegan(budget: nil, end: nil, restoredSequence: 1, workTime: .seconds(1)),
      .restoreProved(sequence: 1), .progressKept, .checkpointFailed(message: "m", errno: 28),
      .setAside(file: "000001.ckpt", why: "is cut off"), .notice("n"),
    ]
    for event in events {
      var account = before
      account.add(event, at: stamp)
      #expect(account == before, "\(event)")
    }
    var counted = before
    counted.add(.workerEnded(signal: 9), at: stamp)
    #expect(counted != before)
  }
}

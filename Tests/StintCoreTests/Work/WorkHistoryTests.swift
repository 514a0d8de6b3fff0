import Testing

@testable import StintCore

@Suite("What earlier stints have shown")
struct WorkHistoryTests {
  private func history(_ milliseconds: [Int]) -> WorkHistory {
    var history = WorkHistory()
    for took in milliseconds { history.add(.init(took: .milliseconds(took), bytes: 1)) }
    return history
  }

  @Test("W2 only the last checkpoints are remembered")
  func capacity() {
    let many = WorkPolicy().residualWindow + 10
    let history = history(Array(1...many))
    #expect(history.checkpoints.count == WorkPolicy().residualWindow)
    #expect(history.checkpoints.first?.took == .milliseconds(11))
    #expect(history.checkpoints.last?.took == .milliseconds(many))
  }

  @Test("W2 a checkpoint that was not durable in time is known to take longer than it had")
  func unfinished() {
    var history = history(Array(1...100))
    history.addUnfinished(after: .milliseconds(50))
    #expect(history.checkpoints.last == .init(took: .milliseconds(50), bytes: 1, isCut: true))
    // Nobody knows how long it had: what is kept free for one.
    history.addUnfinished()
    #expect(history.checkpoints.last == .init(took: .milliseconds(100), bytes: 1, isCut: true))
    var none = WorkHistory()
    none.addUnfinished(after: .seconds(1))
    #expect(none.checkpoints.isEmpty)
  }

  @Test("W2 the last chunks are remembered, and a worker that starts knows them")
  func chunks() {
    let many = WorkPolicy().residualWindow + 10
    var history = WorkHistory()
    for count in 1...many { history.add([.init(took: .milliseconds(10 + count), cost: 1)]) }
    #expect(history.chunks.count == WorkPolicy().residualWindow)
    #expect(history.chunks.first?.took == .milliseconds(21))
    let machine = WorkerMachine(
      policy: WorkPolicy(), lead: .seconds(1), outlook: WorkerRig.outlook(left: 1, of: 1),
      restored: .zero, history: history)
    // By the first the others are judged.
    #expect(machine.fitTest.chunks.samples == history.chunks.count - 1)
    #expect(machine.fitTest.chunks.expected(cost: 1) > .milliseconds(100))
  }

  @Test("W2 what other processes measured holds only if the first own chunk is like it")
  func confirmed() {
    func estimator(_ first: Duration) -> CostEstimator {
      var estimator = CostEstimator(policy: WorkPolicy(), leastSample: .milliseconds(5))
      for index in 0..<40 { estimator.measured(.milliseconds(90 + index % 20), cost: 1) }
      estimator.inherited()
      #expect(estimator.isInherited)
      estimator.measured(first, cost: 1)
      #expect(!estimator.isInherited)
      return estimator
    }
    #expect(estimator(.milliseconds(105)).samples == 40)
    // Ten times as slow, or as fast: what was expected counts, not how short it was.
    #expect(estimator(.seconds(1)).samples == 1)
    #expect(estimator(.seconds(1)).expected(cost: 1) == .seconds(1))
    #expect(estimator(.milliseconds(10)).expected(cost: 1) == .milliseconds(10))
    #expect(estimator(.milliseconds(1)).samples == 1)
    #expect(estimator(.milliseconds(1)).expected(cost: 1) == .milliseconds(1))
    var fresh = CostEstimator(policy: WorkPolicy())
    fresh.inherited()
    #expect(!fresh.isInherited)
  }

  @Test("W2 a process that only knows of others begins with a small chunk where it can")
  func calibrates() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<40 { test.chunkTook(.milliseconds(10), cost: 1) }
    test.chunksAreInherited()
    func verdict(_ range: Outlook.ChunkRange, left: Int) -> FitTest.Verdict {
      test.verdict(
        range: range, checkpointBytes: 0, situation: .init(remaining: .milliseconds(left)))
    }
    let fine = Outlook.ChunkRange(smallest: 1, largest: 1_000)
    let whole = Outlook.ChunkRange(smallest: 20, largest: 20)
    #expect(verdict(fine, left: 10_000) == .run(cost: 1))
    #expect(verdict(whole, left: 10_000) == .run(cost: 20))
    #expect(verdict(whole, left: 150) == .doesNotFit)
    test.chunkTook(.milliseconds(10), cost: 1)
    guard case .run(let cost) = verdict(fine, left: 10_000) else {
      Issue.record("a chunk fits")
      return
    }
    #expect(abs(cost - 25) < 1e-6)
  }

  @Test("W2 after a checkpoint that was cut, longer ones are expected")
  func cutCheckpoint() {
    var history = history(Array(repeating: 100, count: 20))
    func expected() -> Duration {
      WorkerRig(chunks: 1, history: history).machine.learnt.expectedCheckpoint(bytes: 1)
    }
    let whole = expected()
    history.addUnfinished(after: .seconds(2))
    #expect(expected() > whole)
  }

  @Test("W2 a stint tells what its last chunks took, given up or not")
  func told() {
    var rig = WorkerRig(chunks: 100, budget: .seconds(60)).begun()
    for _ in 0..<20 { rig.finishChunk(after: .milliseconds(100)) }
    rig.finishChunk(after: .milliseconds(1))
    rig.now = rig.now.advanced(by: .milliseconds(30))
    rig.event { $0.stopRequested(.now, reason: .stopRequested, at: $1) }
    rig.event { $0.chunkGaveUp(at: $1) }
    rig.finishSave()
    let measured = rig.log.summary?.measured ?? []
    #expect(measured.count == WorkPolicy().toldChunks)
    #expect(measured.last?.isCut == true)
    // A chunk is not left out because it was quick.
    #expect(measured.dropLast().last?.took == .milliseconds(1))
    #expect(measured.dropLast(2).allSatisfy { $0.took == .milliseconds(100) && !$0.isCut })
  }

  @Test("R16 how long a process lives is learnt from the job's own stints")
  func failures() {
    var schedule = CheckpointSchedule()
    let assumed = CheckpointSchedulePolicy().meanTimeBetweenFailures
    #expect(schedule.meanTimeBetweenFailures == assumed)
    let interval = schedule.interval
    schedule.observed(ran: assumed, suddenEnds: 4)
    // (a quarter of one assumed and one observed) over (a quarter of an end and four).
    let learnt = assumed.inSeconds * 1.25 / 4.25
    #expect(abs(schedule.meanTimeBetweenFailures.inSeconds - learnt) < 1e-6)
    #expect(schedule.interval < interval)
    schedule.observed(ran: assumed * 100)
    #expect(schedule.meanTimeBetweenFailures > assumed)
    // What runs backwards is no observation.
    schedule.observed(ran: .seconds(-5), suddenEnds: -1)
    #expect(schedule.meanTimeBetweenFailures > assumed)
  }

  @Test("R16 a stint that ended in order, and those of the journal, count")
  func stints() {
    var rig = WorkerRig(budget: .seconds(2))
    let before = rig.machine.schedule.meanTimeBetweenFailures
    rig.begin()
    rig.finishChunk()
    rig.event { $0.stopRequested(.now, reason: .stopRequested, at: $1) }
    rig.finishSave()
    rig.event { $0.chunkGaveUp(at: $1) }
    #expect(rig.log.summary != nil)
    #expect(rig.machine.schedule.meanTimeBetweenFailures > before)
    var history = WorkHistory()
    history.ran = .seconds(60)
    history.suddenEnds = 3
    let machine = WorkerMachine(
      policy: WorkPolicy(), lead: .seconds(1), outlook: WorkerRig.outlook(left: 1, of: 1),
      restored: nil, history: history)
    #expect(machine.schedule.meanTimeBetweenFailures < before)
  }
}

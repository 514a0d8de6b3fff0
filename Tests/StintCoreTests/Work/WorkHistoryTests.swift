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

  @Test("W2 a checkpoint that is only known because it was short is not remembered")
  func hurried() {
    var history = history(Array(1...100))
    history.add(.init(took: .milliseconds(20), bytes: 1), left: .milliseconds(50))
    #expect(history.checkpoints.count == 100)
    history.add(.init(took: .milliseconds(20), bytes: 1), left: .milliseconds(95))
    #expect(history.checkpoints.count == 101)
    var first = WorkHistory()
    first.add(.init(took: .milliseconds(20), bytes: 1), left: .milliseconds(21))
    #expect(first.checkpoints.count == 1)
  }

  @Test("W2 one that was not durable in time counts as longer than all, and guesses do not grow")
  func unfinished() {
    var history = history(Array(1...100))
    history.addUnfinished()
    #expect(history.checkpoints.last?.took == .milliseconds(125))
    for _ in 0..<8 { history.addUnfinished() }
    let longest = history.checkpoints.map(\.took).max()
    #expect(longest.map { $0 <= .milliseconds(300) } == true)
    var none = WorkHistory()
    none.addUnfinished()
    #expect(none.checkpoints.isEmpty)
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

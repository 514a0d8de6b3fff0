import Testing

@testable import StintCore

@Suite("Steps that fit no budget")
struct WorkerRefusalTests {
  @Test("W2 a step that seems too long ends the stint, saved, and the next one measures again")
  func measuredAgain() throws {
    var rig = WorkerRig(budget: .seconds(10), hardest: 1_000).begun(inForeground: false)
    while rig.machine.phase == .working { rig.finishChunk(after: .milliseconds(20)) }
    #expect(
      rig.log.notices == [.stepTooLong(expected: .seconds(20), budget: .seconds(10))])
    rig.finishSave()
    #expect(rig.last.summary?.end == .didNotFit)
    #expect(rig.last.summary?.lost == .zero)
    #expect(rig.machine.doubts.doubtfulStints == 1)
    // The machine has nothing else to do any more.
    rig.event { $0.becameActive(at: $1) }
    rig.event { $0.taskGranted(WorkerRig.task, at: $1) }
    for _ in 0..<5 { rig.finishChunk(after: .milliseconds(10)) }
    #expect(rig.machine.phase == .working)
    #expect(rig.log.outcome == nil)
    #expect(rig.log.notices.count == 1)
  }

  @Test("W2 a step that seems too long is told with both times, and that it is measured again")
  func told() {
    let notice = WorkerNotice.stepTooLong(expected: .seconds(20), budget: .seconds(10))
    #expect(
      notice.description
        == "The longest step that cannot be split seems to take about 20s, which no budget of 10s "
        + "can hold; the next stint measures again before the work is refused.")
  }

  @Test("W2 work whose hardest chunk can never fit is refused with the least budget")
  func refusedBeforehand() throws {
    var history = WorkHistory()
    history.doubtfulStints = 1
    var rig = WorkerRig(budget: .seconds(10), hardest: 1_000, history: history)
    rig.begin(inForeground: false)
    while rig.machine.phase == .working { rig.finishChunk(after: .milliseconds(20)) }
    rig.finishSave()
    let error = try #require(rig.last.outcome?.error)
    #expect(error.code == .noProgress)
    #expect(error.message.contains("least budget"))
    #expect(error.message.contains("20s"))
    // One for the first estimate, and then each step is measured twice.
    #expect(rig.chunksRun == 1 + 2 * WorkPolicy().samplesBeforeRefusal)
  }
}

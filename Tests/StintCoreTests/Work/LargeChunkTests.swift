import StintCore
import Testing

@Suite("Chunks that are large for the budget")
struct LargeChunkTests {
  @Test("W12 chunks of about half a budget are said to be too large for it, once")
  func largeChunks() throws {
    func notices(_ chunk: Duration, stints: Int = 1) -> [WorkerNotice] {
      var rig = WorkerRig(budget: .seconds(2), lead: .milliseconds(100)).begun(inForeground: false)
      for stint in 1...stints {
        if stint > 1 {
          rig.becomeActive()
          rig.enterBackground(.seconds(2))
          rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: stint), at: $1) }
        }
        while [.working, .closing(.didNotFit)].contains(rig.machine.phase) {
          if rig.machine.isSaving { rig.finishSave() } else { rig.finishChunk(after: chunk) }
        }
      }
      return rig.log.notices
    }
    for stints in [1, 3] {
      let notice = try #require(notices(.milliseconds(1_050), stints: stints).first)
      guard case .chunkTooLargeForBudget(let chunk, let budget, let unused) = notice else {
        Issue.record("\(notice)")
        return
      }
      #expect(chunk == .milliseconds(1_050) && budget == .seconds(2))
      #expect(unused > .milliseconds(900) && unused < .milliseconds(950))
      #expect(notices(.milliseconds(1_050), stints: stints).count == 1)
    }
    // Large, and yet they fill the budget; small.
    #expect(notices(.milliseconds(950)).isEmpty)
    #expect(notices(.milliseconds(100)).isEmpty)
  }
}

import Testing

@testable import StintCore

@Suite("The worker machine: checkpoints that fail")
struct FailedSaveTests {
  @Test("C4 failed checkpoints: the worker goes on, then gives up, and never counts them as saved")
  func failedSaves() throws {
    let disk = StintError(.io, "No space is left on the device.", errno: 28)
    var policy = WorkPolicy()
    policy.checkpointEvery = .milliseconds(50)
    var rig = WorkerRig(policy: policy).begun()
    for attempt in 1...policy.failedCheckpoints {
      rig.finishChunk()
      rig.event { $0.saveFailed(disk, at: $1) }
      #expect(rig.last.notices.contains(.saveFailed(disk, inARow: attempt)))
    }
    #expect(rig.last.outcome == .failed(disk))
    #expect(rig.log.summary?.saved == .zero)
  }

  @Test("C6 a checkpoint refused because another process works on the job is not tried again")
  func busy() throws {
    let busy = StintError(.busy, "The job is in use.", errno: 11)
    var rig = WorkerRig(policy: changed(WorkPolicy()) { $0.checkpointEvery = .milliseconds(50) })
      .begun()
    rig.finishChunk()
    rig.event { $0.saveFailed(busy, at: $1) }
    #expect(rig.last.outcome == .failed(busy))
    #expect(rig.log.summary?.saved == .zero)
  }
}

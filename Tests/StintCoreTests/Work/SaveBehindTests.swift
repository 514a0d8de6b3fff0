import Testing

@testable import StintCore

@Suite("Checkpoints behind long chunks")
struct SaveBehindTests {
  /// The checkpoints that are begun together with chunks that take so long, from the second chunk
  /// on.
  private func savesBegun(
    chunk: Duration, save: Bool = true, took: Duration = .milliseconds(5),
    policy: WorkPolicy = WorkPolicy()
  ) -> Int {
    var rig = WorkerRig(chunks: 20, policy: policy).begun()
    var saves = 0
    for _ in 0..<10 {
      rig.finishChunk(after: chunk)
      guard rig.last.contains(.save) else { continue }
      saves += 1
      // It becomes durable while the chunk runs.
      if save { rig.finishSave(after: took) }
    }
    return saves
  }

  @Test("W14 the state that a long chunk starts from is saved while it runs")
  func long() {
    #expect(savesBegun(chunk: .seconds(3)) == 10)
  }

  @Test("W14 short chunks are saved at the interval, not each")
  func short() {
    #expect(savesBegun(chunk: .milliseconds(100)) <= 1)
  }

  @Test("W14 a checkpoint that is dear beside what it saves is not written behind each chunk")
  func dear() {
    #expect(savesBegun(chunk: .seconds(3), took: .milliseconds(250)) == 10)
    // A tenth of two chunks is more than half a second, and of four more than one.
    #expect(savesBegun(chunk: .seconds(3), took: .milliseconds(550)) == 5)
    #expect(savesBegun(chunk: .seconds(3), took: .seconds(1)) == 3)
    #expect(savesBegun(chunk: .seconds(3), took: .seconds(9)) <= 2)
  }

  @Test("W14 where the work stands still meanwhile nothing is written behind a chunk")
  func notBeside() {
    #expect(
      savesBegun(chunk: .seconds(3), policy: changed(WorkPolicy()) { $0.longChunk = nil }) <= 5)
  }

  @Test("W14 no second checkpoint is begun while one is being written")
  func one() {
    #expect(savesBegun(chunk: .seconds(3), save: false) == 1)
  }

  @Test("W4 an expiry in the middle of a long chunk finds all durable but that chunk")
  func expiry() {
    var rig = WorkerRig(chunks: 20).begun()
    for _ in 0..<5 {
      rig.finishChunk(after: .seconds(3))
      if rig.last.contains(.save) { rig.finishSave() }
    }
    #expect(rig.machine.work.isDurable)
    #expect(rig.machine.savedWorkTime == rig.machine.completedWorkTime)
    // Nothing is left to save when it comes.
    rig.pass(.seconds(1))
    rig.event { $0.expired(.timeElapsed, at: $1) }
    #expect(!rig.last.contains(.save))
  }
}

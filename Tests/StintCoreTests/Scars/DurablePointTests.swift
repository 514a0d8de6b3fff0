import StintCore
import Testing

@Suite("Durable points")
struct DurablePointTests {
  /// The longest time that work of a run stood unsaved.
  private static func longestUnsaved(
    chunk: Duration, save: Duration, stagger: Double, for length: Duration
  ) -> Duration {
    var rig = WorkerRig(chunks: 10_000_000, stagger: stagger)
    let start = rig.now
    var savedAt = rig.now
    var longest = Duration.zero
    rig.begin()
    while start.duration(to: rig.now) < length {
      rig.finishChunk(after: chunk)
      guard rig.last.contains(.save) else { continue }
      rig.finishSave(after: save)
      longest = max(longest, savedAt.duration(to: rig.now))
      savedAt = rig.now
    }
    return max(longest, savedAt.duration(to: rig.now))
  }

  @Test(
    "R16 work without an end has durable points, whatever chunks and checkpoints take",
    arguments: [
      (Duration.milliseconds(500), Duration.milliseconds(1)), (.milliseconds(500), .seconds(3)),
      (.seconds(5), .milliseconds(20)), (.seconds(90), .seconds(200)),
      (.seconds(7_200), .seconds(1)),
    ])
  func longRun(chunk: Duration, save: Duration) {
    // A day, or as many chunks as a test can run.
    let length = min(.seconds(86_400), chunk * 4_000)
    let policy = CheckpointSchedulePolicy()
    let longest = max(policy.longest, save / policy.mostOverhead)
    for stagger in [0, 0.3, 1] {
      let unsaved = Self.longestUnsaved(
        chunk: chunk, save: save, stagger: stagger, for: length)
      // A chunk cannot be saved before it ends; the one that was running when the time came is the
      // last to wait for.
      #expect(unsaved <= longest + chunk * 2 + save, "stagger \(stagger)")
    }
  }

  @Test("R16 a job that never reached a checkpoint says so, and one that did does not")
  func saysSo() {
    for isSaved in [false, true] {
      var rig = WorkerRig(budget: .seconds(2)).begun()
      rig.finishChunk()
      rig.event { $0.expired(.timeElapsed, at: $1) }
      if isSaved { rig.finishSave() }
      rig.pass(.seconds(3))
      rig.event { $0.timePassed(at: $1) }
      #expect(rig.log.summary?.checkpoints == (isSaved ? 1 : 0))
      #expect(rig.log.notices.contains(.neverSaved) == !isSaved)
    }
    #expect(WorkerNotice.neverSaved.description.contains("no durable checkpoint"))
  }
}

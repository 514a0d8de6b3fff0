import StintCore
import Testing

@Suite("Many jobs at once")
struct StaggerTests {
  /// The job's chunks, and how long a checkpoint takes when nothing else is on the disk.
  private static let chunk = Duration.milliseconds(200)
  private static let save = Duration.milliseconds(20)

  /// The instants at which a job begins its periodic checkpoints, counted from its start.
  private static func saves(
    stagger: Double, checkpointEvery: Duration? = nil, for length: Duration
  ) -> [Duration] {
    var rig = WorkerRig(
      chunks: 1_000_000, policy: changed(WorkPolicy()) { $0.checkpointEvery = checkpointEvery },
      stagger: stagger)
    let start = rig.now
    rig.begin()
    var saves: [Duration] = []
    while start.duration(to: rig.now) < length {
      rig.finishChunk(after: chunk)
      if rig.last.contains(.save) {
        saves.append(start.duration(to: rig.now))
        rig.finishSave(after: save)
      }
    }
    return saves
  }

  /// The most checkpoints that begin in any half second, as a share of the jobs.
  private static func worst(_ jobs: [[Duration]]) -> Double {
    var counts: [Int: Int] = [:]
    for save in jobs.joined() { counts[Int(save.inSeconds * 2), default: 0] += 1 }
    return Double(counts.values.max() ?? 0) / Double(jobs.count)
  }

  /// Numbers as keys give them: spread, and the same at every run.
  private static let staggers: [Double] = {
    var random = SplitMix64(seed: 17)
    return (0..<100).map { _ in Double.random(in: 0..<1, using: &random) }
  }()

  @Test(
    "R17 of a hundred jobs that start together no more than a few begin a checkpoint at once",
    arguments: [nil, Duration.seconds(30)])
  func hundredJobs(checkpointEvery: Duration?) {
    let length = Duration.seconds(90)
    let jobs = Self.staggers.map {
      Self.saves(stagger: $0, checkpointEvery: checkpointEvery, for: length)
    }
    #expect(jobs.allSatisfy { $0.count >= 2 })
    #expect(Self.worst(jobs) <= 0.2)
    // Without it all of them begin at once: what this test looks for can be seen.
    let together = Self.staggers.map { _ in
      Self.saves(stagger: 1, checkpointEvery: checkpointEvery, for: length)
    }
    #expect(Self.worst(together) == 1)
  }

  @Test("R17 the first checkpoint comes between half an interval and a whole one")
  func firstInterval() {
    let schedule = CheckpointSchedule()
    #expect(schedule.firstInterval(stagger: 0) == .seconds(6))
    #expect(schedule.firstInterval(stagger: 0.5) == .seconds(9))
    #expect(schedule.firstInterval(stagger: 1) == .seconds(12))
    #expect(schedule.firstInterval(stagger: 7) == .seconds(12))
    #expect(schedule.firstInterval(stagger: -7) == .seconds(6))
    #expect(schedule.firstInterval(stagger: .nan) == .seconds(12))
    let fixed = CheckpointSchedule.every(.seconds(3))
    #expect(fixed.firstInterval(stagger: 0) == .milliseconds(1_500))
    #expect(fixed.firstInterval(stagger: 1) == .seconds(3))
  }

  @Test("R17 jobs whose stints end together, and begin again together, are staggered anew")
  func laterStints() throws {
    var rig = WorkerRig(
      chunks: 1_000_000, policy: changed(WorkPolicy()) { $0.checkpointEvery = .seconds(10) },
      stagger: 0
    ).begun()
    rig.finishChunk()
    rig.event { $0.pauseRequested(at: $1) }
    rig.event { $0.chunkGaveUp(at: $1) }
    rig.finishSave()
    // Longer than an interval: nothing is in hand, so nothing is due when the next stint begins.
    rig.pass(.seconds(60))
    rig.event { $0.resumeRequested(at: $1) }
    rig.event { $0.taskGranted(WorkerRig.task, at: $1) }
    #expect(rig.machine.nextCheckpointInstant == rig.now.advanced(by: .seconds(5)))
    rig.finishChunk(after: .seconds(4))
    #expect(!rig.last.contains(.save))
    rig.finishChunk(after: .seconds(2))
    #expect(rig.last.contains(.save))
    rig.finishSave(after: .seconds(1))
    // From then on the interval is whole.
    #expect(rig.machine.nextCheckpointInstant == rig.now.advanced(by: .seconds(10)))
  }
}

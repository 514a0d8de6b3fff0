import StintCore
import Testing

@Suite("Stints that were too short")
struct ShortStintTests {
  /// Two stints before came to nothing.
  private static func rig(
    budget: Duration? = .seconds(10), left: Duration, waited: Duration = .zero,
    least: Duration? = nil
  ) -> WorkerRig {
    var history = WorkHistory()
    history.waited = waited
    history.leastBudget = least
    var rig = WorkerRig(
      budget: budget, lead: .milliseconds(100), fruitlessStints: 2, history: history)
    rig.deadline = rig.now.advanced(by: left)
    rig.begin(inForeground: false)
    return rig
  }

  /// Lets a chunk run until the time is gone.
  private static func runOut(_ rig: inout WorkerRig) {
    guard let deadline = rig.deadline else { return }
    rig.wake(at: deadline.advanced(by: .milliseconds(-5)))
    rig.event { $0.chunkGaveUp(at: $1) }
  }

  @Test("W13 a stint whose process waited longer for the lock than it had time then does not count")
  func waited() {
    var rig = Self.rig(left: .seconds(2), waited: .seconds(8))
    Self.runOut(&rig)
    #expect(rig.machine.phase == .parked(.expired))
    // The next one has waited for nobody.
    rig.becomeActive()
    rig.enterBackground(.seconds(10))
    rig.event { $0.taskGranted(BackgroundTaskIdentifier(rawValue: 2), at: $1) }
    Self.runOut(&rig)
    #expect(rig.log.outcome?.error?.code == .noProgress)
  }

  @Test("W13 one that had time enough for a step counts, however long it waited")
  func timeEnough() {
    var rig = Self.rig(left: .seconds(8), waited: .seconds(2))
    Self.runOut(&rig)
    #expect(rig.log.outcome?.error?.code == .noProgress)
    rig = Self.rig(left: .seconds(2), waited: .seconds(8), least: .seconds(1))
    Self.runOut(&rig)
    #expect(rig.log.outcome?.error?.code == .noProgress)
    rig = Self.rig(left: .seconds(8), waited: .seconds(2), least: .seconds(9))
    Self.runOut(&rig)
    #expect(rig.machine.phase == .parked(.expired))
  }

  @Test("W13 an outside end that leaves less than a step takes does not count; a budget does")
  func outsideEnd() {
    var rig = Self.rig(budget: nil, left: .seconds(2), least: .seconds(5))
    Self.runOut(&rig)
    #expect(rig.machine.phase == .parked(.expired))
    rig = Self.rig(budget: .seconds(2), left: .seconds(2), least: .seconds(5))
    Self.runOut(&rig)
    #expect(rig.log.outcome?.error?.code == .noProgress)
  }

  @Test("W2 after a wait for the lock a step is held against the whole budget, not what is left")
  func wholeBudget() {
    var history = WorkHistory()
    history.waited = .seconds(8)
    history.doubtfulStints = 1
    // A step of the hardest kind takes five seconds.
    var rig = WorkerRig(budget: .seconds(10), hardest: 250, history: history)
    rig.deadline = rig.now.advanced(by: .seconds(2))
    rig.begin(inForeground: false)
    for _ in 1...WorkPolicy().samplesBeforeRefusal { rig.finishChunk(after: .milliseconds(20)) }
    #expect(rig.machine.phase == .working)
  }

  @Test("W13 a stint says what the next step takes once it has measured one")
  func toldLeast() throws {
    var rig = Self.rig(left: .seconds(2))
    rig.finishChunk(after: .milliseconds(400))
    rig.finishSave()
    rig.pass(.milliseconds(100))
    rig.event { $0.pauseRequested(at: $1) }
    rig.event { $0.chunkGaveUp(at: $1) }
    let least = try #require(rig.log.summary?.leastBudget)
    #expect(least > .milliseconds(400) && least < .seconds(1))
  }
}

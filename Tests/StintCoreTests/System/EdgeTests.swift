import StintCore
import Testing

@Suite("What seldom happens")
struct EdgeTests {
  @Test("A11 A19 sentences that a user seldom sees name their numbers")
  func sentences() {
    let denial = DenialReason.tooLittleTime(remaining: .milliseconds(20), least: .seconds(1))
    #expect(denial.description.contains("20ms") && denial.description.contains("1s"))
    let handler = Diagnostic.handlerOverran(name: "upload", allowance: .seconds(5))
    #expect(handler.description.contains("\"upload\"") && handler.description.contains("5s"))
    #expect(Diagnostic.hardStopNotArmed(errno: 11).description.contains("error 11"))
  }

  @Test("R14 a policy that no system could keep is refused with the number")
  func policies() {
    var policy = SystemPolicy.commandLine
    policy.maximumTasks = 0
    #expect(throws: StintError.self) { try policy.validate() }
    policy = .commandLine
    policy.enterBackgroundGrace = .milliseconds(-1)
    #expect(throws: StintError.self) { try policy.validate() }
  }

  @Test("R14 seconds that no duration holds saturate, and what is no number is nothing")
  func durations() {
    #expect(Duration(clampingSeconds: .nan) == .zero)
    #expect(Duration(clampingSeconds: .infinity) == .nanoseconds(Int64.max))
    #expect(Duration(clampingSeconds: -.infinity) == .nanoseconds(Int64.min))
  }

  @Test("W2 before anything is learnt what is expected and the quantile are equally likely")
  func chances() {
    let estimator = CostEstimator(policy: WorkPolicy(), expectedSecondsPerUnit: 1)
    #expect(estimator.chance(cost: 1, within: .seconds(2)) == 1)
    #expect(estimator.chance(cost: 1, within: .seconds(1)) == 0.5)
    #expect(estimator.chance(cost: 1, within: .milliseconds(900)) == 0)
    var rig = WorkerRig().begun()
    #expect(rig.machine.learnt.chunks.samples == 0)
    // Nothing was expected of the first.
    rig.finishChunk()
    #expect(rig.machine.learnt.chunks.samples == 0)
    rig.finishChunk()
    #expect(rig.machine.learnt.chunks.samples == 1)
  }
}

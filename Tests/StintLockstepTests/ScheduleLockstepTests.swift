import Testing

@testable import StintLockstep

@Suite("Lockstep of the schedule machine and the model of the schedule")
struct ScheduleLockstepTests {
  private static func failure(
    seed: UInt64, steps: Int, plant: SchedulePlant? = nil
  ) -> SchedulePair.Failure? {
    do throws(SchedulePair.Failure) {
      try scheduleLockstep(seed: seed, steps: steps, plant: plant)
      return nil
    } catch {
      return error
    }
  }

  @Test("Q1 to Q9 machine and model agree on short histories", arguments: 0..<8)
  func short(part: UInt64) {
    for seed in part * 30..<(part + 1) * 30 {
      let failure = Self.failure(seed: seed, steps: 40)
      #expect(failure == nil, "\(failure.map(\.description) ?? "")")
    }
  }

  @Test("B1 to B4 machine and model agree on long histories", arguments: 0..<4)
  func long(part: UInt64) {
    for seed in 100_000 + part * 5..<100_000 + (part + 1) * 5 {
      let failure = Self.failure(seed: seed, steps: 150)
      #expect(failure == nil, "\(failure.map(\.description) ?? "")")
    }
  }

  @Test("Q7 lockstep finds each fault planted in the schedule", arguments: SchedulePlant.allCases)
  func plants(plant: SchedulePlant) {
    let found = (UInt64(0)..<SchedulePlant.histories).first {
      SchedulePair.divergence(seed: $0, steps: SchedulePlant.steps, plant: plant) != nil
    }
    #expect(found != nil, "\(plant) was not found in \(SchedulePlant.histories) histories")
  }

  @Test("Q7 a failure names its seed and shows a history from which nothing can be left out")
  func shortest() throws {
    let failure = try #require(
      (UInt64(0)..<SchedulePlant.histories).lazy.compactMap {
        Self.failure(seed: $0, steps: SchedulePlant.steps, plant: .paceLonger)
      }.first)
    #expect(
      failure.description.contains(
        "scheduleLockstep(seed: \(failure.seed), steps: \(SchedulePlant.steps))"))
    for index in failure.events.indices {
      var rest = failure.events
      rest.remove(at: index)
      let difference = SchedulePair.firstDifference(
        of: rest, in: failure.setup, plant: .paceLonger)
      #expect(difference == nil, "event \(index + 1) is not needed")
    }
    #expect(SchedulePair.firstDifference(of: failure.events, in: failure.setup, plant: nil) == nil)
  }

  @Test("Q2 histories of a schedule reach all that the contract speaks of")
  func coverage() {
    var seen = Set<String>()
    for seed in UInt64(0)..<120 { seen.formUnion(SchedulePair.reached(seed: seed, steps: 80)) }
    let wanted = [
      "begin refresh", "begin processing", "begin continued", "begin fetch",
      "begin sessionEvents", "launch", "end", "fail", "allow", "expire timeElapsed",
      "expire revoked", "expire stopRequested", "expire leastProgress", "expire requirementLost",
      "waits running", "waits notRunning", "waits foreground", "waits background",
      "waits unavailable", "waits earliest", "waits paced", "waits missing", "waits load",
      "waits memory", "waits disk", "waits denied",
    ]
    #expect(wanted.filter { !seen.contains($0) } == [])
  }
}

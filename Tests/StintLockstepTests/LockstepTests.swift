import Testing

@testable import StintLockstep

@Suite("Lockstep of the system machine and the model of its contract")
struct LockstepTests {
  /// A description of the difference, or nil if machine and model agree.
  private static func failure(
    seed: UInt64, steps: Int, plant: Plant? = nil
  ) -> LockstepPair.Failure? {
    do throws(LockstepPair.Failure) {
      try lockstep(seed: seed, steps: steps, plant: plant)
      return nil
    } catch {
      return error
    }
  }

  @Test("A1 to A23 machine and model agree on short histories", arguments: 0..<16)
  func short(part: UInt64) {
    for seed in part * 125..<(part + 1) * 125 {
      let failure = Self.failure(seed: seed, steps: 25)
      #expect(failure == nil, "\(failure.map(\.description) ?? "")")
    }
  }

  @Test("L1 to L8 machine and model agree on long histories", arguments: 0..<4)
  func long(part: UInt64) {
    for seed in 100_000 + part * 10..<100_000 + (part + 1) * 10 {
      let failure = Self.failure(seed: seed, steps: 150)
      #expect(failure == nil, "\(failure.map(\.description) ?? "")")
    }
  }

  /// The seeds are fixed, so the test cannot waver; the rarest fault took 791 histories in the
  /// worst of 20 runs.
  @Test("L8 lockstep finds each planted fault", arguments: Plant.allCases)
  func plants(plant: Plant) {
    let found = (UInt64(0)..<Plant.histories).first {
      LockstepPair.divergence(seed: $0, steps: Plant.steps, plant: plant) != nil
    }
    #expect(found != nil, "\(plant) was not found in \(Plant.histories) histories")
  }

  @Test("L8 a failure names its seed and shows a history from which nothing can be left out")
  func shortest() throws {
    let failure = try #require(
      (UInt64(0)..<Plant.histories).lazy.compactMap {
        Self.failure(seed: $0, steps: Plant.steps, plant: .leadLonger)
      }.first)
    #expect(failure.description.contains("lockstep(seed: \(failure.seed), steps: \(Plant.steps))"))
    #expect(!failure.difference.isEmpty)
    #expect(failure.events.count < 10)
    for index in failure.events.indices {
      var rest = failure.events
      rest.remove(at: index)
      let difference = LockstepPair.firstDifference(of: rest, in: failure.setup, plant: .leadLonger)
      #expect(difference == nil, "event \(index + 1) is not needed")
    }
    #expect(LockstepPair.firstDifference(of: failure.events, in: failure.setup, plant: nil) == nil)
  }

  @Test("L8 a seed gives the same failure each time")
  func repeatable() {
    let first = Self.failure(seed: 7, steps: 60, plant: .graceLonger)
    #expect(first != nil)
    #expect(first == Self.failure(seed: 7, steps: 60, plant: .graceLonger))
  }

  @Test("L1 histories reach all that the contract speaks of")
  func coverage() {
    var seen = Set<String>()
    for seed in UInt64(0)..<150 { seen.formUnion(LockstepPair.reached(seed: seed, steps: 60)) }
    let wanted = [
      "show", "tell", "handDirectly", "record", "callHandlers", "ask", "answer", "suspend",
      "resume", "stopCompleted", "deadlineMoved", "overrun", "handlersOverran",
      "enterBackgroundOverran",
      "killedWhileSuspended", "leakedTask", "neverCompleted", "taskWithoutHandler", "endedInvalid",
      "endedUnknown",
      "endedTwice", "leftOpen", "handlerOverran", "mainQueueUnserved", "heldTooLong",
      "spentTaskEnded", "scopeOverran", "deadlineExtended", "modeEnded",
    ]
    #expect(wanted.filter { !seen.contains($0) } == [])
  }
}

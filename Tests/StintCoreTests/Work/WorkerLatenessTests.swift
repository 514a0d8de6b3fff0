import Testing

@testable import StintCore

@Suite("The worker machine: wake-ups that come late")
struct WorkerLatenessTests {
  /// Follows every wake-up of a stint's beginning, each so much too late; the first chunk runs on.
  private func probed(late: Duration, lead: Duration = .milliseconds(50)) throws -> WorkerRig {
    var policy = WorkPolicy()
    policy.waitsForGivenUpChunk = false
    var rig = WorkerRig(budget: .seconds(1), lead: lead, policy: policy).begun(inForeground: false)
    for _ in 0..<rig.machine.policy.wakeProbes {
      rig.wake(at: try #require(rig.wakeAsked).advanced(by: late))
    }
    return rig
  }

  @Test("W4 what wake-ups were late is kept free before the deadline, up to the lead")
  func keptFree() throws {
    let closing = WorkPolicy().closing
    for (late, kept) in [(0, 10), (7, 17), (20, 30), (60, 50)] {
      let rig = try probed(late: .milliseconds(late))
      #expect(rig.machine.closing == .milliseconds(kept), "late by \(late) ms")
    }
    #expect(closing == .milliseconds(10))
    #expect(try probed(late: .milliseconds(20), lead: .milliseconds(5)).machine.closing == closing)
  }

  @Test("W4 a chunk is given up as much earlier as wake-ups come late, and the task ended in time")
  func givenUpEarlier() throws {
    var rig = try probed(late: .milliseconds(20))
    let deadline = try #require(rig.deadline)
    let limit = try #require(rig.wakeAsked)
    #expect(limit < deadline.advanced(by: .milliseconds(-30)))
    // Late once more, it still comes in time.
    rig.wake(at: limit.advanced(by: .milliseconds(20)))
    #expect(rig.log.summary?.end == .expired)
    #expect(rig.last.contains(.endTask(WorkerRig.task)))
    #expect(rig.now < deadline.advanced(by: .milliseconds(-10)))
  }

  @Test("W2 the fit test counts how late wake-ups come")
  func fits() {
    var test = FitTest(policy: WorkPolicy())
    for _ in 0..<50 { test.chunkTook(.milliseconds(10), cost: 1) }
    for _ in 0..<50 { test.checkpointTook(.milliseconds(10), bytes: 1_000) }
    func verdict(_ lateness: Duration) -> FitTest.Verdict {
      test.verdict(
        range: Outlook.ChunkRange(smallest: 1, largest: 1), checkpointBytes: 1_000,
        situation: .init(remaining: .milliseconds(40), lateness: lateness))
    }
    #expect(verdict(.zero) == .run(cost: 1))
    #expect(verdict(.milliseconds(20)) == .doesNotFit)
  }

  @Test("W4 only the last wake-ups count, and one that comes early or twice does not")
  func window() {
    var lateness = WakeLateness(window: 2)
    func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
    func wakes(asked: Int64, from now: Int64, at woken: Int64) -> Bool {
      lateness.asked(for: at(asked), at: at(now))
      return lateness.woken(at: at(woken))
    }
    #expect(!wakes(asked: 10, from: 0, at: 9))
    #expect(wakes(asked: 10, from: 0, at: 40))
    let again = lateness.woken(at: at(90))
    #expect(!again, "it was taken already")
    #expect(lateness.expected == .milliseconds(30))
    #expect(wakes(asked: 110, from: 100, at: 112))
    #expect(lateness.expected == .milliseconds(30))
    #expect(wakes(asked: 210, from: 200, at: 212))
    #expect(lateness.expected == .milliseconds(2))
    lateness.asked(for: at(210), at: at(200))
    lateness.stoodStill()
    let late = lateness.woken(at: at(90_000))
    #expect(!late, "the machine stood still")
    #expect(lateness.expected == .milliseconds(2))
    #expect(!wakes(asked: 250, from: 300, at: 320), "it was due when it was asked for")
  }

  @Test("W4 without an end nothing is asked for only to learn")
  func noProbes() {
    var rig = WorkerRig().begun()
    #expect(rig.wakeAsked == nil || rig.deadline != nil)
    rig.finishChunk()
    let interval = rig.machine.policy.wakeProbeInterval
    #expect(rig.wakeAsked != rig.now.advanced(by: interval))
  }
}

extension WorkerRig {
  /// The instant of the last wake-up that was asked for.
  var wakeAsked: Instant? {
    for case .wake(let instant) in log.reversed() { return instant }
    return nil
  }

  @Test("W2 a chunk that is given up after a standstill ran no longer than without it")
  func standstillInChunk() throws {
    func lengths(standsStill: Bool) -> [ExpectedSavings.Length] {
      var rig = WorkerRig(budget: .seconds(60)).begun(inForeground: false)
      for _ in 0..<10 { rig.finishChunk() }
      rig.pass(.milliseconds(50))
      if standsStill {
        rig.pass(.seconds(20))
        rig.machine.stoodStill(for: .seconds(20))
      }
      rig.event { $0.chunkGaveUp(at: $1) }
      return rig.machine.fitTest.chunks.lengths(cost: 1)
    }
    #expect(lengths(standsStill: true) == lengths(standsStill: false))
  }
}

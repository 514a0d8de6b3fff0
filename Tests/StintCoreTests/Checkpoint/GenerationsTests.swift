import StintCore
import Testing

@Suite("Generations")
struct GenerationsTests {
  @Test("C1 names have at least six digits and more where needed")
  func names() {
    #expect(Generations.name(of: 41) == "000041.ckpt")
    #expect(Generations.name(of: 1_234_567) == "1234567.ckpt")
    #expect(Generations.temporaryName(of: 42) == "000042.ckpt.tmp")
    let found = Generations(listing: [
      "000041.ckpt", "1234567.ckpt", "999999.ckpt", "18446744073709551615.ckpt",
    ])
    #expect(found.newestFirst == [.max, 1_234_567, 999_999, 41])
  }

  @Test("C2 the newest is tried first; only our own names count")
  func listing() {
    let found = Generations(listing: [
      "000002.ckpt", "000010.ckpt", "000003.ckpt.tmp", "000004.ckpt.bad", "000004.ckpt.bad2",
      "41.ckpt", "0000041.ckpt", "000000.ckpt", "000005.ckpt.old", "000006.ckpt.bad1", "notes",
      "000007.ckpt.bad02", "18446744073709551616.ckpt", "000008ckpt", ".ckpt", "٠٠٠٠٤١.ckpt",
    ])
    #expect(found.newestFirst == [10, 2])
    #expect(found.temporaries == ["000003.ckpt.tmp"])
    #expect(found.setAside == ["000004.ckpt.bad", "000004.ckpt.bad2"])
    #expect(found.highest == 10)
    #expect(found.nameAside(of: 4) == "000004.ckpt.bad3")
    #expect(found.nameAside(of: 10) == "000010.ckpt.bad")
  }

  @Test("C3 nothing goes before two verified generations stand, and never one of them")
  func pruning() {
    let found = Generations(listing: (1...6).map { Generations.name(of: UInt64($0)) })
    #expect(found.prunable(verified: []) == [])
    #expect(found.prunable(verified: [6]) == [])
    #expect(found.prunable(verified: [5, 6]) == [4, 3, 2, 1])
    #expect(found.prunable(verified: [2, 6]) == [1], "3 to 5 may be whole or not; 2 is")
    #expect(found.prunable(verified: [4, 5, 6], keep: 3) == [3, 2, 1])
    #expect(found.prunable(verified: [5, 6], keep: 0) == [4, 3, 2, 1], "two at least")
    #expect(found.prunable(verified: [6, 7]) == [], "7 is not there any more")
  }

  @Test("C3 for every set of verified generations at least two of them stay", arguments: 0..<64)
  func pruningKeepsTwo(mask: Int) {
    let found = Generations(listing: (1...6).map { Generations.name(of: UInt64($0)) })
    let verified = Set((1...6).filter { mask & 1 << ($0 - 1) != 0 }.map(UInt64.init))
    let left = Set(found.newestFirst).subtracting(found.prunable(verified: verified))
    #expect(left.intersection(verified).count >= min(2, verified.count))
    #expect(left.contains(6))
  }
}

@Suite("Checkpoint schedule")
struct CheckpointScheduleTests {
  @Test(
    "R16 the interval is the square root of twice the cost times the mean time between failures")
  func optimum() {
    var schedule = CheckpointSchedule()
    schedule.checkpointCompleted(cost: .milliseconds(500))
    #expect(schedule.interval == .seconds(60))
    schedule.checkpointCompleted(cost: .milliseconds(500))
    #expect(schedule.interval == .seconds(60))
  }

  @Test("R16 the interval has a shortest and a longest, and one before anything is measured")
  func clamps() {
    var schedule = CheckpointSchedule()
    #expect(schedule.interval == .seconds(12))
    schedule.checkpointCompleted(cost: .zero)
    #expect(schedule.interval == .seconds(1))
    schedule = CheckpointSchedule()
    schedule.checkpointCompleted(cost: .seconds(1))
    schedule.observed(ran: .seconds(1_000_000))
    #expect(schedule.interval == .seconds(600))
    schedule = CheckpointSchedule()
    schedule.checkpointCompleted(cost: .seconds(-5))
    #expect(schedule.interval == .seconds(1))
  }

  @Test("R16 the longest interval alone never costs more than half a per cent of the time")
  func overhead() {
    var schedule = CheckpointSchedule()
    schedule.checkpointCompleted(cost: .seconds(20))
    #expect(schedule.interval < .seconds(600), "by Young's rule, with an end an hour")
    schedule.observed(ran: .seconds(1_000_000))
    #expect(schedule.interval == .seconds(4_000))
    schedule.observed(ran: .zero, suddenEnds: 100)
    #expect((.seconds(600)..<(.seconds(700))).contains(schedule.interval))
    var policy = CheckpointSchedulePolicy()
    policy.mostOverhead = 0.05
    schedule = CheckpointSchedule(policy: policy)
    schedule.checkpointCompleted(cost: .seconds(20))
    schedule.observed(ran: .seconds(1_000_000))
    #expect(schedule.interval == .seconds(600))
  }

  @Test("R16 a fixed interval stays what the user asked for")
  func fixed() {
    var schedule = CheckpointSchedule.every(.milliseconds(250))
    schedule.checkpointCompleted(cost: .seconds(100))
    #expect(schedule.interval == .milliseconds(250))
    #expect(CheckpointSchedule.every(.seconds(-1)).interval == .zero)
  }
}

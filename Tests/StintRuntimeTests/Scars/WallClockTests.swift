import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("A wall clock that steps")
struct WallClockTests {
  /// What a job knows of itself after three stints.
  private struct Account: Equatable {
    var sequence: UInt64?
    var generations: [String]
    var workTime: Duration
    var elapsed: Duration
    var fruitless: Int
  }

  /// Runs three stints under a wall clock that shows these times, one a look, over and over; the
  /// boot clock goes on as ever.
  private func account(wallSeconds: [Int64]) throws -> Account {
    let disk = FaultyFileSystem()
    let looks = Protected(0)
    var identity = StoreFixture.identity()
    identity.wallClock = {
      let look = looks.withLock { looks in
        looks += 1
        return looks
      }
      return wallSeconds[look % wallSeconds.count] * 1_000_000_000
    }
    for number: UInt8 in 1...3 {
      let job = try StoreFixture.job(on: disk, identity: identity)
      let before = try job.restore(StoreFixture.number(in:))
      #expect(before?.state ?? 0 == number - 1)
      job.record(
        .stintBegan(
          budget: .seconds(30), end: nil, restoredSequence: before?.sequence,
          workTime: before?.workTime ?? .zero), durably: false)
      try StoreFixture.commit(number, to: job)
      job.record(.stintEnded(reason: .didNotFit, saved: .seconds(1), lost: .zero), durably: false)
    }
    let job = try StoreFixture.job(on: disk, identity: identity)
    let work = try job.restore(StoreFixture.number(in:))
    #expect(work?.state == 3)
    return Account(
      sequence: work?.sequence,
      generations: StoreFixture.generations(of: job, on: disk).map { String($0.suffix(11)) },
      workTime: job.summary.workTime, elapsed: job.summary.elapsed,
      fruitless: job.stintsWithoutProgress)
  }

  @Test(
    "R8 a wall clock that steps by years, back and forth, is a label and decides nothing",
    arguments: [
      [1_800_000_000, 1_700_000_000, 1_900_000_000], [4_000_000_000, 3_000_000_000, 1_000_000_000],
      [-5_000_000_000, 0, 9_000_000_000], [0], [1_800_000_000, 1_799_999_999],
    ] as [[Int64]])
  func steps(wallSeconds: [Int64]) throws {
    let even = try account(wallSeconds: [1_800_000_000])
    #expect(even.sequence == 3)
    #expect(even.generations == ["000002.ckpt", "000003.ckpt"])
    #expect(even.elapsed > .zero)
    #expect(try account(wallSeconds: wallSeconds) == even)
  }
}

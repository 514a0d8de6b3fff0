import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("The one hard stop of a process")
struct HardStopSharingTests {
  private final class Owner {}

  /// A timer that notes how it is set, and fails on request.
  private final class Timer: Sendable {
    let set = Protected<[Instant?]>([])
    let failure = Protected<Int32>(0)

    func callAsFunction(_ instant: Instant?) -> Int32 {
      let failure = failure.withLock { $0 }
      if failure == 0 { set.withLock { $0.append(instant) } }
      return -failure
    }
  }

  private static func instant(_ seconds: Int64) -> Instant {
    Instant(nanoseconds: seconds * 1_000_000_000)
  }

  @Test("A19 it stands at the earliest instant that any system wants, whoever comes and goes")
  func earliest() throws {
    let timer = Timer()
    let hardStop = HardStop { timer($0) }
    let (first, second) = (Owner(), Owner())
    try hardStop.set(Self.instant(30), for: first)
    try hardStop.set(Self.instant(3600), for: second)
    try hardStop.set(nil, for: second)
    try hardStop.set(Self.instant(10), for: second)
    try hardStop.set(nil, for: second)
    try hardStop.set(nil, for: first)
    let expected = [Self.instant(30), Self.instant(10), Self.instant(30), nil]
    #expect(timer.set.withLock { $0 } == expected)
  }

  @Test("A19 a timer that could not be set is an error, and is set with the next wish")
  func failure() throws {
    let timer = Timer()
    let hardStop = HardStop { timer($0) }
    let owner = Owner()
    timer.failure.withLock { $0 = EAGAIN }
    expectError(errno: EAGAIN) { try hardStop.set(Self.instant(30), for: owner) }
    timer.failure.withLock { $0 = 0 }
    try hardStop.set(Self.instant(30), for: owner)
    #expect(timer.set.withLock { $0 } == [Self.instant(30)])
  }
}

import CStint
import StintRuntime
import Synchronization
import Testing

@Suite("Boot-time timers")
struct BootTimersTests {
  @Test("L5 missed calls are not made up for")
  func noBurst() {
    let start = Instant(nanoseconds: 1_000)
    let period = Duration.nanoseconds(500)
    #expect(
      start.next(every: period, past: start) == Instant(nanoseconds: 1_500))
    let late = Instant(nanoseconds: 9_700)
    #expect(
      start.next(every: period, past: late) == Instant(nanoseconds: 10_000))
    let onTheDot = Instant(nanoseconds: 2_000)
    #expect(
      start.next(every: period, past: onTheDot) == Instant(nanoseconds: 2_500))
  }

  @Test("a call comes after its instant, on a thread of its own, in order of time")
  func order() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    // Both are known before either is due, however late this thread is: no call comes while another
    // one runs.
    BootTimers.shared.post {
      let now = BootClock.now
      let early = now.advanced(by: .milliseconds(5))
      BootTimers.shared.schedule(at: now.advanced(by: .milliseconds(10))) {
        continuation.yield(2)
        continuation.finish()
      }
      BootTimers.shared.schedule(at: early) { continuation.yield(BootClock.now >= early ? 1 : -1) }
    }
    var seen: [Int] = []
    for await number in stream { seen.append(number) }
    #expect(seen == [1, 2])
  }

  @Test("a call that was taken back does not come, although it is due")
  func cancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    BootTimers.shared.post {
      let now = BootClock.now
      let token = BootTimers.shared.schedule(at: now) { continuation.yield(1) }
      BootTimers.shared.schedule(at: now.advanced(by: .nanoseconds(1))) { continuation.finish() }
      BootTimers.shared.cancel(token)
    }
    var seen: [Int] = []
    for await number in stream { seen.append(number) }
    #expect(seen.isEmpty)
  }

  @Test("a periodic call comes again until it is taken back")
  func periodic() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let token = BootTimers.shared.schedule(every: .milliseconds(2), from: BootClock.now) {
      continuation.yield()
    }
    var count = 0
    for await _ in stream {
      count += 1
      if count == 3 { break }
    }
    BootTimers.shared.cancel(token)
    #expect(count == 3)
  }
}

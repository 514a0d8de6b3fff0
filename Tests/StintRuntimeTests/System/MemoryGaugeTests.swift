import Testing

@testable import StintRuntime

@Suite("Memory pressure")
struct MemoryGaugeTests {
  private static func gauge(_ files: Protected<[String: String]>) -> MemoryGauge {
    files.withLock {
      $0["/proc/self/cgroup"] = "0::/a\n"
      $0["/proc/self/mountinfo"] = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
    }
    return MemoryGauge { path in files.withLock { $0[path] } }
  }

  /// Asks a gauge; an expectation takes no mutating call.
  private static func asked(_ gauge: inout MemoryGauge) -> Bool { gauge.isShort() }

  private static func averages(_ share: String) -> String {
    "some avg10=\(share) avg60=0.10 avg300=0.00 total=1\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=0\n"
  }

  @Test("L10 a limit that was reached since the last look, here or above, is pressure, once")
  func events() {
    let files = Protected<[String: String]>([:])
    var gauge = Self.gauge(files)
    files.withLock { $0["/sys/fs/cgroup/a/memory.events"] = "low 9\nhigh 5\nmax 1\noom 0\n" }
    #expect(!Self.asked(&gauge), "what was before the first look is over")
    files.withLock { $0["/sys/fs/cgroup/a/memory.events"] = "low 99\nhigh 5\nmax 2\noom 0\n" }
    #expect(Self.asked(&gauge))
    #expect(!Self.asked(&gauge))
    // What a neighbour below the same parent has reached.
    files.withLock { $0["/sys/fs/cgroup/memory.events"] = "low 0\nhigh 1\nmax 7\noom 0\n" }
    #expect(!Self.asked(&gauge))
    files.withLock { $0["/sys/fs/cgroup/memory.events.local"] = "low 0\nhigh 1\nmax 0\noom 0\n" }
    #expect(Self.asked(&gauge))
  }

  @Test(
    "L10 a tenth of ten seconds spent waiting for memory is pressure",
    arguments: [("9.99", false), ("10.00", true), ("many", false), ("", false)])
  func averages(share: String, isShort: Bool) {
    let files = Protected<[String: String]>([:])
    var gauge = Self.gauge(files)
    files.withLock { $0["/proc/pressure/memory"] = Self.averages(share) }
    #expect(Self.asked(&gauge) == isShort)
    files.withLock { $0["/sys/fs/cgroup/a/memory.pressure"] = Self.averages("0.00") }
    #expect(!Self.asked(&gauge), "of a cgroup's own averages those of the machine are no part")
  }

  @Test("L10 a machine that says nothing has no pressure")
  func silence() {
    var gauge = MemoryGauge { _ in nil }
    #expect(!Self.asked(&gauge))
    #expect(MemoryGauge.stalled(in: "full avg10=50.00\n") == nil)
  }
}

@Suite("Memory watch")
struct MemoryWatchTests {
  @Test("L10 who listens is told within some seconds, and not once it listens no more")
  func listeners() async {
    let watch = MemoryWatch(
      MemoryGauge { path in
        path == "/proc/pressure/memory" ? "some avg10=50.00 avg60=0.00 avg300=0.00 total=1\n" : nil
      })
    final class Owner {}
    let (first, second) = (Owner(), Owner())
    let (told, tell) = AsyncStream.makeStream(of: Int.self)
    watch.set({ isShort in if isShort { tell.yield(1) } }, for: first)
    watch.set({ isShort in if isShort { tell.yield(2) } }, for: second)
    watch.set(nil, for: first)
    var calls = told.makeAsyncIterator()
    #expect(await calls.next() == 2)
    #expect(await calls.next() == 2)
    watch.set(nil, for: second)
    withExtendedLifetime((first, second)) {}
  }
}

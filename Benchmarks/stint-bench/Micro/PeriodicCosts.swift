import Dispatch
import Glibc
import Stint
import StintCore

/// How well a periodic observer keeps its period, what it costs, and what it does after a stop.
struct PeriodicCosts {
  private static let period = Duration.milliseconds(10)

  let options: BenchOptions

  /// Calls at 100 Hz on a queue of their own, then the same process stopped for a second.
  func figures() throws -> [Figure] {
    let application = Application(system: try InProcessSystem(policy: .unlimited))
    application.launch()
    let calls = Protected<[Instant]>([])
    calls.withLock { $0.reserveCapacity(2_000) }
    let observer = application.addPeriodicObserver(
      every: Self.period, on: DispatchQueue(label: "stint-bench.periodic")
    ) { calls.withLock { $0.append(BootClock.now) } }
    defer { observer.remove() }
    let began = BootClock.now
    let before = Self.processorSeconds()
    Pause.until(began.advanced(by: .seconds(options.quick ? 1 : 10)))
    let took = began.duration(to: BootClock.now).inSeconds
    let share = (Self.processorSeconds() - before) / took * 100
    let errors = Sample(Self.intervals(calls.withLock { $0 }).map { abs($0 - 10) })
    calls.withLock { $0 = [] }
    try stopForASecond()
    Pause.until(BootClock.now.advanced(by: .milliseconds(200)))
    let early = Self.intervals(calls.withLock { $0 }).filter { $0 < 5 }.count
    return [
      Figure(
        "periodicIntervalErrorMilliseconds", "periodic observer at 100 Hz, off its 10 ms",
        .milliseconds, errors.p99, gate: 2, goal: 1, of: errors,
        note: "99th percentile of \(errors.count) intervals"),
      Figure(
        "periodicCorePercent", "the same, of a core", .percent, share, gate: 2, goal: 1),
      Figure(
        "periodicLateCallsCount", "the same, late calls after the process was stopped for 1 s",
        .count, Double(early), gate: 1, goal: 1,
        note: "calls that follow another one within 5 ms"),
    ]
  }

  /// The times between calls, in milliseconds.
  private static func intervals(_ calls: [Instant]) -> [Double] {
    zip(calls, calls.dropFirst()).map { $0.duration(to: $1).inSeconds * 1e3 }
  }

  private static func processorSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }

  /// A shell stops this process and lets it go on.
  private func stopForASecond() throws {
    let script = "kill -STOP \(getpid()); sleep 1; kill -CONT \(getpid())"
    _ = try ChildProcess("/bin/sh", ["-c", script]).wait()
  }
}

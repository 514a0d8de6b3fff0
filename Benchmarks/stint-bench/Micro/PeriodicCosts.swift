import CStint
import Dispatch
import Glibc
import Stint
import StintCore

/// How well a periodic observer keeps its period, what it costs, and what it does after a stop.
///
/// A bare loop of sleeps runs beside it at the same time. Where this loop is later than the gate
/// allows, the machine wakes threads late, and the observer is not judged.
struct PeriodicCosts {
  private static let period = Duration.milliseconds(10)
  private static let gate = 2.0

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
    let before = stint_clock_ns(CLOCK_PROCESS_CPUTIME_ID)
    let bare = Self.bareLoop(periods: options.quick ? 100 : 1_000)
    let took = began.duration(to: BootClock.now)
    let processor = Duration.nanoseconds(
      stint_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before - bare.processor)
    let errors = Self.errors(calls.withLock { $0 })
    let bareErrors = Self.errors(bare.calls)
    calls.withLock { $0 = [] }
    try stopForASecond()
    Pause.until(BootClock.now.advanced(by: .milliseconds(200)))
    let early = Self.intervals(calls.withLock { $0 }).filter { $0 < 5 }.count
    let error = Figure(
      "periodicIntervalErrorMilliseconds", "periodic observer at 100 Hz, off its 10 ms",
      .milliseconds, errors.p99, gate: Self.gate, goal: 1, of: errors,
      note: "99th percentile of \(errors.count) intervals")
    return [
      bareErrors.p99 > Self.gate ? error.notJudged() : error,
      Figure(
        "bareLoopIntervalErrorMilliseconds", "a bare loop of sleeps at the same time",
        .milliseconds, bareErrors.p99, of: bareErrors,
        note: "what this machine allows; above \(Self.gate) ms the observer is not judged"),
      Figure(
        "periodicCorePercent", "the observer, of a core", .percent, processor / took * 100, gate: 2,
        goal: 1),
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

  /// How far each time between two calls is off the period, in milliseconds.
  private static func errors(_ calls: [Instant]) -> Sample {
    Sample(intervals(calls).map { abs($0 - period.inSeconds * 1e3) })
  }

  /// Sleeps from period to period on a thread of its own; returns when it woke, and what it cost.
  private static func bareLoop(periods: Int) -> (calls: [Instant], processor: Int64) {
    let thread = SerialThread(name: "bench-bare")
    let rendezvous = Rendezvous(parties: 1)
    let result = Protected<(calls: [Instant], processor: Int64)>(([], 0))
    thread.enqueue {
      rendezvous.meet {
        var calls: [Instant] = []
        calls.reserveCapacity(periods)
        let began = BootClock.now
        for number in 1...periods {
          Pause.until(began.advanced(by: period * number))
          calls.append(BootClock.now)
        }
        let woke = calls
        result.withLock { $0 = (woke, stint_thread_processor_ns()) }
      }
    }
    _ = rendezvous.wait()
    return result.withLock { $0 }
  }

  /// A shell stops this process and lets it go on.
  private func stopForASecond() throws {
    let script = "kill -STOP \(getpid()); sleep 1; kill -CONT \(getpid())"
    _ = try ChildProcess("/bin/sh", ["-c", script]).wait()
  }
}

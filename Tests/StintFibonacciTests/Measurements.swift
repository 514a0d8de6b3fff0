import Stint
import StintCore
import Testing

@testable import StintFibonacci

#if canImport(Glibc)
  import Glibc
#endif

/// Figures for people, printed on request: `STINT_MEASURE=100000000 swift test -c release --filter Measurements`.
@Suite(
  "Measurements", .serialized,
  .enabled(if: getenv("STINT_MEASURE") != nil, "set STINT_MEASURE to a position"))
struct Measurements {
  private var n: Int { Int(String(cString: getenv("STINT_MEASURE"))) ?? 10_000_000 }

  @Test("W8 the whole run beside GMP's own functions", arguments: [1, 2])
  func wholeRun(threads: Int) throws {
    let computation = FibonacciComputation(try FibonacciIndex(n), threads: threads) { _, _ in }
    let workspace = MemoryWorkspace()
    let began = BootClock.now
    var state = try computation.start(in: workspace)
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: threads)
    var perUnit = 1e-9
    var phases: [String: Totals] = [:]
    var order: [String] = []
    while let next = computation.outlook(of: state).next {
      let phase = computation.outlook(of: state).progress.phase
      let asked = max(next.smallest, min(next.largest, 0.25 / perUnit))
      let before = BootClock.now
      guard let chunk = try computation.run(from: state, atMost: asked, in: context) else { break }
      let seconds = before.duration(to: BootClock.now).inSeconds
      if phases[phase] == nil { order.append(phase) }
      phases[phase, default: Totals()].add(seconds: seconds, cost: chunk.cost, asked: asked)
      if seconds > 0.01 { perUnit += (seconds / chunk.cost - perUnit) * 0.3 }
      state = chunk.state
    }
    let whole = began.duration(to: BootClock.now).inSeconds
    let beforeGMP = BootClock.now
    let number = BigInteger.fibonacciByGMP(n)
    let fib = beforeGMP.duration(to: BootClock.now).inSeconds
    let text = number.decimalText
    let gmp = beforeGMP.duration(to: BootClock.now).inSeconds
    print("n = \(n), \(threads) threads: \(whole) s; GMP: \(fib) s + \(gmp - fib) s = \(gmp) s")
    for phase in order { print("  \(phase): \(phases[phase] ?? Totals())") }
    #expect(workspace.text == text + "\n")
    print("  peak of memory: \(Self.peakKilobytes) kB")
  }

  @Test("W2 how well the cost model predicts the next squaring")
  func squarings() throws {
    let doubling = Doubling(n: n, wantsPair: true)
    var state = doubling.start()
    while state.remainingBits > 0 {
      let bits = FibonacciLength.bits(doubling.index(state))
      let before = BootClock.now
      let next = try doubling.advanced(state, atMost: 0, threads: 1)
      let seconds = before.duration(to: BootClock.now).inSeconds
      if bits > 5000 {
        print("  \(bits) bits, half \(state.isHalfway): \(seconds * 1e9 / next.cost) ns a unit")
      }
      state = next.state
    }
  }

  private static var peakKilobytes: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}

/// What the chunks of a phase took.
private struct Totals: CustomStringConvertible {
  private var seconds = 0.0
  private var cost = 0.0
  private var longest = 0.0
  private var worstRatio = 0.0
  private var chunks = 0

  mutating func add(seconds: Double, cost: Double, asked: Double) {
    self.seconds += seconds
    self.cost += cost
    longest = max(longest, seconds)
    worstRatio = max(worstRatio, seconds > 0.02 ? seconds / cost * 1e9 : 0)
    chunks += 1
  }

  var description: String {
    "\(seconds) s in \(chunks) chunks, longest \(longest) s, \(seconds / cost * 1e9) ns a unit,"
      + " at most \(worstRatio)"
  }
}

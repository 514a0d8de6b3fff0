import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

#if canImport(Glibc)
import Glibc
#endif

/// Figures for people, printed on request:
/// `STINT_MEASURE=100000000 swift test -c release --filter Measurements`.
@Suite(
  "Measurements", .serialized,
  .enabled(if: getenv("STINT_MEASURE") != nil, "set STINT_MEASURE to a position"))
struct Measurements {
  private var n: Int { Int(String(cString: getenv("STINT_MEASURE"))) ?? 10_000_000 }

  private var threads: Int {
    getenv("STINT_MEASURE_THREADS").flatMap { Int(String(cString: $0)) } ?? 1
  }

  @Test("W8 the whole run beside GMP's own functions")
  func wholeRun() throws {
    let threads = threads
    let atStart = Self.peakKilobytes
    let computation = FibonacciComputation(try FibonacciIndex(n), threads: threads) { _, _ in }
    let began = BootClock.now
    var run = try ChunkRun(computation, threads: threads)
    var perUnit = 1e-9
    var phases: [String: Totals] = [:]
    var order: [String] = []
    var largest = 0
    while let next = run.next {
      let phase = run.outlook.progress.phase
      let asked = max(next.efficient, min(next.largest, 0.25 / perUnit))
      largest = max(largest, run.outlook.checkpointBytes)
      let before = BootClock.now
      let chunk = try run.advance(atMost: asked)
      let seconds = before.duration(to: BootClock.now).inSeconds
      if phases[phase] == nil { order.append(phase) }
      phases[phase, default: Totals()].add(seconds: seconds, cost: chunk.cost, asked: asked)
      if seconds > 0.01 { perUnit += (seconds / chunk.cost - perUnit) * 0.3 }
    }
    let whole = began.duration(to: BootClock.now).inSeconds
    let peak = Self.peakKilobytes
    let estimate = try FibonacciEstimate(FibonacciIndex(n), format: .decimal, threads: threads)
    let beforeGMP = BootClock.now
    let number = BigInteger.fibonacciByGMP(n)
    let fib = beforeGMP.duration(to: BootClock.now).inSeconds
    let text = number.decimalText
    let gmp = beforeGMP.duration(to: BootClock.now).inSeconds
    print("n = \(n), \(threads) threads: \(whole) s; GMP: \(fib) s + \(gmp - fib) s = \(gmp) s")
    for phase in order { print("  \(phase): \(phases[phase] ?? Totals())") }
    #expect(run.workspace.text == text + "\n")
    print(
      "  peak of memory: \(peak - atStart) kB above \(atStart) kB, of which the output in memory")
    print(
      "  takes \(text.utf8.count / 1000) kB; estimated \(estimate.memoryBytes / 1000) kB in all")
    print(
      "  largest checkpoint \(largest / 1000) kB; estimated \(estimate.checkpointBytes / 1000) kB")
  }

  @Test("W8 how long it takes to load each state of a run")
  func loading() throws {
    let computation = FibonacciComputation(try FibonacciIndex(n), threads: threads) { _, _ in }
    var run = try ChunkRun(computation, threads: threads)
    var longest: [String: (seconds: Double, bytes: Int)] = [:]
    var operation = (seconds: 0.0, phase: "")
    while let next = run.next {
      let name = run.outlook.progress.phase
      let began = BootClock.now
      try run.advance(atMost: max(next.smallest, 1e7))
      let took = began.duration(to: BootClock.now).inSeconds
      if took > operation.seconds { operation = (took, name) }
      let bytes = try run.bytes()
      let before = BootClock.now
      run.state = try computation.state(from: bytes, in: run.workspace)
      let seconds = before.duration(to: BootClock.now).inSeconds
      let phase = run.outlook.progress.phase
      if seconds > longest[phase]?.seconds ?? 0 { longest[phase] = (seconds, bytes.count) }
    }
    #expect(run.outlook.isComplete)
    print("  the longest operation: \(operation.seconds) s in \(operation.phase)")
    for (phase, worst) in longest {
      print("  loading in \(phase): at most \(worst.seconds) s for \(worst.bytes) bytes")
    }
  }

  @Test("W2 how well the cost model predicts lines of a sequence")
  func lines() throws {
    for range in [0...3000, 10_000...20_000, 100_000...102_000, 1_000_000...1_000_100] {
      let sequence = FibonacciSequence(
        try FibonacciRange(from: range.lowerBound, to: range.upperBound)
      ) { _, _ in }
      let before = BootClock.now
      let bytes = try sequence.uninterrupted().count
      #expect(bytes > range.count)
      let seconds = before.duration(to: BootClock.now).inSeconds
      print(
        "  \(range): \(seconds) s, \(seconds * 1e9 / sequence.wholeCost) ns a unit, \(bytes) bytes")
    }
  }

  @Test("W2 how well the cost model predicts the next squaring")
  func squarings() throws {
    print("in binary")
    #expect(try squarings(of: BigInteger.self) == n)
    print("in decimal")
    #expect(try squarings(of: DecimalNumber.self) == n)
  }

  private func squarings<Number: DoublingNumber>(of type: Number.Type) throws -> Int {
    let doubling = Doubling<Number>(n: n, wantsPair: true)
    var state = doubling.start()
    while state.remainingBits > 0 {
      let bits = FibonacciLength.bits(doubling.index(state))
      let before = BootClock.now
      let next = try doubling.advanced(state, atMost: .infinity, threads: threads)
      let seconds = before.duration(to: BootClock.now).inSeconds
      if bits > 5000 {
        let stage = state.staged.map { ", stage \($0.done)" } ?? ""
        print(
          "  \(bits) bits, half \(state.isHalfway)\(stage): \(seconds) s,"
            + " \(seconds * 1e9 / next.cost) ns a unit")
      }
      state = next.state
    }
    return doubling.index(state)
  }

  /// The peak of the resident size; `getrusage` would include that of the program before exec.
  private static var peakKilobytes: Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    var kilobytes = 0
    while fgets(&line, Int32(line.count), file) != nil {
      if strncmp(line, "VmHWM:", 6) == 0 {
        kilobytes = strtol(Array(line[6...]), nil, 10)
      }
    }
    return kilobytes
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

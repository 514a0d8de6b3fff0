import Dispatch
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

/// A way to cut a computation that depends only on its seed.
struct Schedule {
  var generator: SplitMix64
  var threads: Int

  /// Runs to the end, with chunks of random costs, of which some are stopped, some end with a
  /// reload from bytes, and some are lost with everything after the last reload.
  mutating func run<C: ChunkedComputation>(_ computation: C) throws -> [UInt8] {
    let workspace = MemoryWorkspace()
    var state = try computation.start(in: workspace)
    var saved = try computation.bytes(of: state)
    let flag = StopFlag()
    let context = ChunkContext(stopFlag: flag, workspace: workspace, threads: threads)
    while let next = computation.outlook(of: state).next {
      let share = Double.random(in: 0...1, using: &generator)
      // Mostly small chunks: the largest is everything that is left.
      let cost = next.smallest + (next.largest - next.smallest) * share * share * share * share
      if Int.random(in: 0..<8, using: &generator) == 0 {
        flag.raise()
        let nothing = try computation.run(from: state, atMost: cost, in: context)
        #expect(nothing == nil)
        flag.lower()
        continue
      }
      let before = computation.outlook(of: state)
      guard let chunk = try computation.run(from: state, atMost: cost, in: context) else {
        throw StintError(.noProgress, "A chunk that nobody stopped gave nothing.")
      }
      // Half a promille of slack for rounding.
      #expect(chunk.cost > 0 && chunk.cost <= max(cost, next.smallest) * 1.0005)
      #expect(
        computation.outlook(of: chunk.state).progress.fraction >= before.progress.fraction - 1e-9)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<4:
        let bytes = try computation.bytes(of: chunk.state)
        #expect(bytes.count <= computation.outlook(of: chunk.state).checkpointBytes)
        state = try computation.state(from: bytes, in: workspace)
        saved = bytes
      case 4:
        state = try computation.state(from: saved, in: workspace)
      default:
        state = chunk.state
      }
    }
    try computation.finish(state, in: workspace)
    return workspace.file().bytes
  }
}

@Suite("Schedules of cuts")
struct ScheduleTests {
  @Test("W8 every schedule of cuts gives the same bytes", arguments: 0..<60 as Range<UInt64>)
  func anyCut(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let n = Int.random(
      in: 0..<[30, 400, 5000, 40_000].randomElement(using: &generator)!, using: &generator)
    let format = FibonacciFormat.allCases.randomElement(using: &generator)!
    let block = [1, 2, 10, 100, 1000].randomElement(using: &generator)!
    guard n / block < 4000 else { return }
    let threads = Int.random(in: 1...3, using: &generator)
    let length = [nil, 1, 10, 100].randomElement(using: &generator)!
    let computation = try FibonacciComputation.small(
      n, format, block: block, threads: threads, splitFrom: length)
    let whole = try FibonacciComputation.small(n, format, block: 1 << 18).uninterrupted()
    var schedule = Schedule(generator: generator, threads: threads)
    #expect(
      try schedule.run(computation) == whole,
      """
      seed \(seed): n = \(n), \(format), blocks of \(block), \(threads) threads, split from \
      \(length ?? -1) words on
      """)
  }

  @Test(
    "W8 a reload after every single chunk comes to the end", arguments: FibonacciFormat.allCases)
  func reloadAlways(format: FibonacciFormat) throws {
    // Long enough that the output is read back in several pieces.
    let n = format == .raw ? 60_000_000 : 25_000_000
    let computation = FibonacciComputation(try FibonacciIndex(n), format: format) { _, _ in }
    var run = try ChunkRun(computation)
    var chunks = 0
    while let next = run.next, chunks < 500 {
      if try !run.advance(atMost: max(next.smallest, 3e7)).isTrial { try run.reload() }
      chunks += 1
    }
    #expect(run.outlook.isComplete)
    #expect(run.output.count == format.outputBytes(n))
  }

  @Test("W8 two threads give what one gives", arguments: [1000, 250_000, 1_000_003])
  func parallel(n: Int) throws {
    let one = try FibonacciComputation.small(n, block: 999).uninterrupted(threads: 1)
    let two = try FibonacciComputation.small(n, block: 999, threads: 2).uninterrupted(threads: 2)
    #expect(one == two)
  }

  @Test("W8 leftovers in the partial file do not matter", arguments: FibonacciFormat.allCases)
  func leftovers(format: FibonacciFormat) throws {
    let workspace = MemoryWorkspace()
    workspace.file().bytes = [UInt8](repeating: 0x37, count: 100_000)
    let computation = try FibonacciComputation.small(5000, format)
    #expect(
      try computation.uninterrupted(workspace)
        == FibonacciComputation.small(5000, format).uninterrupted())
  }

  @Test("W14 a state is the same before, while and after a chunk runs from it")
  func encodeWhileRunning() throws {
    let computation = try FibonacciComputation.small(
      60_000, block: 300, threads: 2, splitFrom: 100)
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: 2)
    var state = try computation.start(in: workspace)
    while let next = computation.outlook(of: state).next {
      let (from, before) = (state, try computation.bytes(of: state))
      let results = Protected<(chunk: FibonacciState?, encodings: [[UInt8]])>((nil, []))
      DispatchQueue.concurrentPerform(iterations: 2) { worker in
        if worker == 0 {
          let chunk = try? computation.run(from: from, atMost: next.smallest * 20, in: context)
          results.withLock { $0.chunk = chunk?.state }
        } else {
          for _ in 0..<3 {
            let bytes = try? computation.bytes(of: from)
            results.withLock { $0.encodings.append(bytes ?? []) }
          }
        }
      }
      let (chunk, encodings) = results.withLock { $0 }
      #expect(encodings.allSatisfy { $0 == before })
      #expect(try computation.bytes(of: from) == before)
      state = try #require(chunk)
    }
    #expect(workspace.text == BigInteger.fibonacciByGMP(60_000).decimalText + "\n")
  }

  @Test("W8 the result is delivered once it is complete, and only then")
  func delivery() throws {
    let delivered = Protected<[String]>([])
    let computation = FibonacciComputation(try FibonacciIndex(500)) { _, name in
      delivered.withLock { $0.append(name) }
    }
    let workspace = MemoryWorkspace()
    let start = try computation.start(in: workspace)
    #expect(throws: StintError.self) { try computation.finish(start, in: workspace) }
    #expect(delivered.withLock { $0 }.isEmpty)
    _ = try computation.uninterrupted(workspace)
    #expect(delivered.withLock { $0 } == ["result"])
  }
}

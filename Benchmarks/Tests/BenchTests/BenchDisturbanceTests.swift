import CStint
import Foundation
import StintCore
import Testing

@testable import stint_bench

@Suite("Intervals of what stint-bench measures")
struct BenchIntervalTests {
  @Test("the median of a hundred lies between the 40th and the 61st value")
  func median() {
    let hundred = Sample((1...100).map(Double.init))
    #expect(hundred.interval(ofQuantile: 0.5) == Interval(low: 40, high: 61))
  }

  @Test("the 99th percentile has an upper end from 368 values on")
  func tail() {
    func interval(_ count: Int) -> Interval {
      Sample((1...count).map(Double.init)).interval(ofQuantile: 0.99)
    }
    #expect(interval(367).high == nil)
    #expect(interval(368).high == 368)
    #expect(interval(100).low == 97)
    #expect(interval(1) == Interval(low: 1, high: nil))
    #expect(interval(10_000).low.map { $0 > 9_800 } == true)
    #expect(interval(10_000).high.map { $0 < 9_930 } == true)
  }

  @Test("19 of 20 samples have the true quantile in their interval, or more")
  func coverage() {
    var random = SplitMix64(seed: 7)
    var hits = 0
    for _ in 0..<400 {
      let sample = Sample((0..<500).map { _ in Double(random.next() >> 11) / Double(1 << 53) })
      let interval = sample.interval(ofQuantile: 0.99)
      if (interval.low ?? -1) <= 0.99, (interval.high ?? 2) >= 0.99 { hits += 1 }
    }
    #expect(hits >= 380)
  }

  @Test("an interval of two parts takes both from the same rounds")
  func bothParts() {
    let (first, second) = ([1.0, 2, 3, 4, 5], [5.0, 4, 3, 2, 1])
    let interval = Sample.interval(resampling: 5) { rounds in
      Sample(rounds.map { first[$0] + second[$0] }).median
    }
    #expect(interval == 6...6)
    let other = Sample.interval(resampling: 5) { Sample($0.map { first[$0] }).median }
    #expect(other == Sample(first).medianInterval())
  }

  @Test("a table says what an interval has no end for")
  func table() {
    let machine = MachineState(
      processors: 2, twoThreadSpeedup: 2, othersPercent: 0, loadAverage: 0,
      iterationsPerSecond: 1e9)
    let figure = Figure(
      "xMilliseconds", "x", .milliseconds, 1, gate: 2,
      interval: Interval(low: 0.5, high: nil), note: "a note")
    let report = BenchReport(
      verb: "micro", quick: false, machine: machine,
      others: Disturbance(mean: 0.04, windows: [0.02, 0.06]), figures: [figure], tookSeconds: 1)
    let text = TablePrinter.render(report)
    #expect(text.contains("x: at least 0.500 ms; too few rounds to say at most what; a note"))
    #expect(text.contains("Others used 4 % of a processor meanwhile, at most 6 %."))
  }
}

@Suite("What others use while stint-bench measures")
struct BenchDisturbanceTests {
  @Test("busy on average, or busy too often; a short burst is neither")
  func reasons() {
    func reason(_ mean: Double, _ windows: [Double]) -> String? {
      Disturbance(mean: mean, windows: windows).reason
    }
    let quiet = Array(repeating: 0.01, count: 19)
    #expect(reason(0.01, quiet) == nil)
    #expect(reason(0.06, quiet + [1]) == nil)
    #expect(reason(0.1, quiet.dropLast(2) + [1, 0.9, 0.8])?.contains("in 3 of 20 windows") == true)
    #expect(reason(0.43, [0.43])?.hasPrefix("Others used 43 % of a processor") == true)
    #expect(reason(-0.02, [-0.02, 0]) == nil)
    #expect(Disturbance(mean: -0.02, windows: [-0.02]).othersPercent == 0)
  }

  /// A line of /proc/PID/stat: name, parent, flags, and four times in ticks.
  private static func stat(
    _ name: String, of parent: Int, flags: Int = 0x40_0000, _ times: [Int]
  ) -> String {
    let words = times.map(String.init).joined(separator: " ")
    return "7 (\(name)) S \(parent) 7 7 0 -1 \(flags) 1 2 3 4 \(words) 20 0 1 0 5 6 7\n"
  }

  @Test("this program, its children and those that ended are its own; the kernel's are apart")
  func own() {
    func table(_ child: Int, _ kernel: Int) -> ProcessTable {
      ProcessTable(
        [
          1: Self.stat("init", of: 0, [1_000, 1_000, 5, 5]),
          2: Self.stat("kthreadd", of: 0, flags: 0x20_8040, [0, 3, 0, 0]),
          9: Self.stat("kworker/0:1", of: 2, flags: 0x420_8060, [0, kernel, 0, 0]),
          50: Self.stat("bench", of: 1, [10, 20, 300, 400]),
          51: Self.stat("a) S 1 (b", of: 50, [child, 0, 0, 0]),
          52: Self.stat("grandchild", of: 51, [2, 2, 1, 1]),
          60: Self.stat("other", of: 1, [child * 9, 0, 0, 0]),
          70: "70 (cut", 71: "71 (cut) S 50 1", 72: "",
        ], root: 50)
    }
    let before = table(4, 100)
    #expect(before.own == 740)
    #expect(before.kernel == [2: 3, 9: 100])
    #expect(table(10, 107).ticks(since: before) == 13)
    // A thread of the kernel that is gone takes nothing with it.
    #expect(table(4, 0).ticks(since: before) == 0)
  }

  @Test("a meter that is stopped at once says something all the same")
  func meter() throws {
    let found = try #require(OthersMeter().finish())
    #expect(found.windows == 1)
    #expect(found.othersPercent >= 0 && found.othersPercent.isFinite)
  }
}

extension BriefBenchmarks {
  @Suite("Orphans of the programs that stint-bench starts")
  struct BenchOrphanTests {
    @Test("what timeout -s KILL leaves behind is waited for, and its time is this program's")
    func orphans() async {
      await #expect(processExitsWith: .exitCode(0)) {
        stint_adopt_orphans(1)
        let loop = ["-s", "KILL", "1", "sh", "-c", "while :; do :; done"]
        let child = try ChildProcess("timeout", loop)
        let before = try #require(ProcessTable.now()).own
        _ = child.wait()
        child.waitForOrphans()
        // timeout alone takes a tick or two.
        try #require(try #require(ProcessTable.now()).own - before >= 5)
        try #require(waitpid(-1, nil, WNOHANG) == -1)
        exit(0)
      }
    }
  }

  @Suite("stint-bench on a machine that others use")
  struct BusyMachineTests {
    @Test("a real run that others disturb is not judged: 69, and how much they used")
    func disturbed() throws {
      let other = try ChildProcess("sh", ["-c", "ulimit -t 60; while :; do :; done"])
      defer { other.end() }
      let run = try BenchTests.run([
        "run", "fixed-5s", "--real", "--grants", "2", "--scale", "0.2", "--check",
      ])
      #expect(run.status == 69)
      #expect(run.errors.contains("Others used"))
      #expect(run.errors.contains("so nothing is judged"))
      #expect(!run.output.contains("Missed"))
    }

    @Test("every report says what others used meanwhile")
    func members() throws {
      struct Report: Decodable {
        struct Others: Decodable {
          var othersPercent: Double
          var worstPercent: Double
          var windows: Int
          var busyWindows: Int
        }
        var others: Others
      }
      let run = try BenchTests.run(["micro", "--only", "remaining", "--quick", "--json"])
      let others = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).others
      #expect(others.windows >= 1)
      #expect((0...others.windows).contains(others.busyWindows))
      #expect(others.othersPercent >= 0 && others.worstPercent >= 0)
    }
  }
}

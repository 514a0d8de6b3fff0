import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("Display of a batch")
struct BatchDisplayTests {
  private static func report(
    _ fraction: Double, _ phase: String, _ estimate: Duration?
  ) -> StatusReport {
    StatusReport(
      state: .running, progress: WorkProgress(fraction: fraction, phase: phase),
      remaining: .unlimited, estimateToFinish: estimate)
  }

  private static func row(_ number: Int, _ fraction: Double? = 0.5, title: String = "fibonacci 7")
    -> BatchRow
  {
    BatchRow(
      number: number, title: title,
      reading: fraction.map { Self.report($0, "doubling", .seconds(12)) },
      elapsed: .milliseconds(2_500))
  }

  private static func total(
    finished: Int = 3, remaining: RemainingTime = .limited(.milliseconds(4_250))
  ) -> BatchTotal {
    var machine = BatchMachine(
      history: Array(repeating: .finished, count: finished) + Array(repeating: .fresh, count: 3),
      rules: .init(places: 1, leastRemaining: .zero))
    _ = machine.tripBegan(remaining: .unlimited)
    _ = machine.lineEnded(finished, .failed, remaining: .unlimited)
    return BatchTotal(
      progress: BatchProgress(machine, fractions: [], startFraction: 0, elapsed: .seconds(20)),
      remaining: remaining, isResting: false, isClosing: false)
  }

  private static func frame(
    _ rows: [BatchRow], columns: Int = 100, height: Int = 24, style: LineStyle = LineStyle()
  ) -> [String] {
    BatchFrame.render(rows, total(), columns: columns, height: height, style: style)
  }

  @Test("W3 a line for each that runs and one for all, with the remaining time")
  func frame() {
    let lines = Self.frame([Self.row(9), Self.row(12, nil, title: "exec -- sleep 5")])
    #expect(lines.count == 3)
    #expect(lines[0] == " 9   50.0%  ~12.0s  fibonacci 7")
    #expect(lines[1] == "12  2.5s  exec -- sleep 5")
    #expect(lines[2].hasPrefix("[#"))
    #expect(lines[2].contains("66.6%  4.2s left  3/6 done  1 failed  1 running"), "\(lines[2])")
  }

  @Test("of whatever size the terminal is, nothing wraps and nothing scrolls")
  func sizes() {
    let rows = (1...40).map { Self.row($0, title: "image 日本語.tif out.png --filter\u{1B}[2J x") }
    for columns in [1, 2, 5, 19, 20, 21, 40, 80, 200] {
      for height in [1, 2, 3, 10, 24, 60] {
        for style in [LineStyle(), LineStyle(color: true, unicode: true)] {
          let lines = Self.frame(rows, columns: columns, height: height, style: style)
          #expect(lines.count <= max(1, height - 1), "\(columns)x\(height)")
          for line in lines {
            let plain = line.replacing(/\u{1B}\[\d*m/, with: "")
            #expect(CellWidth.of(plain) <= max(1, columns - 1), "\(columns)x\(height): \(line)")
            #expect(!plain.contains("\u{1B}"))
          }
        }
      }
    }
    let ten = Self.frame(rows, height: 10)
    #expect(ten.count == 9)
    #expect(ten[7] == "and 33 more")
  }

  static func terminal(_ columns: Int, _ rows: Int, isForeground: Bool = true) -> TerminalState {
    .make(
      isTerminal: true, isForeground: isForeground, columns: columns, rows: rows,
      environment: ["TERM": "xterm"])
  }

  @Test("a screen is drawn over itself, whatever number of lines it had")
  func redraw() {
    var screen = LiveScreen()
    #expect(
      screen.draw(["a", "b", "c"], on: Self.terminal(80, 24))
        == "\ra\u{1B}[K\r\nb\u{1B}[K\r\nc\u{1B}[J")
    #expect(screen.draw(["d"], on: Self.terminal(80, 24)) == "\r\u{1B}[2Ad\u{1B}[J")
    #expect(screen.draw(["e", "f"], on: Self.terminal(80, 24)) == "\re\u{1B}[K\r\nf\u{1B}[J")
    #expect(screen.leave(Self.terminal(80, 24)) == "\r\u{1B}[1A\u{1B}[J")
    #expect(screen.leave(Self.terminal(80, 24)) == "")
    #expect(screen.leave(Self.terminal(80, 24, isForeground: false)) == "")
    _ = screen.draw(["g"], on: Self.terminal(80, 24))
    #expect(screen.leave(Self.terminal(80, 24, isForeground: false)) == "\n")
  }

  @Test(
    "a terminal that becomes narrower has wrapped what stood there, and never more than it shows")
  func resize() {
    var screen = LiveScreen()
    let wide = String(repeating: "x", count: 70)
    _ = screen.draw([wide, "\u{1B}[36m\(wide)\u{1B}[0m", "short"], on: Self.terminal(80, 24))
    #expect(screen.draw(["a"], on: Self.terminal(40, 24)).hasPrefix("\r\u{1B}[4Aa"))
    _ = screen.draw([wide, wide, wide], on: Self.terminal(80, 24))
    #expect(screen.leave(Self.terminal(10, 5)) == "\r\u{1B}[4A\u{1B}[J")
  }

  @Test("the last tick counts, and what is none is passed over")
  func reading() {
    let stamp = JournalRecord.Stamp(.current())
    let last = Self.report(0.75, "converting", .milliseconds(2_500))
    let events = """
      \(ReportJSON.tick(Self.report(0.25, "doubling", nil), stamp: stamp))
      {"event":"checkpoint","sequence":1,"fraction":0.3}
      not JSON
      \(ReportJSON.tick(last, stamp: stamp).replacing("0.75", with: "7"))
      {"event":"stintEnded"}

      """
    let reading = StatusReport(events: Array(events.utf8))
    #expect(reading?.progress.fraction == 1)
    #expect(reading?.progress.phase == "converting")
    #expect(reading?.estimateToFinish == .milliseconds(2_500))
    #expect(StatusReport(events: Array("{}\n".utf8)) == nil)
    #expect(StatusReport(events: []) == nil)
  }
}

import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("The display")
struct ProgressDisplayTests {
  /// A terminal that a test can change, and what was written to it.
  final class Screen: Sendable {
    let terminal = Protected(Screen.live)
    let written = Protected([String]())

    static let live = TerminalState.make(
      isTerminal: true, isForeground: true, columns: 40, environment: ["TERM": "xterm"])
    static let background = TerminalState.make(
      isTerminal: true, isForeground: false, columns: 40, environment: ["TERM": "xterm"])

    func display(quiet: Bool = false) -> ProgressDisplay {
      ProgressDisplay(
        quiet: quiet, terminal: { self.terminal.withLock { $0 } },
        write: { text in self.written.withLock { $0.append(text) } })
    }

    var texts: [String] { written.withLock { $0 } }
  }

  func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test("W3 on a terminal the line is written over, and removed at the end")
  func live() {
    let screen = Screen()
    let display = screen.display()
    display.show(LiveLineTests.report(), at: at(0))
    display.show(LiveLineTests.report(), at: at(1))
    display.say("saved")
    display.end()
    display.show(LiveLineTests.report(), at: at(2))
    display.end()
    display.end()
    let texts = screen.texts
    #expect(texts.count == 5)
    #expect(texts[0].hasPrefix("\r") && texts[0].hasSuffix("\u{1B}[J") && texts[0] == texts[1])
    #expect(texts[2] == "\r\u{1B}[Jsaved\n")
    #expect(texts[4] == "\r\u{1B}[J")
  }

  @Test("W3 of a line that a narrower window has wrapped nothing is left standing")
  func narrowed() {
    let screen = Screen()
    let display = screen.display()
    func resize(to columns: Int) {
      screen.terminal.withLock {
        $0 = .make(
          isTerminal: true, isForeground: true, columns: columns, environment: ["TERM": "xterm"])
      }
    }
    resize(to: 100)
    display.show(LiveLineTests.report(), at: at(0))
    // 97 columns at most, and more than 72: four rows of 24.
    resize(to: 24)
    display.show(LiveLineTests.report(), at: at(1))
    resize(to: 100)
    display.show(LiveLineTests.report(), at: at(2))
    resize(to: 24)
    display.end()
    let texts = screen.texts
    #expect(texts[1].hasPrefix("\r\u{1B}[3A") && texts[1].hasSuffix("\u{1B}[J"))
    #expect(texts[2] == texts[0])
    #expect(texts[3] == "\r\u{1B}[3A\u{1B}[J")
  }

  @Test("W3 in the background of a terminal there are plain lines, one a second")
  func background() {
    let screen = Screen()
    let display = screen.display()
    display.show(LiveLineTests.report(), at: at(0))
    screen.terminal.withLock { $0 = Screen.background }
    for time in stride(from: Int64(500), through: 2000, by: 500) {
      display.show(LiveLineTests.report(), at: at(time))
    }
    let texts = screen.texts
    #expect(texts.count == 3)
    #expect(texts[1].hasPrefix("\nstint: "))
    #expect(texts[2].hasPrefix("stint: ") && !texts[2].contains("\u{1B}"))
  }

  @Test("a result that is written to the terminal has it for itself; messages still come")
  func leftToTheResult() {
    let screen = Screen()
    let display = screen.display()
    display.show(LiveLineTests.report(), at: at(0))
    display.leaveTerminal()
    display.show(LiveLineTests.report(), at: at(1))
    display.say("saved")
    display.end()
    #expect(screen.texts.dropFirst() == ["\r\u{1B}[J", "saved\n"])
  }

  @Test("quiet shows messages only")
  func quiet() {
    let screen = Screen()
    let display = screen.display(quiet: true)
    display.show(LiveLineTests.report(), at: at(0))
    display.say("saved")
    display.end()
    #expect(screen.texts == ["saved\n"])
  }

  @Test(
    "NO_COLOR, TERM=dumb and the locale are honoured",
    arguments: [
      (["TERM": "xterm"], true, true, false), (["TERM": "dumb"], false, false, false),
      ([:], false, false, false), (["TERM": "xterm", "NO_COLOR": "1"], true, false, false),
      (["TERM": "xterm", "NO_COLOR": ""], true, true, false),
      (["TERM": "xterm", "LANG": "de_DE.UTF-8"], true, true, true),
      (["TERM": "xterm", "LANG": "C.utf8", "LC_ALL": "C"], true, true, false),
      (["TERM": "dumb", "LANG": "C.UTF-8"], false, false, false),
    ] as [([String: String], Bool, Bool, Bool)])
  func environment(environment: [String: String], rewrite: Bool, color: Bool, unicode: Bool) {
    let state = TerminalState.make(
      isTerminal: true, isForeground: true, columns: nil, environment: environment)
    #expect(state.canRewrite == rewrite && state.showsLiveLine == rewrite)
    #expect(state.style == LineStyle(color: color, unicode: unicode))
    #expect(state.columns == 80)
  }

  @Test("what is no terminal gets neither colours nor a live line")
  func pipe() {
    let state = TerminalState.make(
      isTerminal: false, isForeground: false, columns: nil,
      environment: ["TERM": "xterm", "LANG": "C.UTF-8", "COLUMNS": "nonsense"])
    #expect(!state.showsLiveLine && state.style == LineStyle() && state.columns == 80)
  }

  @Test("W3 a short run leaves no plain line in a log, and its live line is not held back")
  func silence() {
    let screen = Screen()
    let display = ProgressDisplay(
      quiet: false, silence: .seconds(1), terminal: { screen.terminal.withLock { $0 } },
      write: { text in screen.written.withLock { $0.append(text) } })
    var report = LiveLineTests.report()
    report.elapsed = .milliseconds(999)
    display.show(report, at: at(0))
    #expect(screen.texts.count == 1)
    screen.terminal.withLock { $0 = Screen.background }
    display.show(report, at: at(10))
    // Only the end of the live line.
    #expect(screen.texts.dropFirst() == ["\n"])
    report.elapsed = .seconds(1)
    display.show(report, at: at(20))
    #expect(screen.texts.count == 3)
  }
}

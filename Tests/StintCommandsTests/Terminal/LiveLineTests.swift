import StintCore
import Testing

@testable import StintCommands

@Suite("The live line")
struct LiveLineTests {
  static func report(
    _ state: StatusReport.State = .running, fraction: Double = 0.4129, phase: String = "doubling",
    remaining: RemainingTime = .limited(.milliseconds(4_980))
  ) -> StatusReport {
    StatusReport(
      state: state, progress: WorkProgress(fraction: fraction, phase: phase), remaining: remaining,
      nextCheckpointIn: .milliseconds(640), checkpointAge: .milliseconds(3_250),
      estimateToFinish: .milliseconds(12_340), speed: 0.008, stint: 3, workTime: .seconds(9),
      elapsed: .seconds(75))
  }

  @Test("W3 the line has bar, share, phase, remaining time, next checkpoint and estimate")
  func wide() {
    #expect(
      LiveLine.render(Self.report(), width: 110, style: LineStyle())
        == "[############------------------]   41.2%  doubling  4.9s left  checkpoint in 0.6s"
        + "  done in ~12.3s  stint 3")
  }

  @Test(
    "W3 what matters least gives way on a narrow terminal",
    arguments: [
      (80, "[####------]   41.2%  doubling  4.9s left  checkpoint in 0.6s  done in ~12.3s"),
      (60, "[##----]   41.2%  doubling  4.9s left  checkpoint in 0.6s"),
      (40, "[##----]   41.2%  doubling  4.9s left"), (30, " 41.2%  doubling  4.9s left"),
      (20, " 41.2%  4.9s left"), (19, " 41.2%  4.9s left"), (5, " 41."), (1, " "), (0, " "),
      (-7, " "),
    ])
  func narrow(width: Int, line: String) {
    let rendered = LiveLine.render(Self.report(), width: width, style: LineStyle())
    #expect(rendered == line)
  }

  @Test("W3 there is a line in every state", arguments: StatusReport.State.allCases)
  func states(state: StatusReport.State) {
    let line = LiveLine.render(
      Self.report(state, phase: "phase"), width: 80, style: LineStyle(color: true, unicode: true))
    #expect(line.contains(state == .running ? "phase" : state.rawValue))
    #expect(line.contains("\u{1B}[0m"))
  }

  @Test(
    "no width, state, share or phase makes the line too long",
    arguments: Array(0...25) + [32, 40, 55, 80, 81, 100, 130])
  func neverTooLong(width: Int) {
    let phases = ["", "doubling", "数字を書く", "e\u{301}tape", "\u{1B}[31mred\r\n", "👩‍💻 work"]
    for state in StatusReport.State.allCases {
      for fraction in [0, 0.5, 0.9999, 1, .nan, -3, 7] {
        for phase in phases {
          for remaining in [RemainingTime.unlimited, .limited(.zero), .limited(.seconds(1e6))] {
            let line = LiveLine.render(
              Self.report(state, fraction: fraction, phase: phase, remaining: remaining),
              width: width, style: LineStyle(unicode: true))
            #expect(cells(line) <= max(1, width - (width < 20 ? 1 : 3)), "\(line)")
            #expect(!line.contains("\n") && !line.contains("\r") && !line.contains("\u{1B}"))
          }
        }
      }
    }
  }

  /// An independent count: wide is what lies in the blocks that these tests use.
  private func cells(_ line: String) -> Int {
    line.reduce(0) { sum, character in
      let value = character.unicodeScalars.first?.value ?? 0
      return sum + ((0x3041...0x9fff).contains(value) || value >= 0x1f300 ? 2 : 1)
    }
  }

  @Test("the bar keeps its length while the texts beside it change theirs")
  func steady() {
    func bar(_ phase: String) -> Int {
      LiveLine.render(Self.report(phase: phase), width: 100, style: LineStyle())
        .prefix { $0 != "]" }.count
    }
    let lengths = Set(["digits", "doubling", "splitting"].map(bar))
    #expect(lengths == [21])
  }

  @Test("100 per cent is shown only when all is done")
  func hundred() {
    func shows(_ fraction: Double) -> String {
      LiveLine.render(Self.report(fraction: fraction), width: 20, style: LineStyle())
    }
    #expect(shows(0.99999).contains(" 99.9%"))
    #expect(shows(1).contains("100.0%"))
  }
}

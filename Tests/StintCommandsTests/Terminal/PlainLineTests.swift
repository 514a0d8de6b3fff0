import StintCommands
import StintCore
import Testing

@Suite("Plain lines")
struct PlainLineTests {
  @Test("W3 a line has everything, with the remaining seconds to one decimal")
  func everything() {
    #expect(
      PlainLine.render(LiveLineTests.report())
        == "stint:  41.2% doubling, 4.9s left, next checkpoint in 0.6s, last one 3.2s old, "
        + "done in about 12.3s, 0.80 %/s, stint 3, 9.0s of work kept in 1m15s")
  }

  @Test("W3 what is not known is left out")
  func bare() {
    let report = StatusReport(
      state: .waiting, progress: WorkProgress(fraction: 0, phase: ""), remaining: .unlimited)
    #expect(
      PlainLine.render(report)
        == "stint:   0.0% waiting, no time limit, stint 1, 0.0s of work kept in 0.0s")
  }

  @Test("W3 no checkpoint is announced while nothing runs, and no end once it is reached")
  func states() {
    func parts(_ state: StatusReport.State) -> (Bool, Bool) {
      let line = PlainLine.render(LiveLineTests.report(state))
      return (line.contains("next checkpoint"), line.contains("done in"))
    }
    #expect(parts(.running) == (true, true) && parts(.saving) == (true, true))
    #expect(parts(.waiting) == (false, true) && parts(.paused) == (false, true))
    #expect(parts(.finished) == (false, false))
  }

  @Test("W3 at most one line a second")
  func throttle() {
    var throttle = PlainLine.Throttle()
    let times = [0, 1, 500, 999, 1000, 1001, 1999, 2500, 3499, 3500]
    let admitted = times.filter { throttle.admits(at: Instant(nanoseconds: Int64($0) * 1_000_000)) }
    #expect(admitted == [0, 1000, 2500, 3500])
  }
}

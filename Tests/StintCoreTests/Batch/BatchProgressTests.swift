import StintCore
import Testing

@Suite("Progress of a batch")
struct BatchProgressTests {
  @Test("what is settled counts whole, what is not by what it says of itself")
  func fraction() {
    let progress = BatchProgress(
      lines: [.finished, .failed, .running, .unfinished, .waiting],
      fractions: [0: 0.1, 2: 0.5, 3: 0.25, 4: .nan], startFraction: 0.2, elapsed: .seconds(10))
    #expect(progress.fraction == 2.75 / 5)
    #expect(progress.finished == 1)
    #expect(progress.failed == 1)
    #expect(progress.running == 1)
    // 0.35 in ten seconds, 0.45 to go.
    #expect(progress.estimate.map { abs($0.inSeconds - 12.857) < 0.001 } == true)
  }

  @Test("no estimate before anything is known, nor when all is done")
  func estimate() {
    func estimate(_ lines: [BatchLineState], start: Double, seconds: Int) -> Duration? {
      BatchProgress(
        lines: lines, fractions: [:], startFraction: start, elapsed: .seconds(seconds)
      ).estimate
    }
    #expect(estimate([.finished, .waiting], start: 0.5, seconds: 60) == nil)
    #expect(estimate([.finished, .waiting], start: 0, seconds: 0) == nil)
    #expect(estimate([.finished, .finished], start: 0, seconds: 9) == nil)
    #expect(estimate([.finished, .waiting], start: 0, seconds: 9) == .seconds(9))
    #expect(
      BatchProgress(lines: [], fractions: [:], startFraction: 0, elapsed: .zero).fraction == 1)
  }
}

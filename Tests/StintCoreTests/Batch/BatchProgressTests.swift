import StintCore
import Testing

@Suite("Progress of a batch")
struct BatchProgressTests {
  @Test("what is settled counts whole, what is not by what it says of itself")
  func fraction() {
    var machine = BatchMachine(
      history: [.finished, .fresh, .fresh, .fresh, .fresh],
      rules: .init(places: 3, leastRemaining: .seconds(1)))
    _ = machine.tripBegan(remaining: .unlimited)
    _ = machine.lineEnded(1, .failed, remaining: .limited(.zero))
    _ = machine.lineEnded(3, .unfinished, remaining: .limited(.zero))
    let progress = BatchProgress(
      machine, fractions: [0.5, 0.25, .nan], startFraction: 0.2, elapsed: .seconds(10))
    #expect(progress.fraction == 2.75 / 5)
    #expect(progress.finished == 1)
    #expect(progress.failed == 1)
    #expect(progress.running == 1)
    // 0.35 in ten seconds, 0.45 to go.
    #expect(progress.estimate.map { abs($0.inSeconds - 12.857) < 0.001 } == true)
  }

  @Test("no estimate before anything is known, nor when all is done")
  func estimate() {
    func estimate(_ count: Int, finished: Int, start: Double, seconds: Int) -> Duration? {
      var machine = BatchMachine(
        history: Array(repeating: .fresh, count: count),
        rules: .init(places: 4, leastRemaining: .zero))
      _ = machine.tripBegan(remaining: .unlimited)
      for index in 0..<finished { _ = machine.lineEnded(index, .finished, remaining: .unlimited) }
      return BatchProgress(
        machine, fractions: [], startFraction: start, elapsed: .seconds(seconds)
      ).estimate
    }
    #expect(estimate(2, finished: 1, start: 0.5, seconds: 60) == nil)
    #expect(estimate(2, finished: 1, start: 0, seconds: 0) == nil)
    #expect(estimate(2, finished: 2, start: 0, seconds: 9) == nil)
    #expect(estimate(2, finished: 1, start: 0, seconds: 9) == .seconds(9))
    let none = BatchMachine(history: [], rules: .init(places: 1, leastRemaining: .zero))
    #expect(
      BatchProgress(none, fractions: [], startFraction: 0, elapsed: .zero).fraction == 1)
  }
}

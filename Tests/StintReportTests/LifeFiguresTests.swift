import StintCore
import Testing

@testable import StintReport

@Suite("Figures of a life")
struct LifeFiguresTests {
  @Test(
    "the saved share counts the whole budget where time ran out, and what was used where it did not"
  )
  func share() throws {
    let figures = LifeFigures(SampleLives.cut)
    #expect(figures.stints == 4)
    #expect(figures.granted == .seconds(29))
    #expect(figures.saved == .seconds(21))
    #expect(try #require(figures.savedShare) == 21.0 / 29)
    #expect(figures.elapsed == .seconds(29))
    #expect(figures.span == .seconds(44))
  }

  @Test("of a killed stint the whole budget counts only if it had been warned")
  func killed() {
    var stint = SampleLives.cut.stints[2]
    #expect(stint.granted == .seconds(5))
    stint.expiries = [.init(at: .seconds(4), reason: "signal 15 arrived")]
    #expect(stint.granted == .seconds(10))
    #expect(stint.wordsWithReason == "it was killed, or it crashed (signal 15 arrived)")
    #expect(SampleLives.cut.stints[0].wordsWithReason == "the next chunk did not fit")
    stint.ending = .denied
    #expect(stint.granted == stint.saved)
    stint.saved = .zero
    #expect(stint.granted == .zero)
  }

  @Test("what was lost and what nobody could tell stay apart")
  func losses() {
    let figures = LifeFigures(SampleLives.cut)
    #expect(figures.lost == .seconds(3))
    #expect(figures.stintsThatLost == 1)
    #expect(figures.stintsUntold == 1)
    #expect(figures.untold == .seconds(2))
    let line = figures.lines.first { $0.name == "lost" }
    #expect(line?.text == "3s in 1 stint; at least 2s in 1 stint that did not say")
  }

  @Test("costs of checkpoints leave out those that nobody measured")
  func costs() throws {
    let figures = LifeFigures(SampleLives.cut)
    #expect(figures.checkpoints == 4)
    #expect(figures.costs == [.seconds(0.2), .seconds(0.3), .seconds(0.4)])
    #expect(figures.cost == .seconds(0.9))
    #expect(figures.cost(quantile: 0.5) == .seconds(0.3))
    #expect(figures.cost(quantile: 0.99) == .seconds(0.4))
    #expect(figures.checkpointBytes == 6_000)
    #expect(figures.failedCheckpoints == 1)
  }

  @Test("reasons are counted, the most frequent first")
  func reasons() {
    let figures = LifeFigures(SampleLives.cut)
    #expect(figures.expiries == [.init(words: "the budget is used up", count: 2)])
    #expect(figures.endings.map(\.count) == [1, 1, 1, 1])
    #expect(LifeFigures(SampleLives.long(3)).endings.map(\.count) == [3])
    #expect(
      LifeFigures(SampleLives.long(3)).lines.first?.text == "3: the next chunk did not fit")
  }

  @Test("a stint that was seen past its deadline is an overrun")
  func overruns() {
    let figures = LifeFigures(SampleLives.cut)
    #expect(figures.overruns == 1)
    #expect(figures.longestOvershoot == .seconds(0.5))
  }

  @Test("what still runs is neither saved nor lost yet, and no stint at all is said")
  func open() {
    let figures = LifeFigures(SampleLives.running)
    #expect(figures.savedShare == nil)
    #expect(figures.stintsUntold == 0)
    #expect(figures.lines.first { $0.name == "lost" }?.text == "nothing")
    #expect(LifeFigures(Life()).lines.map(\.text) == ["none has begun"])
  }

  @Test("the rest is estimated from the share that is done and what stints saved so far")
  func rest() throws {
    var account = JobAccount(
      name: "a", what: "b", state: "waiting", life: SampleLives.cut, written: "now")
    account.fraction = 0.25
    account.workTime = .seconds(15)
    #expect(account.expectedRest == .seconds(45))
    #expect(account.expectedStints == 6)
    #expect(account.timeToFinish == "about 45s of work left, about 6 more stints")
    account.rest = .seconds(7)
    #expect(account.expectedRest == .seconds(7))
    account.isFinished = true
    #expect(account.expectedRest == nil)
    #expect(account.timeToFinish == "29s in stints, 44s from the first begin to the end")
  }
}

@Suite("Numbers of a report")
struct NumberTextTests {
  @Test("a share is cut, so that 100 is shown only when all of it is meant")
  func percent() {
    #expect(NumberText.percent(0.99999) == "99.9 %")
    #expect(NumberText.percent(1) == "100.0 %")
    #expect(NumberText.percent(0.29) == "29.0 %")
    #expect(NumberText.percent(.nan) == "-")
  }

  @Test("numbers are rounded to their decimals and grouped")
  func fixed() {
    #expect(NumberText.fixed(-1.005, decimals: 2) == "-1.00")
    #expect(NumberText.fixed(-0.001, decimals: 2) == "0.00")
    #expect(NumberText.fixed(1234.567, decimals: 2) == "1,234.57")
    #expect(NumberText.fixed(999.96, decimals: 1) == "1,000.0")
    #expect(NumberText.fixed(.infinity, decimals: 1) == "-")
    #expect(NumberText.grouped(-1234567) == "-1,234,567")
    #expect(NumberText.count(1, "stint") == "1 stint")
  }
}

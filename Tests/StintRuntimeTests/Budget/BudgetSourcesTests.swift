import StintCore
import Testing

@testable import StintRuntime

@Suite("The sources of a budget")
struct BudgetSourcesTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private func after(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

  @Test("E1 of three sources the earliest end wins, and its name is kept")
  func earliest() {
    let script = ScriptedSource(.at(after(7)))
    let sources = BudgetSources([FixedBudget(.seconds(9)), UntilBudget(after(8)), script])
    #expect(sources.end(ofTripSince: start) == Deadline(source: "script", instant: after(7)))
    script.say(.at(after(20)))
    #expect(sources.end(ofTripSince: start) == Deadline(source: "until", instant: after(8)))
    // The next trip begins later: --until is the same instant, and --budget another one.
    #expect(sources.end(ofTripSince: after(1))?.source == "until")
    #expect(sources.grant(ofTripSince: after(1)) == .seconds(7))
    #expect(sources.grant(ofTripSince: after(9)) == .zero, "never negative")
  }

  @Test(
    "E1 a source that sets no end leaves it to the others, and one that cannot be asked stands by its word"
  )
  func noAnswer() {
    let script = ScriptedSource(.unknown)
    let alone = BudgetSources([script])
    #expect(alone.end(ofTripSince: start) == nil)
    script.say(.at(after(3)))
    #expect(alone.end(ofTripSince: start)?.instant == after(3))
    script.say(.unknown)
    #expect(alone.end(ofTripSince: start)?.instant == after(3))
    script.say(.never)
    #expect(alone.end(ofTripSince: start) == nil)
    script.say(.unknown)
    #expect(alone.end(ofTripSince: start) == nil)
    #expect(BudgetSources([]).end(ofTripSince: start) == nil)
  }

  @Test("only a source that may change its mind is followed")
  func mayChange() {
    #expect(!BudgetSources([FixedBudget(.seconds(1)), UntilBudget(after(1))]).mayChange)
    #expect(BudgetSources([FixedBudget(.seconds(1)), ScriptedSource(.never)]).mayChange)
  }
}

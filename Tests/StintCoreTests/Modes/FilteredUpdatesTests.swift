import StintCore
import Testing

@Suite("Filtered updates")
struct FilteredUpdatesTests {
  /// Numbers, ten or more from each other.
  private func filter(accuracy: Double = .infinity, history: Int = 100) -> FilteredUpdates<Double> {
    FilteredUpdates(distance: 10, by: { abs($0 - $1) }, accuracy: accuracy, history: history)
  }

  @Test("B5 a value is kept that is far enough from the one kept last, not from the one seen last")
  func distance() {
    var updates = filter()
    #expect(updates.take(0) == .kept)
    #expect(updates.take(6) == .tooNear(6))
    #expect(updates.take(9) == .tooNear(9))
    #expect(updates.take(10) == .kept, "the distance itself is far enough")
    #expect(updates.take(1) == .tooNear(9))
    #expect(updates.take(0) == .kept)
    #expect(updates.history == [0, 10, 0])
  }

  @Test("B5 without a distance every value is kept", arguments: [0, -1])
  func everything(distance: Double) {
    var updates = FilteredUpdates<Int>(distance: distance, by: { _, _ in .nan })
    for value in 0..<5 { #expect(updates.take(value) == .kept) }
  }

  @Test("B5 a distance that is not a number is not far enough")
  func notANumber() {
    var updates = FilteredUpdates<Double>(distance: 1, by: { $0 - $1 })
    #expect(updates.take(.nan) == .kept)
    guard case .tooNear = updates.take(3) else {
      Issue.record("kept")
      return
    }
    #expect(updates.history.count == 1)
  }

  @Test("B5 the history keeps the last hundred, or as many as were asked for")
  func history() {
    var updates = filter()
    for step in 0..<250 { #expect(updates.take(Double(step * 10)) == .kept) }
    let lastHundred: [Double] = (150..<250).map { Double($0 * 10) }
    #expect(updates.history == lastHundred)
    for limit in [1, 3] {
      var updates = filter(history: limit)
      for step in 0..<5 { #expect(updates.take(Double(step * 10)) == .kept) }
      let last: [Double] = (5 - limit..<5).map { Double($0 * 10) }
      #expect(updates.history == last)
    }
  }

  @Test("B5 without a history the distance is still that from the value kept last")
  func noHistory() {
    var updates = filter(history: 0)
    #expect(updates.take(0) == .kept)
    #expect(updates.take(5) == .tooNear(5))
    #expect(updates.history == [])
  }

  @Test("B5 a value that is less accurate than was chosen is not kept, and the choice may change")
  func accuracy() {
    var updates = filter(accuracy: 5)
    #expect(updates.take(0, error: 5.5) == .tooInaccurate(5.5))
    #expect(updates.take(0, error: 5) == .kept)
    updates.accuracy = 100
    #expect(updates.take(20, error: 99) == .kept)
    #expect(updates.take(40, error: -1) == .tooInaccurate(-1), "such a value means nothing")
    guard case .tooInaccurate = updates.take(40, error: .nan) else {
      Issue.record("kept")
      return
    }
    #expect(updates.history == [0, 20])
  }

  @Test("B5 the system's accuracy bounds that of every value")
  func systemAccuracy() {
    var updates = filter(accuracy: 50)
    let reduced = ModeConditions(accuracy: 3_000)
    #expect(updates.take(0, error: 5, under: reduced) == .tooInaccurate(3_000))
    #expect(updates.take(0, error: -1, under: reduced) == .tooInaccurate(-1))
    updates.accuracy = 3_000
    #expect(updates.take(0, error: 5, under: reduced) == .kept)
  }

  @Test("B5 where the mode is not permitted no value is seen, and it goes on afterwards")
  func denied() {
    var updates = filter()
    let denied = ModeConditions(isPermitted: false)
    #expect(updates.take(0, under: denied) == .denied)
    #expect(updates.take(1) == .kept)
    #expect(updates.take(50, under: denied) == .denied)
    #expect(updates.take(10) == .tooNear(9), "what was denied moved nothing")
    #expect(updates.history == [1])
  }
}

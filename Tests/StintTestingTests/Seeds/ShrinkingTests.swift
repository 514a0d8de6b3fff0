import Testing

@testable import StintTesting

@Suite("Shrinking")
struct ShrinkingTests {
  @Test("the shortest failing list is found, wherever its steps are")
  func finds() {
    for seed: UInt64 in 0..<50 {
      var generator = SeededGenerator(seed: seed)
      let needed = Set((0..<3).map { _ in Int.random(in: 0..<60, using: &generator) })
      var tried = 0
      let found = shrunk(Array(0..<60)) { steps in
        tried += 1
        return needed.isSubset(of: steps)
      }
      #expect(Set(found) == needed && found == found.sorted(), "seed \(seed)")
      #expect(tried < 400, "seed \(seed)")
    }
  }

  @Test("no step can be left out of what is found, also where steps depend on each other")
  func isMinimal() {
    for seed: UInt64 in 0..<50 {
      var generator = SeededGenerator(seed: seed)
      let steps = (0..<40).map { _ in Int.random(in: -3...3, using: &generator) }
      // Fails when the running sum has ever come to 5.
      func fails(_ steps: [Int]) -> Bool {
        var sum = 0
        return steps.contains { step in
          sum += step
          return sum >= 5
        }
      }
      guard fails(steps) else { continue }
      let found = shrunk(steps, stillFails: fails)
      #expect(fails(found), "seed \(seed)")
      for index in found.indices {
        var less = found
        less.remove(at: index)
        #expect(!fails(less), "seed \(seed): \(found) without step \(index)")
      }
    }
  }

  @Test("what fails without any step shrinks to nothing, and attempts are bounded")
  func ends() {
    #expect(shrunk([1, 2, 3]) { _ in true } == [])
    var tried = 0
    let found = shrunk(Array(0..<1_000), attempts: 7) { steps in
      tried += 1
      return steps.count > 10
    }
    #expect(tried <= 8)
    #expect(found.count > 10)
  }
}

import StintCore
import Testing

@Suite("Shrinking a list that fails")
struct ShrunkTests {
  @Test("what is needed is kept, wherever it stands, and nothing else")
  func finds() {
    #expect(Array(0..<100).shrunk { Set([3, 50, 99]).isSubset(of: $0) } == [3, 50, 99])
    for seed: UInt64 in 0..<50 {
      var random = SplitMix64(seed: seed)
      let needed = Set((0..<3).map { _ in Int.random(in: 0..<60, using: &random) })
      var tried = 0
      let found = Array(0..<60).shrunk { steps in
        tried += 1
        return needed.isSubset(of: steps)
      }
      #expect(Set(found) == needed && found == found.sorted(), "seed \(seed)")
      #expect(tried < 400, "seed \(seed)")
    }
  }

  @Test("no step can be left out of what is found, also where steps depend on each other")
  func isMinimal() {
    var failing = 0
    for seed: UInt64 in 0..<50 {
      var random = SplitMix64(seed: seed)
      let steps = (0..<40).map { _ in Int.random(in: -3...3, using: &random) }
      // Fails when the running sum has ever come to 5.
      func fails(_ steps: [Int]) -> Bool {
        var sum = 0
        return steps.contains { step in
          sum += step
          return sum >= 5
        }
      }
      guard fails(steps) else { continue }
      failing += 1
      let found = steps.shrunk(stillFails: fails)
      #expect(fails(found), "seed \(seed)")
      for index in found.indices {
        var less = found
        less.remove(at: index)
        #expect(!fails(less), "seed \(seed): \(found) without step \(index)")
      }
    }
    #expect(failing > 10)
  }

  @Test("a long list of which one step is to blame takes few attempts")
  func isQuick() {
    for needed in [0, 1, 4_999, 5_000, 9_999] {
      var tried = 0
      let found = Array(0..<10_000).shrunk { steps in
        tried += 1
        return steps.contains(needed)
      }
      #expect(found == [needed])
      #expect(tried < 60, "\(tried) attempts for step \(needed)")
    }
  }

  @Test("what fails without any step shrinks to nothing, and attempts are bounded")
  func ends() {
    #expect([1, 2, 3].shrunk { _ in true } == [])
    #expect([1, 2, 3].shrunk { $0 == [1, 2, 3] } == [1, 2, 3])
    #expect([1, 2, 3].shrunk(attempts: 0) { _ in true } == [1, 2, 3])
    var tried = 0
    let found = Array(0..<1_000).shrunk(attempts: 7) { steps in
      tried += 1
      return steps.count > 10
    }
    #expect(tried <= 8)
    #expect(found.count > 10)
  }

  @Test("an error of the question ends the search")
  func throwsOn() {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      _ = try Array(0..<10).shrunk { steps in
        if steps.count == 5 { throw Refused() }
        return false
      }
    }
  }
}

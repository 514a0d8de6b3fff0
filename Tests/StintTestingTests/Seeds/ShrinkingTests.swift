import Testing

@testable import StintTesting

/// The search itself has its tests in StintCoreTests.
@Suite("Shrinking")
struct ShrinkingTests {
  @Test("the shortest failing list is found, wherever its steps are")
  func finds() {
    let found = shrunk(Array(0..<60)) { Set([7, 8, 59]).isSubset(of: $0) }
    #expect(found == [7, 8, 59])
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
    tried = 0
    _ = shrunk(Array(0..<1_000)) { steps in
      tried += 1
      return steps.count == 1_000
    }
    #expect(tried == 1_001, "the empty list, then a thousand others")
  }
}

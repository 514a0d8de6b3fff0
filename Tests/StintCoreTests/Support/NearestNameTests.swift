import StintCore
import Testing

@Suite("Suggestions")
struct NearestNameTests {
  @Test(
    "distances count insertions, deletions, replacements and swaps",
    arguments: [
      ("", "", 0), ("a", "", 1), ("", "abc", 3), ("budget", "buget", 1), ("budget", "budgte", 1),
      ("ca", "abc", 3), ("kitten", "sitting", 3), ("tick", "tick", 0), ("ab", "ba", 1),
    ])
  func distances(left: String, right: String, distance: Int) {
    #expect(NearestName.distance(left, right) == distance)
    #expect(NearestName.distance(right, left) == distance)
  }

  @Test("what is far from everything gets no suggestion")
  func far() {
    #expect(NearestName.find("stauts", among: ["status", "stop"]) == "status")
    #expect(NearestName.find("frobnicate", among: ["status", "stop"]) == nil)
    #expect(NearestName.find("", among: ["status"]) == nil)
    #expect(NearestName.find("x", among: []) == nil)
  }
}

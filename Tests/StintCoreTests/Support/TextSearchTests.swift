import StintCore
import Testing

@Suite("Searching texts")
struct TextSearchTests {
  @Test(
    "a part is found wherever it stands",
    arguments: [
      ("", "", true), ("a", "", true), ("", "a", false), ("abc", "abc", true),
      ("abc", "c", true), ("abc", "cb", false), ("aab", "ab", true), ("ab", "abc", false),
      ("Größe", "öß", true),
    ])
  func holds(text: String, part: String, isThere: Bool) {
    #expect(text.holds(part) == isThere)
  }

  @Test("characters are replaced by texts, and the replacements are left alone")
  func escaped() {
    #expect("a\\\tb".escaped(["\\": "\\\\", "\t": "\\t"]) == "a\\\\\\tb")
  }
}

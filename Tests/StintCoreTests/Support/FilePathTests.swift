import StintCore
import Testing

@Suite("Paths")
struct FilePathTests {
  private let composed: FilePath = "/in/caf\u{e9}"
  private let decomposed: FilePath = "/in/cafe\u{301}"

  @Test("two spellings that look the same are two files")
  func bytes() {
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, "/in/caf\u{e9}"]).count == 2)
    #expect([composed: 1, decomposed: 2][decomposed] == 2)
    #expect(composed > decomposed && !(composed < decomposed))
  }

  @Test("a slash is one, whatever follows it")
  func slashes() {
    let path: FilePath = "/\u{301}a/\u{301}b"
    #expect(path.isAbsolute)
    #expect(path.folder == "/\u{301}a")
    #expect(path.name == "\u{301}b")
    #expect(path.parts == ["\u{301}a", "\u{301}b"])
  }

  @Test("folder, name and parts of a path")
  func parts() {
    #expect(FilePath("/a/b").folder == "/a")
    #expect(FilePath("/a").folder == "/")
    #expect(FilePath("a").folder == nil)
    #expect(FilePath("a").name == "a")
    #expect(FilePath("a/").name.isEmpty && FilePath("a/").endsWithSlash)
    #expect(FilePath("//a///").withoutLastSlashes == "//a")
    #expect(FilePath("///").withoutLastSlashes == "/")
    #expect(FilePath("/a").appending("b") == "/a/b")
    #expect(FilePath("/").appending("b") == "/b")
    #expect(FilePath("b").from("/a") == "/a/b")
    #expect(FilePath("/b").from("/a") == "/b")
  }

  @Test("what lies within a folder")
  func within() {
    #expect(FilePath("/a/b").isWithin("/a"))
    #expect(FilePath("/a").isWithin("/a"))
    #expect(FilePath("/a").isWithin("/"))
    #expect(!FilePath("/ab").isWithin("/a"))
    #expect(!FilePath("/a").isWithin("/a/b"))
  }
}

@Suite("Control characters")
struct ControlCharacterTests {
  @Test(
    "a terminal is given none",
    arguments: [
      ("plain \u{e9}\u{1f680}", "plain \u{e9}\u{1f680}"), ("", ""),
      ("x\u{1b}]0;PWN\u{7}.png", "x\\x1b]0;PWN\\x07.png"), ("a\r\nb\tc", "a\\r\\nb\\tc"),
      ("\u{9b}31m\u{7f}", "\\x9b31m\\x7f"), ("a\u{202e}gnp.exe", "a\\u{202e}gnp.exe"),
      ("a\u{61c}b", "a\\u{61c}b"),
    ])
  func escapes(text: String, shown: String) {
    #expect(text.showingControlCharacters == shown)
  }
}

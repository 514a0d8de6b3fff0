#if Images
import StintTesting
import Testing

@testable import StintImages

@Suite("XMP that is changed")
struct XMPEditorTests {
  /// Turns upright, and removes what begins with `x:`.
  private func edited(_ text: String) -> String? {
    XMPEditor.edited(Array(text.utf8)) { name in
      name == "tiff:Orientation" ? .value("1") : name.hasPrefix("x:") ? .removed : .none
    }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "attributes and elements are changed where they stand",
    arguments: [
      ("<a tiff:Orientation='6'/>", "<a tiff:Orientation='1'/>"),
      ("<a tiff:Orientation = \"06\" b='>'>c</a>", "<a tiff:Orientation = \"1\"  b='>'>c</a>"),
      // No room for a value.
      ("<a tiff:Orientation='' b=''/>", "<a                     b=''/>"),
      ("<tiff:Orientation>6</tiff:Orientation>", "<tiff:Orientation>1</tiff:Orientation>"),
      ("<tiff:Orientation/>", "<tiff:Orientation/>"),
      (
        "<a><x:b c='</x:b>'><x:b/>7<!--</x:b>--></x:b>d</a>",
        "<a>\(String(repeating: " ", count: 42))d</a>"
      ),
      ("<a x:b='7'/><x:b/>", "<a        />      "),
      (
        "<?xpacket?><![CDATA[<x:b>]]><!-- <x:b> --><a/>",
        "<?xpacket?><![CDATA[<x:b>]]><!-- <x:b> --><a/>"
      ),
      ("no XML", "no XML"),
    ])
  func changed(before: String, after: String) {
    #expect(edited(before) == after)
  }

  @Test(
    "what is not well formed is not changed by guesses",
    arguments: [
      "<a>", "</a>", "<a b></a>", "<a b=c/>", "<a b='c/>", "<a", "<", "<!DOCTYPE a><a/>", "<!-- ",
      "<a/>\0", "<x:b>",
    ])
  func malformed(text: String) { #expect(edited(text) == nil) }

  @Test("C8 no bytes make it trap, and their number stays")
  func hostile() {
    var generator = SeededGenerator(seed: 3)
    let whole = Array("<a x:c='1' tiff:Orientation='6'><x:b>7</x:b><!-- c --><?d?></a>".utf8)
    for _ in 0..<5_000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[Int.random(in: bytes.indices, using: &generator)] =
          Array("<>/='\" !?-:x".utf8).randomElement(using: &generator) ?? 0
      }
      let text = String(
        decoding: bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)), as: UTF8.self)
      if let changed = edited(text) { #expect(changed.utf8.count == text.utf8.count) }
    }
  }
}
#endif

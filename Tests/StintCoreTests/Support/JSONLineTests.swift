import StintCore
import Testing

@Suite("Lines of JSON")
struct JSONLineTests {
  @Test("every control character is an escape, nothing else is, and all of it reads back")
  func controlCharacters() throws {
    for value in UInt32(0)..<0x3000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a\(Character(scalar))b"
      var line = JSONLine()
      line.add("t", text)
      let isPlain = line.object == "{\"t\":\"\(text)\"}"
      let isMark = scalar == "\"" || scalar == "\\"
      #expect(isPlain == (!isMark && text.showingControlCharacters == text), "U+\(value)")
      #expect(try JSONObject(Array(line.object.utf8)).text("t") == text)
    }
    #expect(JSONLine.quoted("\u{7f}\u{9b}\u{202e}") == #""\u007f\u009b\u202e""#)
  }
}

import StintCore
import Testing

/// A text that was read in one piece.
private struct WholeText {
  var text: BatchText
  var lines: [BatchText.Line]
  var faults: [BatchText.Fault] { text.faults }

  init(_ bytes: [UInt8], pieces: Int = .max, form: BatchText.Form = .words) {
    text = BatchText(form: form)
    lines = []
    var rest = bytes[...]
    while !rest.isEmpty {
      lines += text.read(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
    }
    if let line = text.finish() { lines.append(line) }
  }
}

@Suite("Text of a batch")
struct BatchTextTests {
  @Test("blank lines and comments are passed over and counted, with any ends of lines")
  func lines() {
    let text = WholeText(Array("\u{FEFF}a 1\r\n\n# no\n  b '2 3'\nc".utf8))
    #expect(text.faults == [])
    #expect(text.lines.map(\.number) == [1, 4, 5])
    #expect(text.lines.map(\.words) == [["a", "1"], ["b", "2 3"], ["c"]])
    #expect(WholeText([]).lines.isEmpty)
    #expect(WholeText(Array("\n\n".utf8)).lines.isEmpty)
  }

  @Test("a text that comes in pieces of any size has the same lines")
  func pieces() {
    let bytes = Array("\u{FEFF}a 1\r\n\n# no\n  b '2 3'\nc é".utf8)
    for size in 1...bytes.count {
      let text = WholeText(bytes, pieces: size)
      #expect(text.lines.map(\.words) == [["a", "1"], ["b", "2 3"], ["c", "é"]], "\(size)")
      #expect(text.lines.map(\.number) == [1, 4, 5])
    }
  }

  @Test("a script is one word, whatever a shell makes of it")
  func scripts() {
    let text = WholeText(Array("a | b 'c\n # no\n\n  x >y # z\n".utf8), form: .script)
    #expect(text.faults == [])
    #expect(text.lines.map(\.words) == [["a | b 'c"], ["  x >y # z"]])
  }

  @Test("every line that is wrong is told with its number, and the others are read")
  func faults() {
    var bytes = Array("a\nb |\n\nc '\n".utf8)
    bytes += [UInt8(ascii: "d"), 0xff, UInt8(ascii: "\n"), UInt8(ascii: "e"), 0]
    let text = WholeText(bytes)
    #expect(text.lines.map(\.words) == [["a"]])
    #expect(text.faults.map(\.line) == [2, 4, 5, 6])
    let told = text.faults.map(\.description)
    #expect(told[0].hasPrefix("line 2: column 3: | joins"))
    #expect(told[2].contains("UTF-8"))
    #expect(told[3].contains("NUL"))
  }

  @Test("a text that is too long to be kept is refused as a whole, unread")
  func tooLong() {
    let most = BatchText.Limits.fileBytes
    let text = WholeText([UInt8](repeating: UInt8(ascii: "\n"), count: most + 1))
    #expect(text.lines.isEmpty)
    #expect(text.faults.count == 1)
    #expect(text.faults.first?.line == nil)
    #expect(text.faults.first?.description.contains("\(most) bytes") == true)
  }

  @Test("faults that are found later stand in the order of the lines, and only so many are told")
  func order() {
    var text = WholeText(Array("a\nb\nc >".utf8))
    text.text.add(1, "one")
    text.text.add(2, "two")
    #expect(text.faults.map(\.line) == [1, 2, 3])
    for number in 4...60 { text.text.add(number, "more") }
    #expect(text.faults.count == BatchText.Limits.faults)
    #expect(text.text.faultCount == 60)
  }

  @Test("what is longer than the limits is refused, and what just fits is not")
  func limits() {
    let most = BatchText.Limits.lineBytes
    let fits = [UInt8](repeating: UInt8(ascii: "a"), count: most)
    #expect(WholeText(fits + [UInt8(ascii: "\n")]).lines.count == 1)
    #expect(WholeText(fits + fits).faults.first?.reason.contains("\(most)") == true)
    let jobs = Array(String(repeating: "a\n", count: BatchText.Limits.jobs).utf8)
    #expect(WholeText(jobs).faults == [])
    #expect(WholeText(jobs + Array("a".utf8)).faults.first?.reason.contains("split") == true)
  }
}

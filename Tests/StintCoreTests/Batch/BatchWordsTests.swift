import StintCore
import Testing

@Suite("Words of a batch's line")
struct BatchWordsTests {
  @Test(
    "quotes and backslashes mean what they mean in a shell",
    arguments: [
      ("", []), ("   \t ", []), ("# all of it", []), ("a b\tc", ["a", "b", "c"]),
      ("a # b", ["a"]), ("a#b #c", ["a#b"]), ("''", [""]), (#"a"" """#, ["a", ""]),
      ("'a b' \"c d\"", ["a b", "c d"]), ("a'b'\"c\"d", ["abcd"]), (##"a\ b \#c"##, ["a b", "#c"]),
      (#"'a\b'"#, [#"a\b"#]), (#""a\b\\\"\$\`""#, [#"a\b\"$`"#]), (#"\'\"\\"#, [#"'"\"#]),
      ("'it'\\''s'", ["it's"]), ("'$HOME' '*' '|'", ["$HOME", "*", "|"]), ("a~b", ["a~b"]),
      ("naïve 日本", ["naïve", "日本"]), ("a=b {x,y} !", ["a=b", "{x,y}", "!"]),
      ("'e\u{301}'", ["e\u{301}"]), ("'\"' \"'\"", ["\"", "'"]),
    ] as [(String, [String])])
  func words(line: String, words: [String]) throws {
    #expect(try BatchWords.split(line[...]) == words)
  }

  @Test(
    "what a shell would expand, redirect or join is refused, with its column",
    arguments: [
      ("a > b", 3, "redirects"), ("a <b", 3, "redirects"), ("a|b", 2, "joins"),
      ("a; b", 2, "joins"), ("a &", 3, "joins"), ("(a)", 1, "groups"), ("a $B", 3, "expanded"),
      ("a `b`", 3, "expanded"), ("a \"$B\"", 4, "expanded"), ("*.png", 1, "names of files"),
      ("a?", 2, "names of files"), ("[a]", 1, "names of files"), ("~/a", 1, "expanded"),
      ("a 'b", 3, "not closed"), ("a \"b", 3, "not closed"), ("\"a\\", 1, "not closed"),
      ("a \\", 3, "ends the line"),
    ])
  func refused(line: String, column: Int, reason: String) {
    do throws(BatchWords.Fault) {
      let words = try BatchWords.split(line[...])
      Issue.record("\(line) has the words \(words)")
    } catch {
      #expect(error.column == column, "\(line): \(error)")
      #expect(error.reason.contains(reason), "\(line): \(error)")
    }
  }

  @Test("any words come back when they are quoted, and a quoted line has no others")
  func quoted() throws {
    var random = SplitMix64(seed: 0x6261_7463_68)
    let alphabet = Array("ab '\"\\$`#|&;<>()*?[]~{}=!\té日\u{301}".unicodeScalars)
    for _ in 0..<2_000 {
      let words = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        String(
          String.UnicodeScalarView(
            (0..<Int.random(in: 0...6, using: &random)).map { _ in
              alphabet[Int.random(in: alphabet.indices, using: &random)]
            }))
      }
      let line = words.map { word in
        // By scalars: a quote and a combining mark after it are one character.
        "'" + word.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
      }.joined(separator: " ")
      let read = try BatchWords.split(line[...])
      #expect(
        read.map { Array($0.unicodeScalars) } == words.map { Array($0.unicodeScalars) },
        "seed 0x6261746368: \(line)")
    }
  }

  @Test("a long line of one kind of character takes time in proportion to its length")
  func long() throws {
    let line = String(repeating: "\\\\", count: 30_000)
    #expect(try BatchWords.split(line[...]) == [String(repeating: "\\", count: 30_000)])
  }
}

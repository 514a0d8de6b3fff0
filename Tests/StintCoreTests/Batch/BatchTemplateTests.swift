import StintCore
import Testing

@Suite("Templates of a batch")
struct BatchTemplateTests {
  private static func words(
    _ text: String, _ values: String..., number: Int = 1, isShell: Bool = false
  ) throws -> [String] {
    try BatchTemplate(text, isShell: isShell, lists: values.count).words(values, number: number)
  }

  private static func refusal(_ text: String, isShell: Bool = false, lists: Int = 1) -> String {
    do throws(BatchTemplate.Fault) {
      _ = try BatchTemplate(text, isShell: isShell, lists: lists)
      Issue.record("accepted: \(text)")
      return ""
    } catch {
      return (error.isOfScript ? "script: " : "") + error.reason
    }
  }

  @Test("a placeholder is a value, or a part of its path")
  func forms() throws {
    let all = "{} {.} {/} {//} {/.} {#}"
    #expect(
      try Self.words(all, "a/b.c/d.tar.gz", number: 7)
        == ["a/b.c/d.tar.gz", "a/b.c/d.tar", "d.tar.gz", "a/b.c", "d.tar", "7"])
    #expect(try Self.words(all, "a.b/c") == ["a.b/c", "a.b/c", "c", "a.b", "c", "1"])
    #expect(try Self.words(all, "/top") == ["/top", "/top", "top", "/", "top", "1"])
    // What begins with a point is a name and no extension.
    #expect(
      try Self.words(all, ".hidden") == [".hidden", ".hidden", ".hidden", ".", ".hidden", "1"])
    #expect(try Self.words(all, "") == ["", "", "", ".", "", "1"])
    #expect(try Self.words("a{}b{}c", "-") == ["a-b-c"])
  }

  @Test("values of several lists are called by the numbers of the lists")
  func lists() throws {
    #expect(try Self.words("{2} {1/.} {2//} {}", "a/b.c", "d/e") == ["d/e", "b", "d", "a/b.c d/e"])
    #expect(Self.refusal("{3}", lists: 2).contains("list 3"))
    #expect(Self.refusal("{99999999999}").contains("list"))
  }

  @Test("other braces stay, and a template without a placeholder gets one at its end")
  func plain() throws {
    #expect(
      try Self.words("awk '{print $1}' {}", "f") == ["awk", "{print $1}", "f"])
    #expect(try Self.words("a {x} {0} { } {", "f") == ["a", "{x}", "{0}", "{", "}", "{", "f"])
    #expect(try Self.words("gzip", "f g") == ["gzip", "f g"])
    #expect(try Self.words("echo {#}", "f", number: 3) == ["echo", "3"])
    #expect(Self.refusal("a | b {}").contains("column 3"))
    #expect(Self.refusal(" # no").contains("empty"))
  }

  @Test("a value is one word, whatever is in it")
  func values() throws {
    for value in ["a b", "'", "\"", "$(x)", "*", "\n", "{}", "{2}", "-x", "", "\\"] {
      #expect(try Self.words("echo {} x{}", value) == ["echo", value, "x" + value])
    }
  }

  @Test("a placeholder in the script of a shell is refused")
  func scripts() throws {
    for text in ["sh -c 'echo {}'", "env A=1 /bin/bash -lc 'x {1}' y", "timeout 5 dash -ec '{/}'"] {
      let told = Self.refusal(text)
      #expect(told.hasPrefix("script: ") && told.contains("$1"), "\(text): \(told)")
    }
    #expect(
      try Self.words("sh -c 'echo \"$1\"' sh {}", "a") == ["sh", "-c", "echo \"$1\"", "sh", "a"])
    #expect(try Self.words("gcc -c {}", "a.c") == ["gcc", "-c", "a.c"])
  }

  @Test("a shell gets the values as arguments, in quotes that fit where they stand")
  func shell() throws {
    func script(_ text: String) throws -> String {
      try Self.words(text, "v", "w", isShell: true)[2]
    }
    #expect(
      try Self.words("cat {1} | wc >{1.}.n; echo {2} {1}", "a.b", "c", isShell: true)
        == [
          "sh", "-c", "cat \"${1}\" | wc >\"${2}\".n; echo \"${3}\" \"${1}\"", "sh", "a.b", "a",
          "c",
        ])
    #expect(try script("echo \"x {1}\"") == "echo \"x ${1}\"")
    #expect(try script("echo 'x {1}'") == "echo 'x '\"${1}\"''")
    #expect(try script("echo \"$(basename {1})\"") == "echo \"$(basename \"${1}\")\"")
    #expect(try script("a (b \"c\" {1}) \\' {2}") == "a (b \"c\" \"${1}\") \\' \"${2}\"")
    #expect(try script("wc") == "wc \"${1}\"")
    #expect(Self.refusal("echo `basename {}`", isShell: true).contains("$(...)"))
    #expect(Self.refusal("cat <<E\n{}\nE", isShell: true).contains("<<"))
    #expect(Self.refusal("echo \\{}", isShell: true).contains("backslash"))
  }

  @Test("lists make every combination, and those that belong together make pairs")
  func combinations() {
    var values = BatchValues()
    #expect(values.count == 0)
    values.add(PackedTexts(["a", "b"]))
    values.add(PackedTexts(["1", "2", "3"]))
    #expect(values.count == 6 && values.lists == 2)
    #expect((0..<6).map { values[$0].joined() } == ["a1", "a2", "a3", "b1", "b2", "b3"])
    values.add(PackedTexts(["x", "y"]), isLinked: true)
    #expect(values.count == 4 && values.lists == 3)
    #expect((0..<4).map { values[$0].joined() } == ["a1x", "a2y", "b1x", "b2y"])
    values.add(PackedTexts([String]()))
    #expect(values.count == 0)
    var many = BatchValues()
    for _ in 0..<80 { many.add(PackedTexts(["0", "1"])) }
    #expect(many.count == .max)
  }

  @Test("texts that are packed come back as they were")
  func packed() {
    let texts = ["", "a", "é€", "", "a\nb", String(repeating: "x", count: 1000)]
    let packed = PackedTexts(texts)
    #expect(packed.count == texts.count)
    #expect(texts.indices.map { packed[$0] } == texts)
  }
}

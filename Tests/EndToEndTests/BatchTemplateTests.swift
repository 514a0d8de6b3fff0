import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Templates and their values, lines that are commands, and lines for a shell.
  @Suite("Templates and commands of batches")
  struct BatchTemplateTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static let parallel = "/usr/bin/parallel"
    /// Another program of this name is in moreutils.
    static let hasParallel =
      FileManager.default.contents(atPath: parallel)
      .map { String(decoding: $0, as: UTF8.self).contains("GNU Parallel") } ?? false

    // MARK: Values

    @Test(
      "no value is split, expanded, or taken for an option or a placeholder",
      arguments: [false, true])
    func values(isShell: Bool) async throws {
      let values = [
        "a b", " a  b ", "it's", "say \"hi\"", "a\nb", "a\tb", "-n", "--help", "$(touch made)",
        "`touch made`", "; touch made", "$HOME", "*", "~", "\\", "\\n", "#", "{}", "{1}", "{#}",
        "\u{e9}\u{1f600}", "",
      ]
      let run = try await scratch.start(
        ["batch", "--keep-order"] + (isShell ? ["--shell"] : [])
          + ["--template", "printf '<%s>' {} x{}y", ":::"] + values
      ).wait().expectExit(0)
      #expect(run.text == values.map { "<\($0)><x\($0)y>" }.joined())
      #expect(!scratch.exists("made"))
    }

    @Test("a value may have 100,000 bytes", arguments: [false, true])
    func largeValue(isShell: Bool) async throws {
      let value = String(repeating: "x y'\"", count: 20_000)
      let run = try await scratch.start(
        ["batch", "--quiet"] + (isShell ? ["--shell"] : [])
          + ["--template", "printf '<%s>' {}", ":::", value]
      ).wait().expectExit(0)
      #expect(run.output.count == 100_002)
      #expect(run.text == "<\(value)>")
    }

    @Test("a shell gets a placeholder's value between quotes of any kind")
    func quotedPlaceholders() async throws {
      let value = "a 'b' \"c\" $d `e` \\"
      let run = try await scratch.stint(
        "batch", "--shell", "--template", "printf '%s|' {} \"{}\" '{}' \"it's {}\" '\"{}\"'", ":::",
        value
      ).expectExit(0)
      let parts = [value, value, value, "it's " + value, "\"" + value + "\""]
      #expect(run.text == parts.map { $0 + "|" }.joined())
    }

    @Test("what follows ::: is a value, even if it looks like an option")
    func optionsAfterValues() async throws {
      let run = try await scratch.stint(
        "batch", "--keep-order", "--template", "printf '<%s>\\n' {}", ":::", "--shell", "-j", "2"
      ).expectExit(0)
      #expect(run.text == "<--shell>\n<-j>\n<2>\n")
    }

    @Test("values that are not UTF-8 are refused, and nothing is started")
    func notUTF8() async throws {
      try await scratch.shell(
        "printf 'made\\na\\377\\n' | \"$STINT\" batch - --template 'touch {}'"
      ).expectExit(64, saying: "UTF-8")
      #expect(!scratch.exists("made"))
    }

    @Test("equal values run once, or as often as they are there", arguments: [false, true])
    func duplicates(areKept: Bool) async throws {
      try scratch.write("echo \"$1\" >>ran", to: "job")
      try await scratch.start(
        ["batch", "-j", "1"] + (areKept ? ["--keep-duplicates"] : [])
          + ["--template", "sh job {}", ":::", "a", "b", "a"]
      ).wait().expectExit(0)
      #expect(scratch.text("ran") == "a\nb\n" + (areKept ? "a\n" : ""))
    }

    @Test("the same command runs nothing twice")
    func again() async throws {
      try scratch.write("echo \"$1\" >>ran; test \"$1\" != b || test -e ok", to: "job")
      let words = ["batch", "-j", "1", "--template", "sh job {}", ":::", "a", "b", "c"]
      try await scratch.start(words).wait().expectExit(1)
      #expect(scratch.text("ran") == "a\nb\nc\n")
      try scratch.write("", to: "ok")
      try await scratch.start(words).wait().expectExit(0)
      #expect(scratch.text("ran") == "a\nb\nc\nb\n")
      try await scratch.start(words).wait().expectExit(0)
      #expect(scratch.text("ran") == "a\nb\nc\nb\n")
    }

    // MARK: Templates

    @Test("a template without a placeholder gets the value as its last word")
    func noPlaceholder() async throws {
      let run = try await scratch.stint(
        "batch", "--template", "printf '<%s>'", ":::", "a b"
      ).expectExit(0)
      #expect(run.text == "<a b>")
    }

    @Test("other braces stay")
    func otherBraces() async throws {
      let run = try await scratch.stint(
        "batch", "--template", "printf '%s\\n' {a} {b,c} '{ }' x{}", ":::", "v"
      ).expectExit(0)
      #expect(run.text == "{a}\n{b,c}\n{ }\nxv\n")
    }

    @Test("{} of several lists is one word with all values")
    func severalInOne() async throws {
      let run = try await scratch.stint(
        "batch", "--keep-order", "--template", "printf '<%s>\\n' {}", ":::", "a", "b", ":::", "c d"
      ).expectExit(0)
      #expect(run.text == "<a c d>\n<b c d>\n")
    }

    @Test(
      "several lists are combined as GNU parallel does",
      .enabled(if: hasParallel, "it needs GNU parallel"),
      arguments: [
        "::: a b ::: c d", "::: a b c :::+ 1 2", "::: a b :::+ 1 2 ::: X Y",
        "::: a b ::: c d :::+ e f g", ":::: abc ::: 1 2", "::: 1 2 :::: abc", "::: 1 2 ::::+ abc",
        "::: a b :::+ 1 2 ::: X Y :::+ 3 4 ::: last",
      ])
    func likeParallel(lists: String) async throws {
      try scratch.write("A\nB C\nD\n", to: "abc")
      let template = "'echo {1}-{2} {} {#}'"
      let own = try await scratch.shell(
        "\"$STINT\" batch --keep-order --tag --template \(template) \(lists)"
      ).expectExit(0)
      let other = try await scratch.shell(
        "\(Self.parallel) --will-cite --keep-order --tag \(template) \(lists)"
      ).expectExit(0)
      #expect(own.text == other.text)
    }

    @Test(
      "a placeholder in the script of a shell is refused, and what to write is said",
      arguments: [
        "sh -c 'touch made; echo {}'", "bash -c 'touch made; echo {1}'",
        "dash -c \"touch made; echo {.}\"", "/bin/sh -c 'touch made; echo {/}'",
      ])
    func placeholderInScript(template: String) async throws {
      try await scratch.stint("batch", "--template", template, ":::", "a")
        .expectExit(64, saying: "--shell", "$1")
      #expect(!scratch.exists("made"))
    }

    @Test("the script of a shell may take the value as its argument")
    func scriptWithArgument() async throws {
      let run = try await scratch.stint(
        "batch", "--template", "sh -c 'printf \"%s|\" \"$1\" | tr a-z A-Z' sh {}", ":::", "it's $x"
      ).expectExit(0)
      #expect(run.text == "IT'S $X|")
    }

    @Test(
      "a wrong command line is 64, and nothing is started",
      arguments: [
        ["--template", "touch made {2}", ":::", "a"],
        ["--template", "touch made {3}", ":::", "a", ":::", "b"],
        ["--template", "touch made {}", "--retry-more-time", "2", ":::", "a"],
        ["--template", "touch made {}", "--halt", "later,fail=1", ":::", "a"],
        ["--template", "touch made {}", "--joblog", "log", "--joblog-format", "xml", ":::", "a"],
        ["--template", "touch made {}", "--memory-free", "much", ":::", "a"],
        ["--template", "touch 'made {}", ":::", "a"],
      ])
    func wrong(words: [String]) async throws {
      try await scratch.start(["batch"] + words).wait().expectExit(64)
      #expect(!scratch.exists("made"))
    }

    // MARK: Lines

    @Test("a line may be a command as it is: a program in PATH, or the path of one")
    func commands() async throws {
      try scratch.write("#!/bin/sh\necho \"own $1\"\n", to: "own")
      chmod(scratch("own"), 0o755)
      try scratch.write(
        """
        echo one
        ./own two
        \(scratch("own")) 'three  3'
        exec -- echo four
        stint exec -- echo five
        run fibonacci 10 -o ten
        # a comment

        printf '%s\\n' -o 'six'
        """, to: "lines")
      let run = try await scratch.stint("batch", "lines", "--keep-order").expectExit(0)
      #expect(run.text == "one\nown two\nown three  3\nfour\nfive\n-o\nsix\n")
      #expect(scratch.text("ten") == "55\n")
    }

    @Test(
      "a word that is neither a kind nor a program is refused with the nearest kind",
      arguments: [("fibonaci 10 -o f", "fibonacci"), ("imgae a b", "image"), ("exce true", "exec")])
    func unknownWord(line: String, kind: String) async throws {
      try scratch.write("touch made\n\(line)\n", to: "lines")
      try await scratch.stint("batch", "lines").expectExit(64, saying: "Line 2", kind)
      try await scratch.start(["batch", "--template", line, ":::", "a"]).wait()
        .expectExit(64, saying: kind)
      #expect(!scratch.exists("made"))
    }

    @Test("a file that cannot be executed is no command")
    func notExecutable() async throws {
      try scratch.write("#!/bin/sh\necho run\n", to: "own")
      try scratch.write("touch made\n./own\n", to: "lines")
      try await scratch.stint("batch", "lines").expectExit(64, saying: "Line 2")
      #expect(!scratch.exists("made"))
    }

    @Test("with --shell each line is run by a shell, but for blank lines and comments")
    func shellLines() async throws {
      try scratch.write(
        """
        echo a | tr a b

        # not (a) line
        echo $((1 + 2)) >sum; cat <sum
        for i in 1 2; do echo "$i"; done
        """, to: "lines")
      let run = try await scratch.stint("batch", "lines", "--shell", "--keep-order").expectExit(0)
      #expect(run.text == "b\n3\n1\n2\n")
    }

    @Test("--tag of lines without a template begins the output with the line")
    func taggedLines() async throws {
      try scratch.write("printf 'a\\nb\\n'\necho 'c  d'\n", to: "lines")
      let run = try await scratch.stint("batch", "lines", "--tag", "--keep-order").expectExit(0)
      let tags = ["printf 'a\\nb\\n'", "echo 'c  d'"]
      #expect(run.text == "\(tags[0])\ta\n\(tags[0])\tb\n\(tags[1])\tc  d\n")
    }
  }
}

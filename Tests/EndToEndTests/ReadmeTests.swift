import Foundation
import Testing

extension EndToEnd {
  @Suite("README")
  struct ReadmeTests {
    /// A line of the README that is meant to be pasted, and what it prints by the README.
    struct Example: CustomTestStringConvertible {
      var command: String
      var printed: String
      var testDescription: String { command }
    }

    /// The examples: what follows a dollar sign, and the line below it.
    static var examples: [Example] {
      let page = Programs.root + "/README.md"
      let text = (try? String(contentsOfFile: page, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return zip(lines, lines.dropFirst()).compactMap { line, next in
        guard line.hasPrefix("    $ ") else { return nil }
        return Example(
          command: String(line.dropFirst(6)),
          printed: next.trimmingCharacters(in: .whitespaces))
      }
    }

    @Test("the README has an example of each kind of work")
    func kinds() {
      for words in ["run fibonacci", "run image", "exec", "batch"] {
        #expect(Self.examples.contains { $0.command.contains("stint \(words)") }, "\(words)")
      }
    }

    @Test("what the README says to paste works and prints what it says", arguments: Self.examples)
    func pasted(example: Example) async throws {
      let scratch = try Scratch()
      try Picture.write(to: "in.tif", in: scratch, width: 300, height: 200)
      // A debug build takes many seconds for the README's number, and this is not about speed.
      let command = example.command.replacing(
        "1000000000 --budget 3s", with: "320000000 --budget 1s")
      var run: FinishedProcess
      var tries = 0
      repeat {
        run = try await scratch.shell(
          "stint() { \"$STINT\" \"$@\"; }; \(command)", atMost: .seconds(120))
        tries += 1
        // On a busy machine the kernel may end a run at its deadline, which loses nothing.
      } while run.text == "137\n" && tries < 5
      #expect(run.text == example.printed + "\n", "\(run.errors)")
    }
  }
}

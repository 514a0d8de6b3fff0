import StintCommands
import StintCore
import Testing

@Suite("Sentences")
struct SentenceTests {
  @Test(
    "what stands alone begins with a capital and ends with a full stop; paths, keys and options stay as they are",
    arguments: [
      ("cannot open /x: No such file", "Cannot open /x: No such file."),
      ("the job is in use", "The job is in use."), ("It is.", "It is."), ("Is it?", "Is it?"),
      ("/a/b is gone", "/a/b is gone."), ("job.json is gone", "job.json is gone."),
      ("fibonacci-1f0c is in use", "fibonacci-1f0c is in use."), ("--rest is", "--rest is."),
      ("", ""), ("no", "No."), ("übrig", "übrig."),
      ("cannot open x\u{1b}[2J\n", "Cannot open x\\x1b[2J\\n."),
      ("two faults:\n  Line 1\n  Line 2.", "Two faults:\n  Line 1\n  Line 2."),
    ])
  func sentences(text: String, sentence: String) {
    #expect(Sentence.of(text) == sentence)
  }

  @Test("a failure says what to type where its library says what to do")
  func remedies() {
    let gone = StintError(.damaged, "job.json is gone", remedies: ["put it back", .startOver])
    #expect("\(gone)" == "job.json is gone; put it back, or start over")
    #expect(Sentence.of(gone) == "job.json is gone; put it back, or start over with --fresh.")
    let wrong = StintError(.checkFailed, "A check failed.", remedies: [.startOver])
    #expect("\(wrong)" == "A check failed; start over.")
    #expect(Sentence.of(wrong.about("/a")) == "/a: A check failed; start over with --fresh.")
    let unknown = StintError(.usage, "Did you mean it?", remedies: [.startOver])
    #expect("\(unknown)" == "Did you mean it? Start over.")
    #expect(Sentence.of(StintError(.io, "it failed")) == "It failed.")
    #expect(
      Notice("two are there", remedies: [.anotherPage]).typed.hasSuffix("; --page chooses another"))
  }
}

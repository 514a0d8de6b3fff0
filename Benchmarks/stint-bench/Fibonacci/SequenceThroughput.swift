import Foundation
import StintCore

/// How fast the lines of a sequence go through a pipe, beside a file that holds them.
struct SequenceThroughput {
  let options: BenchOptions
  let directory: String

  private var last: Int { options.quick ? 2_000 : 100_000 }
  private var rounds: Int { options.quick ? 1 : 5 }

  /// Writes the sequence through a pipe to `cat`, and the same file by `cat`.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`, or `checkFailed` if the lines differ
  ///   from one run to the next.
  func figures() throws -> [Figure] {
    let stint = try ChildProcess.sibling("stint")
    let file = directory + "/lines"
    let words = [stint, "run", "fibonacci", "--sequence", "0..\(last)", "--quiet"]
    // The words stay words: the shell only connects the two programs.
    func piped(_ words: [String], to sink: String) throws -> Double {
      let run = try CommandRun(
        ProgramCommand(program: "sh", arguments: ["-c", "\"$@\" | cat > \"$0\"", sink] + words),
        logs: directory)
      try run.expectSuccess()
      return run.seconds
    }
    Console.say("F(0) to F(\(last)), a line each ...")
    _ = try piped(words, to: file)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let times = try Interleaving.run([words, ["cat", file]], rounds: rounds) {
      try piped($0, to: "/dev/null")
    }
    guard let own = times[words], let cat = times[["cat", file]] else { return [] }
    let (ownMedian, catMedian) = (Sample(own).median, Sample(cat).median)
    return [
      Figure(
        "sequencePipeRatio", "F(0) to F(\(last)) through a pipe, over cat with a file", .ratio,
        ownMedian / catMedian, gate: options.quick ? nil : 2,
        note: String(
          format: "medians of %d: %.3f s beside %.3f s", rounds, ownMedian, catMedian))
    ]
  }
}

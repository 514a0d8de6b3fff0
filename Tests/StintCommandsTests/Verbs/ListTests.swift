import Foundation
import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("stint list on a terminal, and a part of the list")
struct ListTests {
  let fixture = VerbFixture()

  private func list(
    columns: Int, unicode: Bool = true, in context: VerbContext? = nil
  ) throws -> [String] {
    let terminal = TerminalState.make(
      isTerminal: true, isForeground: true, columns: columns,
      environment: ["TERM": "xterm", "LANG": unicode ? "C.UTF-8" : "C"])
    let context = try context ?? fixture.context("list")
    return try ListCommand(context: context, terminal: terminal).run()
      .output.split(separator: "\n").map(String.init)
  }

  @Test("no line is wider than the terminal, at any width, with wide and odd characters")
  func widths() throws {
    try fixture.waitingJob(1, output: fixture.path + "/" + String(repeating: "日本", count: 40))
    let odd = "/a\u{1B}[2Jb\n" + String(repeating: "x", count: 90)
    try fixture.waitingJob(2, output: fixture.path + odd)
    try fixture.finishedJob(3)
    let now = try fixture.context("list")
    let full = try ListCommand(context: now).run().output.split(separator: "\n").map(String.init)
    for columns in 1...260 {
      for unicode in [true, false] {
        let lines = try list(columns: columns, unicode: unicode, in: now)
        #expect(lines.count == 4, "\(columns)")
        #expect(
          lines.allSatisfy { CellWidth.of($0) <= columns && !$0.contains("\u{1B}") },
          "\(columns): \(lines)")
        #expect(unicode || lines.allSatisfy { !$0.contains("…") })
      }
    }
    #expect(try list(columns: 1_000, in: now) == full)
  }

  @Test("a path is cut in the middle, its end stays, and the job and its state stay longest")
  func cut() throws {
    let name = "the-name-of-the-result.txt"
    let folders = String(repeating: "folder/", count: 20)
    try fixture.waitingJob(1, output: "\(fixture.path)/\(folders)/\(name)")
    let lines = try list(columns: 120)
    #expect(lines[1].contains("fibonacci 1 > /"))
    #expect(lines[1].contains("…"))
    #expect(lines[1].hasSuffix(name))
    #expect(CellWidth.of(lines[1]) == 120)
    let narrow = try list(columns: 60)
    #expect(narrow[0].contains("WHAT") && !narrow[0].contains("STINTS"), "\(narrow)")
    #expect(try list(columns: 20)[0] == "JOB       STATE")
  }

  @Test("texts are cut at their end or in their middle, never above a width")
  func shortening() {
    let unicode = Shortening(LineStyle(unicode: true))
    #expect(unicode.end("abcdef", to: 6) == "abcdef")
    #expect(unicode.end("abcdef", to: 4) == "abc…")
    #expect(unicode.middle("abcdefghi", to: 7) == "ab…fghi")
    #expect(unicode.end("日本語", to: 4) == "日…")
    let plain = Shortening(LineStyle())
    #expect(plain.end("abcdef", to: 5) == "ab...")
    #expect(plain.end("abcdef", to: 2) == "ab")
    #expect(plain.middle("abcdefghijkl", to: 9) == "ab...ijkl")
    for width in 0...12 {
      for text in ["日本語日本語", "a\u{7}b\nc日e\u{301}f", "abcdefghijklmnop"] {
        for style in [unicode, plain] {
          #expect(CellWidth.of(style.end(text, to: width)) <= width)
          #expect(CellWidth.of(style.middle(text, to: width)) <= width)
        }
      }
    }
  }

  @Test("--state and --kind take several words, with commas or given again, and JSON obeys them")
  func parts() throws {
    let waiting = try fixture.waitingJob(1)
    let finished = try fixture.finishedJob(2)
    let damaged = try fixture.waitingJob(3)
    try "{".write(
      toFile: fixture.jobsPath + "/\(damaged)/job.json", atomically: false, encoding: .utf8)
    func keys(_ words: String...) throws -> Set<String> {
      let result = try ListCommand(context: fixture.context(["list", "--json"] + words)).run()
      return Set(try VerbFixture.objects(result.output).compactMap { $0["job"] as? String })
    }
    #expect(try keys("--state", "waiting") == [waiting])
    #expect(try keys("--state", "waiting,finished") == [waiting, finished])
    #expect(try keys("--state", "FINISHED", "--state", "damaged") == [finished, damaged])
    #expect(try keys("--kind", "fibonacci") == [waiting, finished, damaged])
    #expect(try keys("--kind", "exec,batch") == [])
    #expect(try keys("--kind", "fibonacci", "--state", "failed") == [])
    let none = try fixture.list("--state", "paused")
    #expect(none.output == "")
    #expect(none.messages.first?.contains("there are 3") == true)
    #expect(none.exitStatus == 0)
  }

  @Test("--since looks back from now, and what runs is always there")
  func since() throws {
    let old = try fixture.waitingJob(1)
    let running = try fixture.job(2)
    fixture.begin(running)
    try fixture.commit(running, fraction: 0.5)
    func keys(_ time: String, later: Duration) throws -> Set<String?> {
      var context = try fixture.context(["list", "--json", "--since", time])
      context = try context.later(by: later)
      let result = try ListCommand(context: context).run()
      return Set(try VerbFixture.objects(result.output).map { $0["job"] as? String })
    }
    #expect(try keys("1h", later: .zero) == [old, running.key])
    #expect(try keys("2d", later: .seconds(86_400)) == [old, running.key])
    #expect(try keys("2h", later: .seconds(86_400)) == [running.key])
    // The clock was set back since.
    #expect(try keys("0s", later: .seconds(-3_600)) == [old, running.key])
  }

  @Test("a word that is none is refused with the nearest, and a time that is none with its reason")
  func wrong() throws {
    try fixture.waitingJob(1)
    expectError(.usage, saying: "\"runing\" is unknown", "Did you mean running?") {
      try fixture.list("--state", "runing")
    }
    expectError(.usage, saying: "Did you mean batch?") { try fixture.list("--kind", "bacth") }
    expectError(.usage, saying: "\"\" is unknown") { try fixture.list("--state", "failed,") }
    expectError(.usage, saying: "unit") { try fixture.list("--since", "3") }
    expectError(.usage, saying: "--since") { try fixture.list("--since", "yesterday") }
  }
}

extension VerbContext {
  /// The same command line at another time.
  fileprivate func later(by time: Duration) throws -> VerbContext {
    var surroundings = surroundings
    surroundings.wallTime = WallTime(
      nanosecondsSince1970: surroundings.wallTime.nanosecondsSince1970 + time.nanoseconds,
      calendar: .fixed(secondsFromUTC: 0))
    return try VerbContext(parsed, in: surroundings, kinds: kinds)
  }
}

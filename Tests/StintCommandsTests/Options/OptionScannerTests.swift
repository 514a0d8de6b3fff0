import Glibc
import StintCommands
import StintCore
import Testing

@Suite("Scanning options")
struct OptionScannerTests {
  static let options = [
    OptionSpecification("budget", letter: "b", argument: "TIME", group: .time, help: ""),
    OptionSpecification("bulk", group: .work, help: ""),
    OptionSpecification("json", letter: "j", group: .display, help: ""),
    OptionSpecification(
      "jobs-dir", argument: "DIR", environment: "STINT_JOBS", group: .jobs, help: ""),
    OptionSpecification(
      "patience", argument: "TIME", group: .time, isArgumentOptional: true, help: ""),
  ]

  func scan(_ words: String..., stopsAtOperand: Bool = false) throws -> ParsedOptions {
    try OptionScanner.scan(words, options: Self.options, stopsAtOperand: stopsAtOperand)
  }

  @Test("options and operands may be mixed, in every spelling of getopt")
  func spellings() throws {
    let parsed = try scan("a", "--budget=1s", "-j", "b", "--", "--budget", "-x")
    #expect(parsed.operands == ["a", "b", "--budget", "-x"])
    #expect(parsed.text("budget") == "1s")
    #expect(parsed.has("json"))
    #expect(!parsed.has("bulk"))
    #expect(try scan("-b1s").text("budget") == "1s")
    #expect(try scan("-jb", "1s").text("budget") == "1s")
    #expect(try scan("--budg", "1s").text("budget") == "1s")
    #expect(try scan("--budget", "-1s").text("budget") == "-1s")
    #expect(try scan("--patience=1s").text("patience") == "1s")
    #expect(try scan("--patience", "1s").text("patience") == "")
    #expect(try scan("-").operands == ["-"])
    #expect(try scan().operands.isEmpty)
  }

  @Test("a verb that runs a command leaves the command's options alone")
  func stopsAtOperand() throws {
    let parsed = try scan("-j", "make", "--bulk", "-x", stopsAtOperand: true)
    #expect(parsed.operands == ["make", "--bulk", "-x"])
    #expect(!parsed.has("bulk"))
  }

  @Test("names that are not UTF-8 are refused, but for the words of a command")
  func notText() throws {
    let word = String(decoding: [0x61, 0xff] as [UInt8], as: UTF8.self)
    expectError(.usage, saying: "is not UTF-8") { try scan(word) }
    #expect(throws: StintError.self) { try scan("--budget", word) }
    #expect(throws: StintError.self) { try scan("--budget", word, "make", stopsAtOperand: true) }
    #expect(try scan("make", word, stopsAtOperand: true).operands.count == 2)
  }

  @Test("C8 a long word of unknown letters is refused without a copy of it for each letter")
  func longCluster() async {
    await #expect(processExitsWith: .success) {
      func peakKilobytes() -> Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss
      }
      // Once before, so that what any refusal needs is there already.
      _ = try? OptionScanner.scan(["-xx"], options: Self.options)
      let before = peakKilobytes()
      let word = "-" + String(repeating: "x", count: 20_000)
      #expect(throws: StintError.self) { try OptionScanner.scan([word], options: Self.options) }
      // A copy for each letter would be 400 MB.
      exit(peakKilobytes() - before < 100_000 ? 0 : 1)
    }
  }

  @Test(
    "what cannot be understood is refused with the next step",
    arguments: [
      (["--buget", "1s"], "Unknown option --buget; did you mean --budget?"),
      (["--buget=1s"], "Unknown option --buget; did you mean --budget?"),
      (["--qqqqqqq"], "Unknown option --qqqqqqq; see --help."),
      (["--bu"], "--bu is ambiguous; it could be --budget, --bulk."),
      (["-x"], "Unknown option -x in \"-x\"; see --help."),
      (["-jx"], "Unknown option -x in \"-jx\"; see --help."),
      (["-5"], "-5 is negative; nothing here can be less than zero."),
      (["--budget"], "--budget needs an argument: write --budget TIME."),
      (["-jb"], "-jb needs an argument: write --budget TIME."),
      (["--json=yes"], "--json takes no argument; \"--json=yes\" gives it one."),
      (["--budget="], "--budget is empty; write --budget TIME."),
      (["--budget", ""], "--budget is empty; write --budget TIME."),
      (["--patience="], "--patience is empty; write --patience[=TIME]."),
      (
        ["-b1s", "--budget", "2s"],
        "--budget is given twice, as \"1s\" and \"2s\"; give it once."
      ),
    ])
  func refusals(words: [String], sentence: String) {
    #expect(throws: StintError(.usage, sentence)) {
      try OptionScanner.scan(words, options: Self.options)
    }
  }

  @Test("an option given twice with the same argument is no mistake")
  func sameTwice() throws {
    #expect(try scan("-b1s", "--budget=1s", "-jj").text("budget") == "1s")
  }

  @Test("a variable stands in for an option, and the option wins")
  func environment() throws {
    func directory(_ words: [String], _ variable: String) throws -> ParsedOptions.Value? {
      try OptionScanner.scan(words, options: Self.options, environment: ["STINT_JOBS": variable])
        .value("jobs-dir")
    }
    #expect(try directory([], "/j")?.source == "$STINT_JOBS")
    #expect(try directory([], "") == nil)
    #expect(try directory(["--jobs-dir", "/k"], "/j")?.text == "/k")
  }

  @Test("scans on many threads do not disturb each other")
  func parallel() async throws {
    let results = await withTaskGroup(of: [String]?.self) { group in
      for index in 0..<200 {
        group.addTask {
          try? OptionScanner.scan(
            ["a\(index)", "--budget", "\(index)s", "-j", "z"], options: Self.options
          ).operands
        }
      }
      return await group.reduce(into: [[String]?]()) { $0.append($1) }
    }
    #expect(Set(results).count == 200)
    #expect(!results.contains(nil))
  }

  @Test("words of any bytes are read or refused, never crash", arguments: 1...20)
  func anyWords(seed: UInt64) {
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    let pieces = ["-", "--", "=", "b", "budget", "json", "é", "\u{0}", " ", "1s", "x", "j", ""]
    for _ in 0..<200 {
      let words = (0..<next(6)).map { _ in
        (0..<next(5)).map { _ in pieces[next(pieces.count)] }.joined()
      }
      do {
        let parsed = try OptionScanner.scan(words, options: Self.options)
        #expect(parsed.operands.count <= words.count, "seed \(seed)")
      } catch let error as StintError {
        #expect(error.code == .usage, "seed \(seed): \(words)")
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}

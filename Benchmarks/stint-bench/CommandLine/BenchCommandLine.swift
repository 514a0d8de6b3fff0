import StintCommands
import StintCore

/// What a command line asks for.
enum BenchCommandLine {
  case help(VerbSpecification?)
  case version
  case hardStop(BenchOptions)
  case micro(BenchOptions)
  case image(ImageOptions)
  case exec(BenchOptions)
  case fibonacci(FibonacciOptions)
  case run(ScenarioOptions)
  case selfCheck(SelfCheckVerb)
  case compare(String, String)
  case list
  case report(PageVerb)

  /// Reads the words after the program's name.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(arguments: [String]) throws {
    guard let first = arguments.first else {
      throw StintError(
        .usage,
        "Give a verb: run, selfcheck, compare, list, report, hard-stop, micro, image, exec or "
          + "fibonacci; see stint-bench help.")
    }
    switch first {
    case "help", "--help", "-h":
      self = .help(try arguments.dropFirst().first.map(Self.verb))
    case "version", "--version", "-V":
      self = .version
    default:
      let verb = try Self.verb(first)
      let parsed = try OptionScanner.scan(Array(arguments.dropFirst()), options: verb.options)
      if parsed.has("help") {
        self = .help(verb)
        return
      }
      if verb.name == BenchVerbs.image.name {
        self = .image(try ImageOptions(parsed))
        return
      }
      if verb.name == BenchVerbs.run.name {
        self = .run(try ScenarioOptions(parsed))
        return
      }
      if verb.name == BenchVerbs.compare.name {
        guard parsed.operands.count == 2 else {
          throw StintError(.usage, "compare takes two reports: stint-bench compare A.json B.json.")
        }
        self = .compare(parsed.operands[0], parsed.operands[1])
        return
      }
      if verb.name == BenchVerbs.report.name {
        self = .report(try PageVerb(parsed))
        return
      }
      if let operand = parsed.operands.first {
        throw StintError(.usage, "\(verb.name) takes no operand; \"\(operand)\" is one.")
      }
      if verb.name == BenchVerbs.fibonacci.name {
        self = .fibonacci(try FibonacciOptions(parsed))
        return
      }
      if verb.name == BenchVerbs.list.name {
        self = .list
        return
      }
      if verb.name == BenchVerbs.selfCheck.name {
        self = .selfCheck(try SelfCheckVerb(parsed))
        return
      }
      let options = try BenchOptions(parsed)
      switch verb.name {
      case BenchVerbs.micro.name: self = .micro(options)
      case BenchVerbs.exec.name: self = .exec(options)
      default: self = .hardStop(options)
      }
    }
  }

  private static func verb(_ word: String) throws -> VerbSpecification {
    if let verb = BenchVerbs.all.first(where: { $0.name == word }) { return verb }
    let names = BenchVerbs.all.map(\.name)
    let advice = NearestName.find(word, among: names).map { " Did you mean \($0)?" } ?? ""
    throw StintError(
      .usage, "Unknown verb \"\(word.prefix(60))\".\(advice) See stint-bench help.")
  }
}

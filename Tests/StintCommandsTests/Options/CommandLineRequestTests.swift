import StintCore
import StintFibonacci
import Testing

@testable import StintCommands

@Suite("Verbs")
struct CommandLineRequestTests {
  static let specifications =
    VerbTable.all.map(\.specification) + [KindTable.stint.pageOfRun]
    + KindTable.stint.formsOfRun.map(\.specification)

  /// What is asked for; the verbs that say the same as an option ask for that.
  func request(_ arguments: String...) throws -> CommandLineRequest {
    switch try CommandLineRequest(arguments: arguments, environment: [:]) {
    case .verb(.help, let parsed):
      .help(try CommandLineRequest.subject(ofHelp: parsed.operands))
    case .verb(.version, let parsed):
      .version(json: parsed.has("json"))
    case let request:
      request
    }
  }

  @Test("help is reached in every usual way")
  func help() throws {
    let run = KindTable.stint.pageOfRun
    #expect(try request("help") == .help(nil))
    #expect(try request("--help") == .help(nil))
    #expect(try request("-h") == .help(nil))
    #expect(try request("help", "run") == .help(run))
    #expect(try request("run", "--help") == .help(run))
    #expect(try request("run", "fibonacci", "x", "-h") == .help(run))
    #expect(try request("--help", "run") == .help(run))
  }

  @Test("the version is reached in every usual way")
  func version() throws {
    #expect(try request("--version") == .version(json: false))
    #expect(try request("-V") == .version(json: false))
    #expect(try request("version", "--json") == .version(json: true))
    #expect(try request("--version", "--json") == .version(json: true))
  }

  @Test("every verb of the table is found by its name, once")
  func verbs() {
    for verb in VerbTable.all { #expect(VerbTable.verb(verb.name) == verb) }
    #expect(Set(VerbTable.all.map(\.name)).count == VerbTable.all.count)
  }

  @Test("no verb has an option or a letter twice, and each is explained")
  func options() {
    for verb in Self.specifications {
      let letters = verb.options.compactMap(\.letter)
      #expect(Set(verb.options.map(\.name)).count == verb.options.count)
      #expect(Set(letters).count == letters.count)
      for option in verb.options {
        #expect(!option.help.isEmpty && !option.help.hasSuffix("."), "\(option.name)")
      }
    }
  }

  @Test("an option of several forms takes an argument in all of them, or in none")
  func formsAgree() {
    var takesArgument: [String: Bool] = [:]
    for option in KindTable.stint.formsOfRun.flatMap(\.specification.options) {
      let takes = option.argument != nil
      #expect(takesArgument.updateValue(takes, forKey: option.name) ?? takes == takes)
    }
  }

  @Test("the names that help lists are those that exist")
  func listedNames() throws {
    let run = KindTable.stint.pageOfRun
    func help(_ name: String) throws -> String {
      try #require(run.options.first { $0.name == name }).help
    }
    let policies = SystemPolicy.presets.map(\.name).joined(separator: ", ")
    #expect(try help("policy") == "Use the time limits of a known system: " + policies)
    let formats = FibonacciFormat.allCases.map(\.rawValue).joined(separator: ", ")
    #expect(try help("format") == "Form of the number: " + formats + " (default decimal)")
  }

  @Test("run takes the form that its first operand asks for, wherever options stand")
  func forms() throws {
    #expect(try request("run", "image", "--help") == .help(KindForm.image.specification))
    #expect(try request("help", "run", "image") == .help(KindForm.image.specification))
    for words in [
      ["run", "image", "a.png", "b.png", "--filter", "invert"],
      ["run", "--budget", "2s", "image", "a.png", "b.png"],
      ["run", "--filter", "invert", "--filter", "sepia", "image", "a.png", "b.png"],
    ] {
      let (verb, parsed) = try CommandLine.parsed(words)
      #expect(verb.name == "run image")
      #expect(parsed.operands == ["image", "a.png", "b.png"])
    }
    #expect(try CommandLine.parsed(["run", "fibonacci", "image"]).verb.name == "run")
    #expect(
      CommandLine.refusal(["run", "image", "a", "b", "--sequence", "1..2"])?.message
        == "Unknown option --sequence; see --help.")
    #expect(CommandLine.refusal(["run", "fibonacci", "5", "--filter", "invert"]) != nil)
  }

  @Test("an option that may be given more than once keeps every argument in order")
  func repeated() throws {
    let parsed = try CommandLine.parsed([
      "run", "image", "a", "b", "--filter", "invert", "--filter", "sepia", "--filter", "invert",
      "--page", "1",
    ]).options
    #expect(parsed.texts("filter") == ["invert", "sepia", "invert"])
    #expect(parsed.texts("page") == [])
    #expect(
      CommandLine.refusal(["run", "image", "a", "b", "--page", "1", "--page", "2"])?.message
        .contains("given twice") == true)
  }

  @Test("--dry-run of clean is not that of run")
  func dryRuns() throws {
    let clean = Verb.clean.specification
    #expect(HelpText.render(clean, width: 80).contains("Only list what would be removed"))
    #expect(!HelpText.render(clean, width: 80).contains("Work:"))
  }

  @Test(
    "what is no request is refused",
    arguments: [
      ([], "Say what to do"), ([""], "Unknown verb"), (["stauts"], "did you mean status?"),
      (["frobnicate"], "stint help lists"), (["status"], "JOB is missing"),
      (["status", "a", "b"], "one JOB too many"), (["status", ""], "is empty"),
      (["list", "x"], "one argument too many; only options go here"),
      (["help", "stauts"], "did you mean status?"),
      (["help", "run", "list"], "one verb too many"), (["--json", "list"], "The verb comes first"),
      (["--bogus"], "Unknown option --bogus"), (["list", "--budget", "1s"], "Unknown option"),
      (["clean", ""], "is empty"), (["--version", "x"], "one argument too many"),
    ] as [([String], String)])
  func refused(arguments: [String], part: String) {
    let error = CommandLine.refusal(arguments)
    #expect(error?.code == .usage)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "accepted")")
  }

  @Test("help fits the width and names every option", arguments: [0, 50, 60, 80, 100, 500])
  func helpWidth(width: Int) {
    let limit = min(max(width, 50), 100)
    for verb in Self.specifications {
      let text = HelpText.render(verb, width: width)
      for option in verb.options { #expect(text.contains(option.spelling)) }
      for status in verb.exitStatuses { #expect(text.contains(status.status)) }
      let rest = text.split(separator: "\n").filter { line in
        // What is to be copied is never broken.
        !verb.examples.contains { line.contains($0.command) }
          && !verb.usage.contains { line.contains($0) }
      }
      for line in rest where line.contains("  ") || !line.contains(verb.summary) {
        #expect(line.count <= limit, "\(line)")
      }
    }
    for line in HelpText.renderOverview(width: width).split(separator: "\n").dropFirst() {
      #expect(line.count <= limit, "\(line)")
    }
  }
}

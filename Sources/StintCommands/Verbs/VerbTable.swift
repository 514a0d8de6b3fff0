package enum VerbTable {
  /// All verbs, in the order in which help lists them.
  package static let all: [Verb] = [
    .run, .exec, .batch, .submit, .wake, .serve, .list, .status, .watch, .log, .pause, .resume,
    .stop, .verify, .report, .clean, .simulate, .doctor, .help, .version,
  ]

  /// Verbs that Stint itself runs elsewhere, and that no help lists.
  private static let ofItsOwn: [Verb] = [.link, .lockProbe, .items]

  /// The verb of a name, or nil.
  package static func verb(_ name: String) -> Verb? {
    (all + ofItsOwn).first { $0.name == name }
  }
}

extension Verb {
  /// `stint run`: begins work of a kind, or goes on with it.
  static let run = Verb(
    VerbSpecification(
      "run", summary: "Run a computation; run it again to continue where it stopped",
      usage: ["run KIND [OPTIONS]"], operands: .own, options: [])
  ) { invocation in
    let kind = try invocation.program.kinds.kind(
      askedForBy: invocation.parsed, in: invocation.launch.surroundings)
    try kind.runner.begin(invocation.parsed, invocation.launch)
  }

  static let exec = Verb(.exec) { ExecProgram.main(launchedAt: $0.launch.start.launchedAt) }

  static let help = Verb(
    VerbSpecification(
      "help", summary: "Explain a verb", usage: ["help [VERB]"], operands: .any("VERB"), options: []
    )
  ) { invocation in
    let verb = try CommandLineRequest.subject(
      ofHelp: invocation.parsed.operands, kinds: invocation.program.kinds)
    try invocation.program.show(helpOf: verb, invocation.launch)
  }

  static let version = Verb(
    VerbSpecification(
      "version", summary: "Show the version", usage: ["version [OPTIONS]"], operands: .none,
      options: [OptionTable.json])
  ) { invocation in
    try StandardOutput().write(invocation.program.version(invocation.parsed.has("json")))
  }
}

extension KindTable {
  /// The page of help of `run`: the form that has no page of its own in full, and a line for each
  /// of the others.
  var pageOfRun: VerbSpecification {
    var page = formsOfRun.first { !$0.hasPage }?.specification ?? Verb.run.specification
    page.usage += formsOfRun.filter(\.hasPage).map {
      "run \($0.word) \($0.operands) [OPTIONS] (see stint \($0.specification.name) --help)"
    }
    return page
  }
}

extension HelpText {
  package static func renderOverview(width: Int) -> String {
    let width = min(max(width, 50), 100)
    var lines = ["Usage: stint VERB [ARGUMENTS] [OPTIONS]", ""]
    lines += wrapped(
      "Finishes long computations in short time slices, called stints, and loses nothing when "
        + "the time runs out.", width: width)
    lines += ["", "Verbs:"]
    lines += table(VerbTable.all.map { ($0.name, $0.specification.summary) }, width: width) + [""]
    lines += wrapped(
      "stint help VERB explains a verb, stint --version shows the version. Times are written "
        + "as 250ms, 30s, 3m or 1h30m.", width: width)
    return lines.joined(separator: "\n") + "\n"
  }
}

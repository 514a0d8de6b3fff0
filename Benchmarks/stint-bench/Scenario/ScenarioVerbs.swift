import StintCommands
import StintCore

extension BenchVerb {
  /// What decides the draws, for every verb that lives scenarios.
  static let drawOptions = [
    OptionSpecification(
      "seed", argument: "NUMBER", group: .work, help: "Decides everything (default 1)"),
    OptionSpecification(
      "repeats", argument: "COUNT", group: .work,
      help: "How often, each time with other draws (default 5)"),
    OptionSpecification(
      "trips", argument: "COUNT", group: .work,
      help: "Budgets in each repeat, instead of the scenario's own number"),
  ]

  static let run = BenchVerb(
    specification: VerbSpecification(
      "run",
      summary: "How much of a budget ends up as saved work, by strategy, in virtual time or real",
      usage: ["run [SCENARIO...] [OPTIONS]", "run SCENARIO... --real [OPTIONS]"], operands: .own,
      options: RealOptions.specifications + [
        OptionSpecification(
          "check", group: .work, help: "Exit with 1 if a goal is missed")
      ] + drawOptions + [
        OptionSpecification(
          "samples", argument: "COUNT", group: .display,
          help: "Trips of each life that the JSON shows (default 6)"),
        OptionSpecification(
          "json", argument: "FILE", group: .display, help: "Write the report as JSON, for programs"),
        OptionSpecification(
          "csv", argument: "FILE", group: .display, help: "Write a line for each repeat"),
        OptionSpecification("quiet", group: .display, help: "Write no tables"),
      ] + pageOptions,
      examples: [
        .init(
          command: "stint-bench run --check", meaning: "all that ship, what a release must pass"),
        .init(
          command: "stint-bench run fixed-5s mine.json --repeats 20 --json report.json",
          meaning: "one that ships and one of your own"),
        .init(
          command: "stint-bench run fixed-30s-fine --real --grants 3",
          meaning: "real processes, a real disk, killed at each deadline; a minute and a half"),
        .init(
          command: "stint-bench run --quiet --html report.html --trace lives.json",
          meaning: "a page with plots, and the sample lives for Perfetto"),
      ],
      exitStatuses: [
        ExitStatusHelp.done, ExitStatusHelp(status: "1", meaning: "with --check: a goal is missed"),
        .usage,
        ExitStatusHelp(
          status: "69",
          meaning: "with --real --check: others used the processors; or a command failed"),
      ])
  ) { parsed in
    try ScenarioBenchmark(options: ScenarioOptions(parsed)).run() ? 0 : missed
  }

  static let compare = BenchVerb(
    specification: VerbSpecification(
      "compare",
      summary: "Two reports of run side by side, with what is more than chance",
      usage: ["compare A.json B.json"], operands: .own, options: [],
      examples: [
        .init(
          command: "stint-bench compare before.json after.json",
          meaning: "what a change of a rule did")
      ],
      exitStatuses: [
        .done, .usage,
        ExitStatusHelp(status: "65", meaning: "a file is no report of stint-bench run"),
        ExitStatusHelp(status: "74", meaning: "a file cannot be read"),
      ])
  ) { parsed in
    guard parsed.operands.count == 2 else {
      throw StintError(.usage, "compare takes two reports: stint-bench compare A.json B.json.")
    }
    try ScenarioBenchmark.compare(parsed.operands[0], parsed.operands[1])
    return 0
  }

  static let list = BenchVerb(
    specification: VerbSpecification(
      "list", summary: "The scenarios that ship", usage: ["list"], operands: .none, options: [],
      exitStatuses: [.done])
  ) { parsed in
    try ScenarioBenchmark.list()
    return 0
  }
}

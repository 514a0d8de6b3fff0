import StintCommands
import StintCore
import StintReport
import StintScenarios

/// `stint-bench report FILE`: makes a page or a trace of a report that `run` has written.
struct PageVerb: Hashable {
  var file: String
  var html: String?
  var trace: String?

  /// Reads what was given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    guard let file = parsed.operands.first, parsed.operands.count == 1 else {
      throw StintError(
        .usage, "report takes one file: stint-bench report RESULTS.json --html FILE.")
    }
    self.file = file
    html = parsed.text("html")
    trace = parsed.text("trace")
    guard html != nil || trace != nil else {
      throw StintError(.usage, "report needs --html FILE, --trace FILE or both.")
    }
    guard html != trace else {
      throw StintError(
        .usage, "--html and --trace both name \(html ?? ""); give each its own file.")
    }
  }

  /// Writes what was asked for.
  func run() throws {
    try Self.write(try ScenarioFile.report(file), html: html, trace: trace)
  }

  /// Writes the page and the trace of a report, each where a path is given.
  static func write(_ report: ScenarioReport, html: String?, trace: String?) throws {
    if let html { try Document(BenchPage(report).html).write(to: html) }
    if let trace { try Document(TraceFile(report.tracks).json).write(to: trace) }
  }
}

extension BenchVerb {
  /// The options of a page and a trace, for every verb that can write them.
  static let pageOptions = [
    OptionSpecification(
      "html", argument: "FILE", group: .display,
      help: "Write a page with plots, whole in itself; an older file is replaced"),
    OptionSpecification(
      "trace", argument: "FILE", group: .display,
      help: "Write the sample lives for Perfetto, in Chrome's trace-event format"),
  ]

  static let report = BenchVerb(
    specification: VerbSpecification(
      "report", summary: "A page with plots, or a trace, of what run has written as JSON",
      usage: ["report RESULTS.json [OPTIONS]"], operands: .own, options: pageOptions,
      examples: [
        .init(
          command: "stint-bench report results.json --html report.html",
          meaning: "one page for any browser; it needs nothing else")
      ],
      exitStatuses: [
        .done, .usage,
        ExitStatusHelp(status: "65", meaning: "the file is no report of stint-bench run"),
        ExitStatusHelp(status: "73, 74", meaning: "a file cannot be created, read or written"),
      ])
  ) { parsed in
    try PageVerb(parsed).run()
    return 0
  }
}

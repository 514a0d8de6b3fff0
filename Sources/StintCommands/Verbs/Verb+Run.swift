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

extension Verb {
  /// `stint run`: begins work of a kind, or goes on with it.
  static let run = Verb(runSpecification) { invocation in
    let kind = try invocation.program.kinds.kind(askedForBy: invocation.parsed)
    try kind.runner.begin(invocation.parsed, invocation.launch)
  }

  /// The page of help of `run`: one form in full, and a line for each of the others.
  private static var runSpecification: VerbSpecification {
    var specification = KindForm.fibonacci.specification
    specification.usage += KindTable.stint.formsOfRun.filter(\.hasPage).map {
      "run \($0.word) \($0.operands) [OPTIONS], which stint \($0.specification.name) --help explains"
    }
    return specification
  }
}

extension Verb {
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

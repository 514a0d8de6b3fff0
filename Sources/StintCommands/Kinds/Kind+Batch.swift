import StintRuntime

extension Kind {
  /// Many jobs, one a line of a file.
  static let batch = Kind(
    name: "batch",
    runner: .itsVerb { record in
      "a batch; run it again where it was run: cd \(record.parameters["directory"] ?? "/") && "
        + "stint \(words(record.parameters))"
    }, canBeCut: true,
    noAccount: "a batch keeps the account of its lines in a log of its own; each line that is a "
      + "job has its own report"
  ) { words($0) }

  private static func words(_ parameters: [String: String]) -> String {
    "batch "
      + (parameters["template"].map { "--template \(ShellWord.quoted($0))" }
        ?? parameters["file"] ?? "?") + (parameters["name"].map { " --name \($0)" } ?? "")
      + shardWords(parameters)
  }
}

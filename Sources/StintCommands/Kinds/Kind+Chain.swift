import StintRuntime

extension Kind {
  /// Work that was submitted, slice after slice.
  static let chain = Kind(
    name: ChainJob.kind,
    runner: .itsVerb { record in
      "a chain of slices; submit it again: cd \(record.parameters["directory"] ?? "/") && "
        + "stint submit \(shards(record.parameters))-- \(record.parameters["command"] ?? "WORDS")"
    }, output: .itsOwn, keepsCheckpoints: false,
    noAccount: "the work of a chain is done by a job of its own, which has its report"
  ) { parameters in "submit \(parameters["command"] ?? "?")" + shardWords(parameters) }

  private static func shards(_ parameters: [String: String]) -> String {
    Shard(parameters).map { "--shards \($0.count) " } ?? ""
  }

  /// An array of chains, one for each line of a file.
  static let chainArray = Kind(
    name: ChainArray.kind,
    runner: .itsVerb { record in
      "an array of chains; submit it again: cd \(record.parameters["directory"] ?? "/") && "
        + "stint submit --array \(record.parameters["file"].map(ShellWord.quoted) ?? "FILE")"
    }, output: .itsOwn, keepsCheckpoints: false,
    noAccount: "each line of an array is a chain, whose work has its report"
  ) { parameters in "submit --array \(parameters["file"] ?? "?")" }
}

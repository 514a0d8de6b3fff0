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
}

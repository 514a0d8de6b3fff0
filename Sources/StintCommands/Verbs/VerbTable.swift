package enum VerbTable {
  /// All verbs, in the order in which help lists them.
  package static let all: [Verb] = [
    .run, .exec, .batch, .submit, .list, .status, .watch, .pause, .resume, .stop, .verify, .report,
    .clean, .doctor, .help, .version,
  ]

  /// Verbs that Stint itself runs elsewhere, and that no help lists.
  private static let ofItsOwn: [Verb] = [.link, .lockProbe, .items]

  /// The verb of a name, or nil.
  package static func verb(_ name: String) -> Verb? {
    (all + ofItsOwn).first { $0.name == name }
  }
}

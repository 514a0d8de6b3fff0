/// The verbs of `stint`.
package enum VerbTable {
  /// All verbs, in the order in which help lists them.
  package static let all: [Verb] = [
    .run, .exec, .batch, .list, .status, .watch, .pause, .resume, .stop, .verify, .report, .clean,
    .doctor, .help, .version,
  ]

  /// The verb of a name, or nil.
  package static func verb(_ name: String) -> Verb? {
    all.first { $0.name == name }
  }
}

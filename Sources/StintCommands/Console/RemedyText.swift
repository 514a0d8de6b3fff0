package import StintCore

/// What to type for a remedy: only the command line knows its options.
enum RemedyText {
  static let typed: [Remedy: String] = [
    .startOver: "start over with --fresh",
    .removeJob: "start over with --fresh, which removes the job's files",
    .anotherJobsDirectory: "choose another place with --jobs-dir",
    .moreRoom: "choose another --jobs-dir and another place for the output",
    .replaceOutput: "replace it with --force",
    .anotherName: "give another --name",
    .keyOfEachTask: "if each task has work of its own, add --key-env SLURM_ARRAY_TASK_ID",
    .nameOutput: "name a file with --output",
    .fewerThreads: "use fewer --threads",
    .anotherPage: "--page chooses another",
    .background: "give --background COLOUR to replace the transparency",
    .withoutQuality: "leave --quality out",
    .withoutTiles: "leave --tile out",
    .nameFormat: "name one of them with --format",
    .removeOrphans: "--delete-orphans removes them",
    .acceptDamage: "--damaged warn takes what can be decoded",
    .numberResults: "number them with --on-collision number",
    .trust("jxl"): "add --trust jxl if you trust such files",
    .trust("jp2"): "add --trust jp2 if you trust such files",
    .trust("ppm"): "add --trust ppm if you trust such files",
    .trust("size"): "add --trust size if you trust such files",
    .listFilters: "--list-filters shows all of them",
  ]

  static func of(_ remedy: Remedy) -> String { typed[remedy] ?? remedy.description }
}

extension StintError {
  /// The message, and what to type; a clause, as the message is.
  package var typed: String { Remedy.text(message, remedies, RemedyText.of) }
}

extension Notice {
  /// The message, and what to type.
  package var typed: String { Remedy.text(message, remedies, RemedyText.of) }
}

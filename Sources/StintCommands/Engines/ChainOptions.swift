import StintCore
import StintRuntime

/// The options of a chain that a command line gives, or a line of an array of chains.
enum ChainOptions {
  /// Slurm takes no more tasks for one array than this, whatever its settings say.
  private static let mostLinks = 4_000_000

  /// The most slices.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  static func links(_ parsed: ParsedOptions) throws -> Int? {
    try parsed.integer("links", in: 1...mostLinks)
  }

  static func time(_ parsed: ParsedOptions) throws -> SlurmTime? {
    try parsed.text("time").map { try SlurmTime($0, of: "--time") }
  }

  /// The words for `sbatch` that options ask for; the user's own come last.
  static func words(_ parsed: ParsedOptions) throws -> [String] {
    var words: [String] = []
    if let time = try time(parsed) { words.append("--time=" + time.text) }
    if let name = parsed.text("job-name") {
      guard !name.isEmpty, !name.contains(where: \.isNewline) else {
        throw StintError(.usage, "--job-name is to be one line that is not empty.")
      }
      words.append("--job-name=" + name)
    }
    if let who = parsed.text("mail") {
      words += ["--mail-user=" + who, "--mail-type=END,FAIL"]
    }
    for text in parsed.texts("sbatch") {
      let more = try SbatchWords.split(text, of: "--sbatch")
      try SbatchWords.check(more, of: "--sbatch")
      words += more
    }
    return words
  }
}

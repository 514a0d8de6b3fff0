import StintCore

/// What the engine is given of a chain: a script, and the command that hands it over.
struct ChainScript: Hashable, Sendable {
  let record: ChainRecord
  /// The absolute path of this program.
  let program: String
  let jobsPath: String
  let key: String

  /// The script that each task of the array runs.
  var text: String {
    // In a comment a line break would begin a command.
    let title = String(
      record.words.map(ShellWord.quoted).joined(separator: " ").map { $0.isNewline ? " " : $0 })
    let link = [
      program, ChainScript.verb, "--jobs-dir", jobsPath, key, String(record.submission),
    ]
    return """
      #!/bin/sh
      # stint \(title)
      # Each task of this array is one link of the chain \(key): it continues where the one before ended.
      exec \(link.map(ShellWord.quoted).joined(separator: " "))

      """
  }

  /// The verb that a link runs.
  static let verb = "link"

  /// The command that submits the script from the chain's directory.
  ///
  /// What the user gives comes last, and counts where it says something else.
  func command(in directory: String) -> [String] {
    [
      "sbatch", "--parsable", "--job-name=\(key)", "--array=1-\(record.links)%1", "--no-requeue",
      "--open-mode=append", "--chdir=\(record.directory)",
      // In this one, sbatch replaces what follows a per cent sign.
      "--output=\(directory.escaped(["%": "%%"]))/\(ChainJob.log)",
    ] + record.options + ["\(directory)/\(ChainJob.script)"]
  }
}
